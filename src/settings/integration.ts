// The settings of what other programs get from onramp: a part of definitions.ts.
import { z } from 'zod'
import type { Definitions } from './setting.ts'
import { addressWithQuery, bearerToken, list } from './values.ts'

const SECRET_WANTED =
  'must be `whsec_` and 24 to 64 bytes in base64: make one with `echo "whsec_$(openssl rand -base64 32)"`'

/** Standard Webhooks, "Signature scheme": 24 to 64 bytes. A list of commas alone would sign with nothing. */
const webhookSecrets = list(
  z.string().refine((secret) => {
    const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
    const bytes = Buffer.from(base64 ?? '', 'base64').length
    return bytes >= 24 && bytes <= 64
  }, SECRET_WANTED),
).refine((secrets) => secrets.length > 0, SECRET_WANTED)

export const integrationDefinitions = {
  REPORT_TOKEN: {
    secret: true,
    meaning:
      'Bearer token with which a program reads `/admin/report.json` and `/admin/people.csv`. At least 16 characters (docs/integration.md)',
    schema: bearerToken.min(16, 'needs 16 characters or more: make one with `openssl rand -hex 32`'),
  },
  WEBHOOK_URL: {
    secret: true,
    meaning: 'Where signed events are sent as people sign in, connect apps and finish (docs/integration.md)',
    schema: addressWithQuery,
  },
  WEBHOOK_SECRET: {
    secret: true,
    meaning:
      'Signs these events: `whsec_` and 24 to 64 bytes in base64. To rotate, use a comma-separated list: events are signed with each of them',
    schema: webhookSecrets,
  },
} as const satisfies Definitions
