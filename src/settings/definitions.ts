// The table of settings: defaults, meanings, and how each value is read. What reads the environment is settings.ts.
// The README's table, .env.example and docker-compose.yml are held against it by test/conventions.test.ts.
import { authorizationServerDefinitions } from './authorization-server.ts'
import type { Definitions } from './setting.ts'
import { storeDefinitions } from './store.ts'
import {
  address,
  addressRange,
  emailAddress,
  list,
  mailServer,
  oneOf,
  origin,
  sender,
  sessionSecrets,
  text,
  wholeNumber,
} from './values.ts'

export const definitions = {
  PORT: { default: '3000', meaning: 'The port it listens on', schema: wholeNumber(0, 65_535) },
  HOST: { meaning: 'The address it listens on; absent: all interfaces', schema: text },
  PUBLIC_URL: {
    required: true,
    meaning: 'The origin that people use; every callback address is built from it',
    schema: origin,
  },
  SERVICE_BASE_URL: {
    required: true,
    meaning: "The service's backend address; may carry a path, to which paths are appended",
    schema: address.transform((base) => base.replace(/\/+$/, '')),
  },
  ...authorizationServerDefinitions,
  SESSION_SECRET: {
    required: true,
    secret: true,
    meaning: '32 characters or more; a comma-separated list rotates, the first one seals',
    schema: sessionSecrets,
  },
  SESSION_IDLE_MINUTES: {
    default: '60',
    meaning: 'A session ends after so many minutes without use',
    schema: wholeNumber(1, 10_080),
  },
  SESSION_MAX_HOURS: {
    default: '12',
    meaning: 'A session ends after so many hours in any case',
    schema: wholeNumber(1, 720),
  },
  ...storeDefinitions,
  ADVANCE: {
    default: 'auto',
    meaning: '`auto`: a return goes straight on to the next datasource; `confirm`: a page in between',
    schema: oneOf(['auto', 'confirm']),
  },
  CONFIRM_SECONDS: {
    default: '90',
    meaning: 'How long a consent may take to show before it is called not confirmed',
    schema: wholeNumber(0, 3600),
  },
  RETURN_TO_ORIGINS: {
    meaning: 'Other origins that `return_to` may name (the intranet), separated by commas',
    schema: list(origin),
  },
  TRUST_PROXY: {
    meaning: 'Addresses of reverse proxies whose forwarded headers count, separated by commas',
    schema: list(addressRange),
  },
  SIGN_INS_PER_MINUTE: {
    default: '3000',
    meaning:
      'Sign-ins, a minute, that one address may start and not finish (an office may share one); a browser may make a tenth of so many requests',
    schema: wholeNumber(1, 1_000_000),
  },
  REQUESTS_PER_MINUTE: {
    default: '1200',
    meaning: 'Requests of one person that reach the service, a minute, over all their tabs and devices',
    schema: wholeNumber(60, 1_000_000),
  },
  SIGN_INS_WAITING_MB: {
    default: '16',
    meaning:
      'Megabytes of the store for sign-ins that were started and not finished; with more, new ones are asked to wait',
    schema: wholeNumber(1, 100_000),
  },
  DRAIN_SECONDS: {
    default: '2',
    meaning: 'After SIGTERM it serves on for so many seconds while `/readyz` says 503',
    schema: wholeNumber(0, 60),
  },
  HELP_URL: {
    meaning: 'Where people get help: an `https:` or `mailto:` address, shown on every page',
    schema: text.refine(
      (url) => /^(https:\/\/|mailto:)\S+$/.test(url),
      'must start with https:// or mailto:',
    ),
  },
  ADMIN_EMAILS: {
    meaning: 'Who may see `/admin`: verified addresses, separated by commas',
    schema: list(emailAddress),
  },
  INVITE_SECRET: {
    secret: true,
    meaning:
      'Encrypts invitations, 32 characters or more; a comma-separated list rotates; absent: derived from `SESSION_SECRET`',
    schema: sessionSecrets,
  },
  INVITE_RETENTION_DAYS: {
    default: '90',
    meaning: 'What is known of a person on the way is forgotten after so many days without news of them',
    schema: wholeNumber(1, 730),
  },
  SMTP_URL: {
    secret: true,
    meaning: 'The mail server that invitations leave by: `smtp://` (STARTTLS is insisted on) or `smtps://`',
    schema: mailServer,
  },
  MAIL_FROM: {
    meaning: 'Whom invitations are from: `Name <address>`, a person or a team that people know',
    schema: sender,
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard output',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  },
} as const satisfies Definitions
