// Facts of a set-up in which everything is right, to be made wrong one at a time.
import type { Reply } from '../../src/client-api/inquiry.ts'
import type { Reply as HttpReply } from '../../src/doctor/ask.ts'
import type { Machine } from '../../src/doctor/machine.ts'
import type { RedisFacts } from '../../src/doctor/redis.ts'
import { judge, type Setup, type Table } from '../../src/doctor/rule.ts'
import type { ServerFacts } from '../../src/doctor/server.ts'
import type { ServiceFacts } from '../../src/doctor/service.ts'
import type { SqliteFacts } from '../../src/doctor/sqlite.ts'
import words from '../../src/doctor/words.json' with { type: 'json' }

export const NOW = Date.parse('2026-07-20')

export const setup = (changed: Partial<Setup> = {}): Setup => ({
  env: {},
  faults: [],
  actAs: undefined,
  now: NOW,
  node: 'v24.3.0',
  deadlines: [],
  ...changed,
  settings: {
    PUBLIC_URL: 'https://onramp.acme.test',
    SERVICE_BASE_URL: 'https://service.acme.test',
    OIDC_ISSUER: 'https://login.acme.test',
    OIDC_SCOPE: 'openid offline_access',
    OIDC_PROMPT: 'consent',
    OIDC_CLIENT_AUTH: 'client_secret_basic',
    TOKEN_ISSUED_BY: 'service',
    TRUST_PROXY: ['10.0.0.0/8'],
    SESSION_IDLE_MINUTES: 60,
    SESSION_MAX_HOURS: 12,
    ...changed.settings,
  },
})

export const machine = (changed: Partial<Machine> = {}): Machine => ({
  hostError: undefined,
  openFiles: [],
  authority: undefined,
  canSign: undefined,
  company: undefined,
  ways: [],
  ...changed,
})

export const answer = (status: number, text = '', headers: Record<string, string> = {}): HttpReply => ({
  kind: 'answer',
  status,
  text,
  header: (name) => headers[name],
})

const client = {
  id: 'onramp',
  how: { method: 'client_secret_basic', secret: 'aB3-dE_f' },
  isRegistered: false,
} as const

const withoutAbsent = <T extends object>(given: T): T => JSON.parse(JSON.stringify(given)) as T

export const server = ({ metadata, ...changed }: Partial<ServerFacts> = {}): ServerFacts => ({
  times: { theirs: NOW, ours: NOW },
  keys: { reply: answer(200), count: 1 },
  authorization: {
    redirect: 'https://onramp.acme.test/sign-in/callback',
    ours: { kind: 'onward' },
    invented: { kind: 'refused', status: 400, text: '' },
  },
  client: {
    client,
    asked: [{ endpoint: 'token', ours: 'accepted', inventedId: 'refused', wrongSecret: 'refused' }],
  },
  registration: undefined,
  ...changed,
  metadata: withoutAbsent({
    issuer: 'https://login.acme.test',
    authorization_endpoint: 'https://login.acme.test/authorize',
    token_endpoint: 'https://login.acme.test/token',
    userinfo_endpoint: 'https://login.acme.test/me',
    jwks_uri: 'https://login.acme.test/keys',
    code_challenge_methods_supported: ['S256'],
    ...metadata,
  }),
})

/** The answers of its endpoints to the client of these settings. */
export const asked = (
  ours: NonNullable<ServerFacts['client']>['asked'][number]['ours'],
  more: object = {},
  changed: object = {},
): ServerFacts =>
  server({ client: { client: { ...client, ...changed }, asked: [{ endpoint: 'token', ours, ...more }] } })

export const refusedWith = (reason: string, status = 401, more: object = {}): Reply =>
  ({
    kind: 'refused',
    reason,
    status,
    retryAfter: 7,
    explanation: '',
    isOfFront: false,
    isAboutReturn: false,
    otherPrefix: undefined,
    theirs: NOW,
    ours: NOW,
    ...more,
  }) as Reply

export const answered = (shape?: { parameters: number; namesRedirect: boolean }): Reply => ({
  kind: 'answered',
  left: [],
  shape,
  theirs: NOW,
  ours: NOW,
})

export const service = (changed: Partial<ServiceFacts> = {}): ServiceFacts => ({
  baseUrl: 'https://service.acme.test',
  prefix: 'X-Service',
  madeUp: refusedWith('token'),
  user: undefined,
  userAsAccessToken: undefined,
  global: undefined,
  wayBack: undefined,
  ...changed,
})

export const sqlite = (changed: Partial<SqliteFacts> = {}): SqliteFacts => ({
  folder: 'there',
  unwritable: undefined,
  database: undefined,
  isOpenToAll: false,
  isInMemory: false,
  freeBytes: 1e12,
  ...changed,
})

export const redis = (changed: Partial<RedisFacts> = {}): RedisFacts => ({
  url: 'redis://127.0.0.1',
  isSentinel: false,
  isCluster: false,
  rights: 'allow all that onramp uses',
  failed: undefined,
  save: '',
  appendfsync: 'everysec',
  ...changed,
  info: { redis_version: '8.0.1', aof_enabled: '1', maxmemory_policy: 'noeviction', ...changed.info },
})

/** What each line that was found is called in words.json; kept, so that a test can tell which names never came up. */
export const came = new Set<string>()
const names = new Map<string, string>()

/** `fail OIDC_SCOPE: What is the case.`, for each finding. */
export function found<Facts>(table: Table<Facts>, facts: Facts, changed: Partial<Setup> = {}): string[] {
  return judge(table, facts, setup(changed)).map(({ check, is, status, settings, says }) => {
    const line = `${status} ${settings.join(', ')}: ${says}`
    names.set(line, is)
    came.add(`${check} ${is}`)
    if (check.startsWith('service.')) came.add(`service.refusals ${is}`)
    return line
  })
}

/** The same by the names in words.json. */
export const named = (lines: readonly string[]): (string | undefined)[] =>
  lines.map((line) => names.get(line))

/** Only what is wrong, or may be. */
export const troubles = <Facts>(table: Table<Facts>, facts: Facts, changed: Partial<Setup> = {}): string[] =>
  found(table, facts, changed).filter((line) => /^(warn|fail)/.test(line))

/** A made-up secret that is a good one. */
export const random = 'Q7vZk2LmX0aBcD4eFgH5iJkN6oPqR8sTuV1wY'

/** The findings in words.json, of these checks, that no test of this file led to. @param but those of other files */
export const unusedWords = (prefixes: readonly string[], but: readonly string[]): string[] =>
  Object.entries(words)
    .filter(([subject]) => prefixes.some((prefix) => subject.startsWith(prefix)) && !but.includes(subject))
    .flatMap(([subject, entries]) => Object.keys(entries).map((is) => `${subject.split('/')[0]} ${is}`))
    .filter((name) => !came.has(name))
