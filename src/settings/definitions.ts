// The settings: default, meaning and schema. settings.ts reads the environment; test/conventions.test.ts compares this
// table with docs/settings.md, the README's table and .env.example, and looks up the names in docker-compose.yml.
import { isIP } from 'node:net'
import { z } from 'zod'
import { authorizationServerDefinitions } from './authorization-server.ts'
import { clientCredentials } from './client-credentials.ts'
import { webUrl, bearerToken, oneOf, text, type Setting } from './values.ts'

const origin = webUrl()
  .refine((value) => new URL(value).pathname === '/', {
    error: ({ input }) => `must be an origin without a path, like ${new URL(String(input)).origin}`,
  })
  .transform((value) => new URL(value).origin)

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, {
      error: ({ input }) =>
        String(input).startsWith('tcp:')
          ? 'is the address of a service, which Kubernetes sets: set enableServiceLinks to false for the pod, or rename the service'
          : 'is not a whole number',
    })
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be between ${min} and ${max}`)

/** A comma alone counts as an item, which the schema then rejects. */
const list = <T>(item: z.ZodType<T, string>) =>
  text.transform((value) => value.match(/[^\s,]+/g) ?? [value]).pipe(z.array(item))

/** Lines, or a comma-separated list. Distinguished names need quotes, because their parts could be other groups. */
const names = z.string().transform((value, context) => {
  const isList = !value.includes('\n')
  const parts = value.split(isList ? /,(?=(?:[^"]*"[^"]*")*[^"]*$)/ : '\n').map((part) => part.trim())
  const uniqueNames = new Set(parts.filter(Boolean).map((part) => part.replace(/^"([^"]*)"$/, '$1')))
  const isCut =
    isList && parts.length > 1 && parts.some((part) => !part.startsWith('"') && part.includes('='))
  // Quotes around the whole value belong to an env file.
  if (isCut || /^"[^"=]*"$/.test(value) || [...uniqueNames].some((name) => name.includes('"')))
    context.addIssue(
      'has a name with commas or quotes: write a distinguished name in double quotes, such as "CN=Search Admins,OU=Groups,DC=acme", or each name on a line of its own',
    )
  if (uniqueNames.size === 0) context.addIssue('holds no name')
  return [...uniqueNames]
})

const sessionSecret = text.min(32, 'needs 32 characters or more: make one with `openssl rand -base64 48`')
const sessionSecrets = text
  .transform((value) => value.split(',').map((part) => part.trim()))
  .pipe(z.array(sessionSecret))

const isAddressRange = (value: string) => {
  const [, ip = '', bits = '0'] = /^([^/]+)(?:\/(\d+))?$/.exec(value) ?? []
  const isName = ['loopback', 'linklocal', 'uniquelocal'].includes(value)
  return isName || (isIP(ip) !== 0 && Number(bits) <= (isIP(ip) === 4 ? 32 : 128))
}

/** Express accepts neither an IPv4 part after `::` nor a zone with other characters than letters and digits. */
const proxyRange = text
  .refine(
    (value) => isAddressRange(value) && !/::\d+\.|%[^/]*[^\da-z/]/i.test(value),
    'must hold addresses like 10.0.0.1 or ranges like 10.0.0.0/8',
  )
  .refine(
    (value) => !/\/0+$/.test(value),
    "must not end in /0, which trusts every address: list your reverse proxies' own addresses",
  )

/** Forbids braces, by which Redis Cluster places keys, and the characters of ACL patterns. */
const keyPrefix = text
  .regex(/^[\x21-\x7e]*$/, 'must be plain characters without spaces, like onramp-staging:')
  .regex(
    /^[^*?[\]{}\\^"']*$/,
    'must not hold quotes or any of * ? [ ] { } ^ \\: Redis reads them as patterns, or as where a cluster keeps the key',
  )
  .max(64, 'must have 64 characters or fewer')

/** `name:port`, or an IPv6 address in brackets with a port. */
const hostAndPort = text
  .regex(/^(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}$/, 'must hold entries like name:26379')
  .transform((entry) => {
    const colon = entry.lastIndexOf(':')
    return { host: entry.slice(0, colon).replaceAll(/[[\]]/g, ''), port: Number(entry.slice(colon + 1)) }
  })

const PLAIN_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/

const emailAddress = text
  .regex(PLAIN_ADDRESS, 'must hold email addresses like ada@acme.example')
  .regex(/^[^*]/, 'can hold no pattern like *@acme.example: name each address, or use ADMIN_GROUPS')

const SENDER = /^(?:([^<>"\p{Cc}]*?)\s*<([^<>]+)>|[^<>]*)$/u
const senderIn = (value: string) => {
  const [, name = '', address = value] = SENDER.exec(value) ?? []
  return { name: name.trim(), address }
}

/** `Name <address>` or an address alone; a line break would start another email header. */
const sender = text
  .refine(
    (value) => PLAIN_ADDRESS.test(senderIn(value).address),
    'must be like Search team <search@acme.example>',
  )
  .transform(senderIn)

function canDecode(url: string): boolean {
  try {
    const { username = '', password = '' } = URL.parse(url) ?? {}
    return decodeURIComponent(`${username}:${password}`) !== ''
  } catch {
    return false
  }
}

/** A URL whose user name and password can be decoded (RFC 3986 2.1); otherwise connecting would fail. */
const addressWithUser = text.refine(
  canDecode,
  'has a username or password with a % outside a percent-encoding: write % as %25',
)

const mailServer = addressWithUser.refine(
  (url) => /^smtps?:$/.test(URL.parse(url)?.protocol ?? '') && URL.parse(url)?.hostname !== '',
  'must be like smtps://name:password@mail.acme.example',
)

/** Plain http to a forward proxy is usual, because the tunnel inside is encrypted. */
const proxy = addressWithUser.refine(
  (url) => /^https?:$/.test(URL.parse(url)?.protocol ?? '') && URL.parse(url)?.pathname === '/',
  'must be like http://proxy.acme.example:3128',
)

const HOST_AND_PORT = /^(\*|(\*?\.)?[\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i

const noProxyEntry = text.refine(
  (entry) => HOST_AND_PORT.test(entry) || isAddressRange(entry),
  'must hold hosts like intranet.acme.example or *.acme.example (a star only in front), or addresses',
)

/** The beginning of a header's name (RFC 9110 5.1). The service's suffixes begin with a hyphen. */
const headerPrefix = text.regex(
  /^[a-z\d]+(-[a-z\d]+){0,5}$/i,
  'must be the beginning of a header name without the last hyphen, like X-Service',
)

const SECRET_WANTED =
  'must be `whsec_` and 24 to 64 bytes in base64: make one with `echo "whsec_$(openssl rand -base64 32)"`'

/** At least one secret, of 24 to 64 bytes (Standard Webhooks, "Signature scheme"). */
const webhookSecrets = list(
  z.string().refine((secret) => {
    const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
    const bytes = Buffer.from(base64 ?? '', 'base64').length
    return bytes >= 24 && bytes <= 64
  }, SECRET_WANTED),
)

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
    schema: webUrl()
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
    meaning: 'Encrypts sessions. At least 32 characters',
    details: 'To rotate, use a comma-separated list; the first secret is for new sessions.',
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
    meaning: 'Prefix of every key in Redis; installations that share a Redis need different ones',
    schema: keyPrefix,
  },
  REDIS_SENTINELS: {
    meaning:
      'Sentinels as `name:port`, separated by commas; `REDIS_URL` then gives user, password, TLS and database',
    schema: list(hostAndPort),
  },
  REDIS_SENTINEL_NAME: { default: 'mymaster', meaning: 'Name of the primary in Sentinel', schema: text },
  REDIS_CLUSTER: {
    default: 'no',
    meaning: '`yes`: `REDIS_URL` is a node of a Redis Cluster, from which the others are found',
    schema: oneOf(['yes', 'no']),
  },
  DATA_DIR: { default: './data', meaning: 'Folder for the embedded store', schema: text },
  HTTPS_PROXY: {
    secret: true,
    lowerCase: true,
    meaning: 'Forward proxy for outbound calls, like `http://name:3128`; also read as `https_proxy`',
    details:
      'For calls to the service, the authorization server and `WEBHOOK_URL`. With a password, write `http://user:password@name:3128`.',
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
    meaning: 'Comma-separated hosts to reach without the proxy; also read as `no_proxy`',
    details:
      '`name`, `.name` or `*.name` (each with everything below it), `name:port`, an address, or `*`. A range like `10.0.0.0/8` has no effect. This machine is never reached through the proxy.',
    schema: list(noProxyEntry),
  },
  SERVICE_HEADER_PREFIX: {
    default: 'X-Service',
    meaning: "Prefix of the service's own headers, as in `X-Service-Auth-Type` and `X-Service-ActAs`",
    schema: headerPrefix,
  },
  ADVANCE: {
    default: 'auto',
    meaning:
      '`auto` continues to the next app, unless it has `help` in the company file; `confirm` shows a page in between',
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
    schema: list(proxyRange),
  },
  SIGN_INS_PER_MINUTE: {
    default: '3000',
    meaning: 'Sign-ins that may begin per minute, per IP address and process. An office may share an address',
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
    file: true,
    quotes: true,
    meaning: 'Comma-separated groups of `OIDC_GROUPS_CLAIM` whose members can also open `/admin`',
    details: 'Groups are read at sign-in and at each refresh. A name with commas goes into double quotes.',
    schema: names,
  },
  REPORT_TOKEN: {
    secret: true,
    meaning:
      'Bearer token for `/admin/report.json` and `/admin/people.csv`, 16 characters or more (docs/integration.md)',
    schema: bearerToken.min(16, 'needs 16 characters or more: make one with `openssl rand -hex 32`'),
  },
  WEBHOOK_URL: {
    secret: true,
    meaning: 'Where signed events are sent as people sign in, connect apps and finish (docs/integration.md)',
    schema: webUrl({ mayHaveQuery: true }),
  },
  WEBHOOK_SECRET: {
    secret: true,
    meaning: 'Signs these events: `whsec_` and 24 to 64 bytes in base64',
    details: 'To rotate, use a comma-separated list; each secret signs.',
    schema: webhookSecrets,
  },
  INVITE_SECRET: {
    secret: true,
    meaning: 'Encrypts invitations. At least 32 characters (default: derived from `SESSION_SECRET`)',
    details: 'To rotate, use a comma-separated list; the first secret is for new invitations.',
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
  SMTP_OAUTH_ISSUER: {
    meaning:
      'Authorization server of the mailbox in `SMTP_URL`, which then needs no password (docs/invitations.md)',
    schema: webUrl(),
  },
  SMTP_OAUTH_TOKEN_URL: {
    meaning: 'Its token endpoint, instead of `SMTP_OAUTH_ISSUER`, if it has no metadata',
    schema: webUrl({ mayHaveQuery: true }),
  },
  SMTP_OAUTH_CLIENT_ID: { meaning: 'Client ID there', schema: text },
  ...clientCredentials('SMTP_OAUTH', '`private_key_jwt`, or of a service account'),
  SMTP_OAUTH_SCOPE: {
    meaning: 'Scope of the access token, such as `https://outlook.office365.com/.default`',
    schema: authorizationServerDefinitions.OIDC_SCOPE.schema,
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
    meaning: 'Bearer token for reading `/metrics`',
    schema: text.regex(
      /^[\x21-\x7e]{16,}$/,
      'needs 16 characters or more, without spaces: make one with `openssl rand -hex 32`',
    ),
  },
} as const satisfies Record<string, Omit<Setting, 'name'>>
