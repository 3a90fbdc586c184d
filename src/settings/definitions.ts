// The table of settings: defaults, meanings, and how each value is read. What reads the environment is settings.ts.
// docs/settings.md, the README's table, .env.example and docker-compose.yml are held against it by test/conventions.test.ts.
import { authorizationServerDefinitions } from './authorization-server.ts'
import { z } from 'zod'
import {
  address,
  addressRange,
  addressWithQuery,
  addressWithUser,
  bearerToken,
  emailAddress,
  headerPrefix,
  hostAndPort,
  keyPrefix,
  list,
  mailServer,
  names,
  noProxyEntry,
  oneOf,
  origin,
  proxy,
  sender,
  sessionSecrets,
  text,
  wholeNumber,
  type Definitions,
} from './values.ts'

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
  REDIS_URL: {
    secret: true,
    meaning: '`redis://` or `rediss://`. If unset: the embedded SQLite store in `DATA_DIR` (one process)',
    schema: addressWithUser
      .refine(
        (url) => URL.canParse(url) && /^rediss?:\/\/[^/?#]/i.test(url),
        'is not a Redis address: write it like redis://name:6379 or rediss://name:6379',
      )
      .refine(
        (url) => !URL.canParse(url) || /^\/?\d*$/.test(url.replace(/^\w+:\/\/[^/?#]*/, '')),
        'must end with the number of a database, or without a path: redis://name:6379/3',
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
    meaning: 'Name of the primary in Sentinel',
    schema: text,
  },
  REDIS_CLUSTER: {
    default: 'no',
    meaning: '`yes`: `REDIS_URL` is a node of a Redis Cluster, from which the others are found',
    schema: oneOf(['yes', 'no']),
  },
  DATA_DIR: { default: './data', meaning: 'Folder for the embedded store', schema: text },
  HTTPS_PROXY: {
    secret: true,
    lowerCase: true,
    meaning:
      'Forward proxy for calls to the service, the authorization server and `WEBHOOK_URL`, like `http://name:3128`, with `user:password@` if it needs them; also read as `https_proxy`',
    schema: proxy,
  },
  HTTP_PROXY: {
    secret: true,
    lowerCase: true,
    meaning: 'Used if `HTTPS_PROXY` is not set; also read as `http_proxy`',
    schema: proxy,
  },
  NO_PROXY: {
    lowerCase: true,
    meaning:
      'Comma-separated hosts to reach without the proxy: `name` (also everything below it, as are `.name` and `*.name`), `name:port`, an address, a range like `10.0.0.0/8`, or `*`. This machine always is; also read as `no_proxy`',
    schema: list(noProxyEntry),
  },
  SERVICE_HEADER_PREFIX: {
    default: 'X-Service',
    meaning: "What the service's own headers begin with, as in `X-Service-Auth-Type` and `X-Service-ActAs`",
    schema: headerPrefix,
  },
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
      'Requests to sign in allowed per minute, per IP address and process. A sign-in takes two to four, and an office may share an address',
    schema: wholeNumber(1, 1_000_000),
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
  LOG_LEVEL: {
    default: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard output',
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  },
  REQUEST_LOG: {
    default: 'no',
    meaning: '`yes`: a log line for every request, with its route, status, duration and id',
    schema: oneOf(['yes', 'no']),
  },
  METRICS_PORT: {
    meaning: 'Port that serves `/metrics` and nothing else. If unset: on `PORT`, with `METRICS_TOKEN` only',
    schema: wholeNumber(0, 65_535),
  },
  METRICS_TOKEN: {
    secret: true,
    meaning: 'Bearer token that reading `/metrics` takes',
    schema: text.regex(
      /^[\x21-\x7e]{16,}$/,
      'needs 16 characters or more, without spaces: make one with `openssl rand -hex 32`',
    ),
  },
} as const satisfies Definitions
