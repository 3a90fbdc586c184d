// The doctor's judgements that need no server.
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../../src/client-api/refusal.ts'
import { silenceOf } from '../../src/client-api/silence.ts'
import type { Deadline, Subject } from '../../src/doctor/check.ts'
import { skewFinding } from '../../src/doctor/clock.ts'
import { deprecationDates } from '../../src/doctor/service/service.ts'
import { maskFor } from '../../src/doctor/mask.ts'
import { isProvider } from '../../src/doctor/service/token-issuer.ts'
import { nearest } from '../../packages/deprecations/src/command-line/arguments.ts'

const subject = (given: Partial<Subject>): Subject => ({
  env: {},
  settings: {},
  faults: [],
  actAs: undefined,
  now: () => Date.parse('2026-07-20'),
  node: 'v24.0.0',
  nearest,
  authorizationServer: async () => ({ kind: 'unknown' }),
  service: () => undefined,
  deadlines: [],
  ...given,
})

describe('announced ends', () => {
  const deadline = (removal: string): Deadline => ({ what: 'POST /x', replacement: 'use POST /y', removal })
  const judged = (removal: string) => deprecationDates(subject({ deadlines: [deadline(removal)] }))[0]?.status

  it('are warned of ninety days before, and are failures afterwards', () => {
    expect(judged('2026-12-24')).toBe('ok')
    expect(judged('2026-10-15')).toBe('warn')
    expect(judged('2026-07-20')).toBe('fail')
    expect(deprecationDates(subject({}))).toEqual([])
  })
})

describe('clocks', () => {
  it.each([
    [10, 'ok'],
    [-10, 'ok'],
    [30, 'warn'],
    [-30, 'warn'],
    [31, 'fail'],
    [-600, 'fail'],
  ])('that differ by %i seconds are %s', (seconds, status) => {
    const theirs = Date.parse('2026-07-20')
    expect(skewFinding('it', { theirs, ours: theirs + seconds * 1000 }).status).toBe(status)
  })

  it('that are not told are no fault', () => {
    expect(skewFinding('it', { theirs: undefined, ours: 0 }).status).toBe('skip')
  })
})

describe('issuers', () => {
  it('are known for identity providers by their address', () => {
    expect(isProvider('https://acme.okta.com/oauth2/default')).toBe(true)
    expect(isProvider('https://login.microsoftonline.com/tenant/v2.0')).toBe(true)
    expect(isProvider('https://sso.acme.test/realms/acme')).toBe(true)
    expect(isProvider('https://okta.com.acme.test')).toBe(false)
    expect(isProvider('https://service.acme.test/oauth')).toBe(false)
  })
})

describe('refusals of the service', () => {
  it.each([
    [401, 'Invalid Secret', 'auth-type'],
    [400, '{"error":{"message":"Required header missing: X-Service-Auth-Type"}}', 'auth-type-missing'],
    [401, '<p>Required header missing: X-Service-ActAs</p>', 'act-as-missing'],
    [400, 'X-Service-ActAs names nobody', 'act-as-refused'],
    [401, 'Unauthorized', 'token'],
    [403, '', 'scope'],
    [429, '', 'busy'],
    [302, '', 'redirected'],
    [404, '', 'not-there'],
    [418, '', 'request'],
    [502, '', 'failing'],
    [200, 'Invalid Secret', 'unreadable'],
  ])('%i %j is %s', (status, text, reason) =>
    expect(refusalOf({ status, text, headers: {} }, {}, 0).reason).toBe(reason),
  )
})

describe('failed calls', () => {
  const failed = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) })

  it.each([
    ['ENOTFOUND', 'unknown-name'],
    ['ECONNREFUSED', 'refused'],
    ['UND_ERR_CONNECT_TIMEOUT', 'too-slow'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
    ['EPROTO', 'no-tls'],
    ['ECONNRESET', 'cut-off'],
  ])('%s is told apart', (code, why) => expect(silenceOf(failed(code))).toBe(why))

  it('of several addresses count by the first', () => {
    expect(silenceOf(new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]))).toBe(
      'refused',
    )
  })
})

describe('the mask', () => {
  it('takes secrets out in every form, and leaves paths of files', () => {
    const env = {
      REDIS_URL: 'redis://user:p%40ssw0rd-long@h',
      SESSION_SECRET: 'first-secret-of-all,second-secret-of-all',
      OIDC_CLIENT_SECRET_FILE: '/run/secrets/client',
      OIDC_CLIENT_KEY_FILE: 'a secret in the wrong place',
    }
    const mask = maskFor(subject({ env, settings: { OIDC_CLIENT_SECRET: 'from/the=file' } }))
    expect(
      mask('p@ssw0rd-long p%40ssw0rd-long second-secret-of-all a secret in the wrong place'),
    ).not.toMatch(/ssw0rd|second|wrong/)
    expect(mask('from/the=file from%2Fthe%3Dfile')).toBe('[secret] [secret]')
    const odd = maskFor(subject({ env: { OIDC_CLIENT_SECRET: 'a\\b(c[d' } }))
    expect(odd('x a\\b(c[d x')).toBe('x [secret] x')
    expect(mask('/run/secrets/client')).toBe('/run/secrets/client')
  })

  it('takes them out of a variable in lower case too, whatever is wrong with it', () => {
    const mask = maskFor(subject({ env: { https_proxy: 'socks://user:of-the-proxy@proxy' } }))
    expect(mask('socks://user:of-the-proxy@proxy or of-the-proxy')).toBe('[secret] or [secret]')
  })
})
