// The settings of what other programs get from onramp: a part of definitions.ts.
import type { Definitions } from './setting.ts'
import { bearerToken } from './values.ts'

export const integrationDefinitions = {
  REPORT_TOKEN: {
    secret: true,
    meaning:
      'Bearer token with which a program reads `/admin/report.json` and `/admin/people.csv`. At least 16 characters (docs/integration.md)',
    schema: bearerToken.min(16, 'needs 16 characters or more: make one with `openssl rand -hex 32`'),
  },
} as const satisfies Definitions
