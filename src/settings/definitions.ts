// The table of settings: defaults, meanings, and how each value is read. What reads the environment is settings.ts.
// The README's table, .env.example and docker-compose.yml are held against it by test/conventions.test.ts.
import type { z } from 'zod'
import {
  address,
  addressRange,
  emailAddress,
  hostAndPort,
  keyPrefix,
  list,
  mailServer,
  oneOf,
  origin,
  prompts,
  sender,
  sessionSecrets,
  text,
  wholeNumber,
} from './values.ts'

export type Setting = {
  name: string
  /** What is used when the variable is absent; undefined: nothing. */
  default?: string
  required?: true
  /** A secret may also come as NAME_FILE, a path to a file that holds it. */
  secret?: true
  meaning: string
  schema: z.ZodType
}

/** RFC 6750 2.1: it goes out behind "Bearer". */
const serviceToken = text.regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'has characters that no bearer token may have')

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
  OIDC_ISSUER: {
    required: true,
    meaning: "The authorization server: the service's own or the external identity provider",
    schema: address,
  },
  TOKEN_ISSUED_BY: {
    default: 'service',
    meaning:
      '`service` or `external-idp` (then `X-Service-Auth-Type: OAUTH` goes out with every access token)',
    schema: oneOf(['service', 'external-idp']),
  },
  OIDC_CLIENT_ID: {
    meaning: 'The client that onramp is at the authorization server; absent: it registers itself (RFC 7591)',
    schema: text,
  },
  OIDC_CLIENT_SECRET: { secret: true, meaning: "That client's secret", schema: text },
  OIDC_CLIENT_AUTH: {
    default: 'client_secret_basic',
    meaning:
      'How the client authenticates: `client_secret_basic`, `client_secret_post`, `private_key_jwt`, `none`',
    schema: oneOf(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']),
  },
  OIDC_CLIENT_KEY: {
    secret: true,
    meaning: 'The private key for `private_key_jwt`, PEM (PKCS #8)',
    schema: text,
  },
  OIDC_INITIAL_ACCESS_TOKEN: {
    secret: true,
    meaning: 'For a registration endpoint that asks for one',
    schema: text,
  },
  OIDC_SCOPE: {
    default: 'openid email profile offline_access',
    meaning: 'What is asked for at sign-in; without `openid`: plain OAuth 2.1, no id_token',
    schema: text.transform((scope) => scope.trim().split(/\s+/).join(' ')),
  },
  OIDC_PROMPT: {
    meaning:
      'Sent as `prompt` at sign-in: `consent`, `login`, `select_account`, or several; some servers issue refresh tokens only with `consent`',
    schema: prompts,
  },
  OIDC_EMAIL_CLAIM: {
    default: 'email',
    meaning: "The claim that holds a person's address, such as `preferred_username` or `upn`",
    schema: text.regex(/^[\w.:/-]{1,100}$/, 'must be the name of a claim'),
  },
  OIDC_EMAIL_TRUST: {
    default: 'verified',
    meaning:
      'Whose address counts for `/admin` and the report: `verified` (the claim `email_verified` says so) or `always`, where the company itself gives out the addresses and the claim is missing',
    schema: oneOf(['verified', 'always']),
  },
  OIDC_RESOURCE: { meaning: 'The RFC 8707 resource that the access token is for', schema: address },
  OIDC_AUDIENCE: {
    meaning: 'The `audience` parameter, for authorization servers that ask for one',
    schema: text,
  },
  SERVICE_USER_TOKEN: {
    secret: true,
    meaning: "A person's service token, for the command line; the server does not use it",
    schema: serviceToken,
  },
  SERVICE_GLOBAL_TOKEN: {
    secret: true,
    meaning:
      'A global service token, for the command line; goes out with `X-Service-ActAs` only; the server does not use it',
    schema: serviceToken,
  },
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
  REDIS_URL: {
    secret: true,
    meaning: '`redis://` or `rediss://`; absent: the embedded SQLite store in `DATA_DIR` (one process)',
    schema: text.refine(
      (url) => URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol),
      'is not a Redis address: write it like redis://name:6379 or rediss://name:6379',
    ),
  },
  REDIS_PREFIX: {
    default: 'onramp:',
    meaning: 'What every key in Redis begins with; installations that share a Redis need one each',
    schema: keyPrefix,
  },
  REDIS_SENTINELS: {
    meaning:
      'Sentinels as `name:port`, separated by commas; `REDIS_URL` then gives user, password, TLS and database',
    schema: list(hostAndPort),
  },
  REDIS_SENTINEL_NAME: {
    default: 'mymaster',
    meaning: 'How the Sentinels call the primary',
    schema: text,
  },
  REDIS_CLUSTER: {
    default: 'no',
    meaning: '`yes`: `REDIS_URL` is a node of a Redis Cluster, from which the others are found',
    schema: oneOf(['yes', 'no']),
  },
  DATA_DIR: { default: './data', meaning: 'The folder of the embedded store', schema: text },
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
    default: '1200',
    meaning:
      'Requests to sign in, a minute, from one address (an office may share one; a sign-in makes two, by an invitation four); a browser may make a tenth',
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
      'Signs invitations, 32 characters or more; a comma-separated list rotates; absent: derived from `SESSION_SECRET`',
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
} as const satisfies Record<string, Omit<Setting, 'name'>>
