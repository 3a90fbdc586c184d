// Why a call to the service failed: by what it answers, and by what the network says.
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../../src/client-api/refusal.ts'
import { silenceOf } from '../../src/client-api/silence.ts'

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
