// The metadata of a registration request, and the parsing of its response.
import { expect, it } from 'vitest'
import type { Settings } from '../../src/settings/settings.ts'
import {
  readRegistrationError,
  readRegistrationResponse,
  requestedMetadata,
} from '../../src/sign-in/registration/metadata.ts'

const NOW = 1_700_000_000_000
const LATER = NOW / 1000 + 1
type Requested = Parameters<typeof readRegistrationResponse>[1]
const requested: Requested = {
  post_logout_redirect_uris: ['https://onramp.example/signed-out'],
  token_endpoint_auth_method: 'client_secret_basic',
}
const registeredClient = { client_id: 'one', client_secret: 'hush' }
const read = (response: object, wanted = requested) =>
  readRegistrationResponse(JSON.stringify({ ...registeredClient, ...response }), wanted, NOW)

const settings = {
  PUBLIC_URL: 'https://onramp.example',
  OIDC_SCOPE: 'openid email offline_access',
  OIDC_CLIENT_AUTH: 'client_secret_basic',
} as Settings

it('a registration contains onramp’s name and addresses', () => {
  const server = { issuer: 'x', id_token_signing_alg_values_supported: ['RS256'] }
  expect(requestedMetadata(settings, server, undefined)).toEqual({
    client_name: 'Onramp',
    client_uri: 'https://onramp.example',
    application_type: 'web',
    redirect_uris: ['https://onramp.example/sign-in/callback'],
    post_logout_redirect_uris: ['https://onramp.example/signed-out'],
    backchannel_logout_uri: 'https://onramp.example/sign-out/backchannel',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid email offline_access',
    token_endpoint_auth_method: 'client_secret_basic',
  })
})

it('a registration requests what the server supports and the operator chose', () => {
  const server = {
    issuer: 'x',
    scopes_supported: ['email'],
    grant_types_supported: ['authorization_code'],
    id_token_signing_alg_values_supported: ['HS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  }

  expect(requestedMetadata(settings, server, undefined)).toMatchObject({
    scope: 'openid email',
    grant_types: ['authorization_code'],
    id_token_signed_response_alg: 'ES256',
    token_endpoint_auth_method: 'client_secret_post',
  })

  const chosen = { ...settings, OIDC_CLIENT_AUTH: 'none', PUBLIC_URL: 'http://127.0.0.1:3000' } as const
  const requests = { token_endpoint_auth_method: 'none', application_type: 'native' }
  expect(requestedMetadata(chosen, server, undefined)).toMatchObject(requests)
})

it('a registered client is stored as the server returned it, without unrequested members', () => {
  const kept = {
    scope: 'openid',
    token_endpoint_auth_method: 'client_secret_post',
    id_token_signed_response_alg: 'ES256',
    userinfo_signed_response_alg: 'RS256',
    registration_client_uri: 'https://as.example/one',
    registration_access_token: 'sesame',
    post_logout_redirect_uris: requested.post_logout_redirect_uris,
  }
  const more = { redirect_uris: ['x'], jwks_uri: 'x', require_pushed_authorization_requests: true }
  const stored = { ...kept, ...registeredClient, registered_at: NOW, client_secret_expires_at: 0 }

  expect(read({ ...kept, ...more, client_secret_expires_at: 0 })).toEqual(stored)
  expect(read({ scope: '' })).not.toHaveProperty('scope')
  const without = { client_id: 'one', token_endpoint_auth_method: 'none', client_secret_expires_at: 0 }
  expect(read({ client_secret: 5, scope: '' })).toMatchObject(without)
})

it('a registration response without a client_id string is unusable', () => {
  for (const text of ['[]', 'x', '', '"one"', 'null', '{}', '{"client_id":""}', '{"client_id":7}'])
    expect(readRegistrationResponse(text, requested, NOW)).toMatch(' is ')
})

it.each([
  [undefined, 0],
  [0, 0],
  [LATER, LATER],
  [`${LATER}`, LATER],
  [NOW / 1000, 0],
  [-1, 0],
  ['soon', 0],
])('a secret that expires at %j is valid until %j', (returned, expires) => {
  expect(read({ client_secret_expires_at: returned })).toMatchObject({ client_secret_expires_at: expires })
})

// prettier-ignore
it.each([
  { what: 'without a method has the requested one', requestedMethod: 'client_secret_basic', hasSecret: true, method: 'client_secret_basic' },
  { what: 'has its own method', agreed: 'client_secret_post', requestedMethod: 'client_secret_basic', hasSecret: true, method: 'client_secret_post' },
  { what: 'without a secret has no method', agreed: 'client_secret_post', requestedMethod: 'client_secret_basic', hasSecret: false, method: 'none' },
  { what: 'can have no method', agreed: 'none', requestedMethod: 'client_secret_basic', hasSecret: true, method: 'none' },
  { what: 'has no key if none was requested', agreed: 'private_key_jwt', requestedMethod: 'client_secret_basic', hasSecret: true, method: 'client_secret_basic' },
  { what: 'with the requested key needs no secret', agreed: 'private_key_jwt', requestedMethod: 'private_key_jwt', hasSecret: false, method: 'private_key_jwt' },
  { what: 'has no method that onramp lacks', agreed: 'client_secret_jwt', requestedMethod: 'client_secret_post', hasSecret: true, method: 'client_secret_post' },
  { what: 'has basic if onramp lacks both', agreed: 'tls', requestedMethod: 'tls', hasSecret: true, method: 'client_secret_basic' },
])('a registered client $what', ({ agreed, requestedMethod, hasSecret, method }) => {
  const wanted = { ...requested, token_endpoint_auth_method: requestedMethod } as Requested
  const response = { token_endpoint_auth_method: agreed, ...(!hasSecret && { client_secret: undefined }) }
  expect(read(response, wanted)).toMatchObject({ token_endpoint_auth_method: method })
})

const { post_logout_redirect_uris: _without, ...fewer } = requested
it.each([
  ['the requested address', { post_logout_redirect_uris: ['x'] }, requested, ['x']],
  ['no address among other metadata', { redirect_uris: ['x'] }, requested, []],
  ['no address, because none was requested', {}, fewer, []],
  ['no metadata', {}, requested, undefined],
])(
  'a registration that returns %s may allow a redirect after the sign-out',
  (_title, response, wanted, addresses) => {
    expect(Reflect.get(Object(read(response, wanted)), 'post_logout_redirect_uris')).toEqual(addresses)
  },
)

const refused = (body: unknown, secret?: string) =>
  readRegistrationError(typeof body === 'string' ? body : JSON.stringify(body), secret)

it('a refused registration is described in one short line, without the initial access token', () => {
  const long = `a\u0000\u2028b${'c'.repeat(300)}`
  expect(refused({ error: ' invalid_redirect_uri\n', error_description: long })).toEqual({
    error: 'invalid_redirect_uri',
    description: `a b${'c'.repeat(197)}`,
  })
  const sesame = { error: 'bad sesame', error_description: 'sesame, sesame!' }
  expect(refused(sesame, 'sesame')).toEqual({ error: 'bad …', description: '…, …!' })
  expect(refused({ error: 'bad' }, '')).toEqual({ error: 'bad', description: undefined })
})

it('a refused registration without a reason is described by its status', () => {
  for (const body of ['', '<html>', '[]', { error: 5, error_description: ' ' }])
    expect(refused(body)).toEqual({ error: undefined, description: undefined })
})
