// Headers that authenticate calls of the service, and tokens that would break them.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { credentialHeaders, isActAsAddress, type Credentials } from '../../src/client-api/credentials.ts'
import { character } from '../hostile/inputs.ts'

const externalToken = { kind: 'oauth', accessToken: 'abc', isExternalIdp: true } as const
const globalToken = { kind: 'global-token', token: 'abc', actAs: 'ada@acme.example' } as const
const signedInHeaders = { authorization: 'Bearer abc' }

// prettier-ignore
it.each<[string, Credentials, object]>([
  ['of the service’s own authorization server', { ...externalToken, isExternalIdp: false }, signedInHeaders],
  ['of an external identity provider', externalToken, { ...signedInHeaders, 'x-service-auth-type': 'OAUTH' }],
  ['of the service, for one person', { kind: 'user-token', token: 'abc' }, signedInHeaders],
  ['of the service, for everyone', globalToken, { ...signedInHeaders, 'x-service-actas': 'ada@acme.example' }],
])('a token %s is sent in the documented headers', (_title, credentials, headers) => {
  expect(credentialHeaders(credentials)).toEqual(headers)
})

it('the headers of a call begin with SERVICE_HEADER_PREFIX', () => {
  expect(credentialHeaders(externalToken, 'X-Acme')).toEqual({
    ...signedInHeaders,
    'x-acme-auth-type': 'OAUTH',
  })
  expect(credentialHeaders(globalToken, 'X-Acme')).toHaveProperty('x-acme-actas', 'ada@acme.example')
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
])('no call has the X-Service-ActAs %j', (actAs) => {
  expect(isActAsAddress(actAs)).toBe(false)
  expect(() => credentialHeaders({ kind: 'global-token', token: 'abc', actAs })).toThrow(TypeError)
})

const badTokens = [' ', 'a b', 'a\r\nX-Other: 1', 'a\u0000b', 'tökén', 'a"b', 'a,b', 'a=b']
const plantedTokens = badTokens.map((token) => `planted${token}secret`)
it.each([...plantedTokens, '', '=', '=='])(
  'no call carries the token %j, and no error quotes it',
  (token) => {
    const headers = () => credentialHeaders({ kind: 'user-token', token })
    expect(headers).toThrow(TypeError)
    expect(headers).not.toThrow('planted')
  },
)

it('any token and address give headers that can be sent, or a TypeError', () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), fc.string({ unit: character }), (token, actAs) => {
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
