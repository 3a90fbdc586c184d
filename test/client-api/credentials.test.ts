import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { credentialHeaders, isActAsAddress, type Credentials } from '../../src/client-api/credentials.ts'

const external = { kind: 'oauth', accessToken: 'abc', externalIdp: true } as const
const global = { kind: 'global-token', token: 'abc', actAs: 'ada@acme.example' } as const
const own = { authorization: 'Bearer abc' }

it.each<[string, Credentials, object]>([
  ['of the service’s own authorization server', { ...external, externalIdp: false }, own],
  ['of an external identity provider', external, { ...own, 'x-service-auth-type': 'OAUTH' }],
  ['of the service, for one person', { kind: 'user-token', token: 'abc' }, own],
  ['of the service, for everyone', global, { ...own, 'x-service-actas': 'ada@acme.example' }],
])('the headers of a call with a token %s are these', (_what, credentials, headers) => {
  expect(credentialHeaders(credentials)).toEqual(headers)
})

it('the headers of a call begin as the service’s do, where it names them after its own product', () => {
  expect(credentialHeaders(external, 'X-Acme')).toEqual({ ...own, 'x-acme-auth-type': 'OAUTH' })
  expect(credentialHeaders(global, 'X-Acme')).toHaveProperty('x-acme-actas', 'ada@acme.example')
})

it.each([
  '',
  'two@a.example, b@c.example',
  'a@b.example,c@d.example',
  'a b@c.example',
  '"a b"@c.example',
  'ü@c.example',
  'a@ü.example',
  'a@b@c.example',
  'a.example',
  '@c.example',
  'a@',
  'a@c.example\n',
  'a@c.example\r\nX-Other: 1',
  'a@c.example\u0000',
  '<a@c.example>',
  `${'a'.repeat(64)}@${'b'.repeat(190)}.example`,
])('the headers of a call never act as %j', (actAs) => {
  expect(isActAsAddress(actAs)).toBe(false)
  expect(() => credentialHeaders({ kind: 'global-token', token: 'abc', actAs })).toThrow(TypeError)
})

const bad = [' ', 'a b', 'a\r\nX-Other: 1', 'a\u0000b', 'tökén', 'a"b', 'a,b', 'a=b']
it.each(bad)('the headers of a call never carry the token %j, and the error does not quote it', (token) => {
  const headers = () => credentialHeaders({ kind: 'user-token', token: `planted${token}secret` })
  expect(headers).toThrow(TypeError)
  expect(headers).not.toThrow('planted')
})

it.each(['', '=', '=='])('the headers of a call never carry %j as a token', (token) => {
  expect(() => credentialHeaders({ kind: 'user-token', token })).toThrow(TypeError)
})

it('the headers of a call can always be sent: one line each, nothing but what was asked', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (token, actAs) => {
      let headers: Record<string, string>
      try {
        headers = credentialHeaders({ kind: 'global-token', token, actAs })
      } catch {
        return
      }
      expect(() => new Headers(headers)).not.toThrow()
      expect(headers['authorization']).toBe(`Bearer ${token}`)
      expect(headers['x-service-actas']?.split('@')).toHaveLength(2)
    }),
    { numRuns: 2_000 },
  )
})
