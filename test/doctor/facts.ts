// Fixture: facts of a correct configuration, which tests change one at a time, and the findings of the rules.
import type { ServerMetadata as Metadata } from 'openid-client'
import { expect } from 'vitest'
import type { ProbeResult } from '../../src/client-api/client.ts'
import type { FetchResult } from '../../src/doctor/fetch-once.ts'
import type { clientCheck } from '../../src/doctor/client.ts'
import type { machineCheck } from '../../src/doctor/machine.ts'
import type { redisCheck } from '../../src/doctor/redis.ts'
import { applyRules, type DoctorContext } from '../../src/doctor/findings.ts'
import type { serverCheck } from '../../src/doctor/server.ts'
import type { serviceCheck } from '../../src/doctor/service.ts'
import type { sqliteCheck } from '../../src/doctor/sqlite.ts'

export type FactsOf<C extends { collect: (...needed: never[]) => unknown }> = NonNullable<
  Awaited<ReturnType<C['collect']>>
>

export const NOW = Date.parse('2026-07-20')

export const contextWith = (changed: Partial<DoctorContext> = {}): DoctorContext => ({
  env: {},
  faults: [],
  actAs: undefined,
  now: NOW,
  ...changed,
  settings: {
    PUBLIC_URL: 'https://onramp.acme.test',
    SERVICE_BASE_URL: 'https://service.acme.test',
    OIDC_ISSUER: 'https://login.acme.test',
    OIDC_SCOPE: 'openid offline_access',
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_AUTH: 'client_secret_basic',
    TOKEN_ISSUED_BY: 'service',
    TRUST_PROXY: ['10.0.0.0/8'],
    ...changed.settings,
  },
})

/** The findings of a check's rules, each as `fail OIDC_SCOPE: The sentence.` */
export const report = <Facts>(
  { rules }: { rules: Parameters<typeof applyRules<Facts>>[0] },
  facts: Facts,
  changed: Partial<DoctorContext> = {},
): string[] =>
  applyRules(rules, facts, contextWith(changed)).map(
    ({ status, settings, message }) => `${status} ${settings.join(', ')}: ${message}`,
  )

/** The warnings and failures only. */
export const problems = <Facts>(...check: Parameters<typeof report<Facts>>): string[] =>
  report(...check).filter((line) => /^(warn|fail) /.test(line))

/** Expects one line for each pattern, in this order. */
export const linesMatching = (...patterns: readonly RegExp[]) =>
  patterns.map((pattern) => expect.stringMatching(pattern) as string)

/** A copy of the facts of a correct configuration. */
const factsOf =
  <C extends { collect: (...needed: never[]) => unknown }>(right: FactsOf<C>) =>
  (changed: Partial<FactsOf<C>> = {}): FactsOf<C> => ({ ...right, ...changed })

export const machineFacts = factsOf<typeof machineCheck>({ openFiles: [], company: undefined, routes: [] })

export const response = (status: number, text = '', headers: Record<string, string> = {}): FetchResult => ({
  kind: 'response',
  status,
  text,
  headers,
})

export const metadata = (changed: object = {}): Metadata =>
  JSON.parse(
    JSON.stringify({
      issuer: 'https://login.acme.test',
      authorization_endpoint: 'https://login.acme.test/authorize',
      token_endpoint: 'https://login.acme.test/token',
      userinfo_endpoint: 'https://login.acme.test/me',
      jwks_uri: 'https://login.acme.test/keys',
      code_challenge_methods_supported: ['S256'],
      ...changed,
    }),
  ) as Metadata

export const serverFacts = (changed: object = {}): FactsOf<typeof serverCheck> => ({
  metadata: metadata(changed),
  keys: { result: response(200), count: 1 },
})

/** The token endpoint's responses to a client. */
export const clientFacts = (
  ourResponse: FactsOf<typeof clientCheck>['ourResponse'],
  more: object = {},
  changed: object = {},
): FactsOf<typeof clientCheck> => ({
  metadata: metadata(),
  client: { id: 'onramp', auth: { method: 'client_secret_basic', secret: 'aB3-dE_f' }, ...changed },
  ourResponse,
  otherMethod: undefined,
  responseToWrongClient: undefined,
  ...more,
})

export const refusedWith = (reason: string, status = 401, more: object = {}): ProbeResult =>
  ({ kind: 'rejected', reason, status, retryAfter: 7, explanation: '', ...more }) as ProbeResult

export const accepted = (shape?: { parameters: number; namesRedirect: boolean }) => ({
  kind: 'accepted' as const,
  unconnected: [],
  shape,
  serverTime: NOW,
  receivedAt: NOW,
})

export const serviceFacts = factsOf<typeof serviceCheck>({
  baseUrl: 'https://service.acme.test',
  prefix: 'X-Service',
  madeUp: refusedWith('token'),
  user: undefined,
  global: undefined,
  redirectTrial: undefined,
})

export const sqliteFacts = factsOf<typeof sqliteCheck>({
  isThere: true,
  unwritable: undefined,
  database: undefined,
  fileSystem: undefined,
  freeBytes: 1e12,
})

export const redisFacts = (info: Record<string, string> = {}): FactsOf<typeof redisCheck> => ({
  url: 'redis://127.0.0.1',
  failure: undefined,
  info: { redis_version: '8.0.1', aof_enabled: '1', maxmemory_policy: 'noeviction', ...info },
})

/** An invented secret of sufficient strength. */
export const random = 'Q7vZk2LmX0aBcD4eFgH5iJkN6oPqR8sTuV1wY'
