// The settings of what other programs get from onramp: a part of definitions.ts.
import type { Definitions } from './setting.ts'
import { addressWithQuery, bearerToken, webhookSecrets } from './values.ts'

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
