// The table of settings: defaults, meanings, and how each value is read. What reads the environment is settings.ts.
// docs/settings.md, the README's table, .env.example and docker-compose.yml are held against it by test/conventions.test.ts.
import { authorizationServerDefinitions } from './authorization-server.ts'
import { integrationDefinitions } from './integration.ts'
import { outboundDefinitions } from './outbound.ts'
import { observabilityDefinitions } from './observability.ts'
import type { Definitions } from './setting.ts'
import { storeDefinitions } from './store.ts'
import {
  address,
  addressRange,
  emailAddress,
  list,
  mailServer,
  names,
  oneOf,
  origin,
  sender,
  sessionSecrets,
  text,
  wholeNumber,
} from './values.ts'

export const definitions = {
  PORT: { default: '3000', meaning: 'Port to listen on', schema: wholeNumber(0, 65_535) },
  HOST: { meaning: 'Address to listen on (default: all interfaces)', schema: text },
  PUBLIC_URL: {
    required: true,
    meaning: 'Public origin of onramp. All callback URLs are based on it',
    schema: origin,
  },
  SERVICE_BASE_URL: {
    required: true,
    meaning: "Base URL of the search service's backend. May include a path",
    schema: address
      .transform((base) => base.replace(/\/+$/, ''))
      .refine(
        (base) => !/\/(rest\/api|api\/index)(\/v\d+)?$/.test(base),
        'must end before /rest/api/v1: the paths of the API are appended to it',
      ),
  },
  ...authorizationServerDefinitions,
  SESSION_SECRET: {
    required: true,
    secret: true,
    meaning:
      'Encrypts sessions. At least 32 characters. To rotate, use a comma-separated list; the first one is used for new sessions',
    schema: sessionSecrets,
  },
  SESSION_IDLE_MINUTES: {
    default: '60',
    meaning: 'Minutes of inactivity before people are signed out',
    schema: wholeNumber(1, 10_080),
  },
  SESSION_MAX_HOURS: {
    default: '12',
    meaning: 'Maximum session length, in hours',
    schema: wholeNumber(1, 720),
  },
  ...storeDefinitions,
  ...outboundDefinitions,
  ADVANCE: {
    default: 'auto',
    meaning: '`auto` continues straight to the next app; `confirm` shows a page in between',
    schema: oneOf(['auto', 'confirm']),
  },
  CONFIRM_SECONDS: {
    default: '90',
    meaning: 'Seconds to wait for a new connection to show up before reporting that it isn’t connected',
    schema: wholeNumber(0, 3600),
  },
  RETURN_TO_ORIGINS: {
    meaning: 'Comma-separated origins allowed in `return_to`, such as your intranet',
    schema: list(origin),
  },
  TRUST_PROXY: {
    meaning: 'Comma-separated addresses of trusted reverse proxies',
    schema: list(addressRange),
  },
  SIGN_INS_PER_MINUTE: {
    default: '3000',
    meaning:
      'Unfinished sign-ins allowed per minute per IP address (an office may share one). Each browser gets a tenth of this many requests',
    schema: wholeNumber(1, 1_000_000),
  },
  REQUESTS_PER_MINUTE: {
    default: '1200',
    meaning: 'Requests to the service allowed per minute per person, across all their tabs and devices',
    schema: wholeNumber(60, 1_000_000),
  },
  SIGN_INS_WAITING_MB: {
    default: '64',
    meaning:
      'Megabytes of the store for unfinished sign-ins. When they are full, new sign-ins have to wait. One IP address gets a tenth',
    schema: wholeNumber(1, 100_000),
  },
  DRAIN_SECONDS: {
    default: '2',
    meaning: 'Seconds to keep serving after SIGTERM while `/readyz` returns 503',
    schema: wholeNumber(0, 60),
  },
  COMPANY_FILE: {
    meaning:
      "The company's YAML file: name, logos, colors, links, texts and what to say about each app (docs/company-file.md)",
    schema: text,
  },
  ADMIN_EMAILS: {
    meaning: 'Comma-separated, verified email addresses of people who can open `/admin`',
    schema: list(emailAddress),
  },
  ADMIN_GROUPS: {
    meaning:
      'Comma-separated groups whose members can open `/admin` too, as `OIDC_GROUPS_CLAIM` names them at sign-in',
    schema: names,
  },
  ...integrationDefinitions,
  INVITE_SECRET: {
    secret: true,
    meaning:
      'Encrypts invitations. At least 32 characters. To rotate, use a comma-separated list (default: derived from `SESSION_SECRET`)',
    schema: sessionSecrets,
  },
  INVITE_RETENTION_DAYS: {
    default: '90',
    meaning: "Days of inactivity after which a person's progress is deleted",
    schema: wholeNumber(1, 730),
  },
  SMTP_URL: {
    secret: true,
    meaning: 'Mail server for invitations: `smtp://` (requires STARTTLS) or `smtps://`',
    schema: mailServer,
  },
  MAIL_FROM: {
    meaning: 'Sender of invitations: `Name <address>`, a person or team that people know',
    schema: sender,
  },
  ...observabilityDefinitions,
} as const satisfies Definitions
