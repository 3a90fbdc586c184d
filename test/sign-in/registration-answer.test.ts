// What a registration endpoint answered, as it is read: a client that was made is used wherever it can be.
import { describe, expect, it } from 'vitest'
import { readRefusal, readRegistered } from '../../src/sign-in/registration/answer.ts'
import type { RequestedMetadata } from '../../src/sign-in/registration/metadata.ts'

const NOW = 1_700_000_000_000
const LATER = NOW / 1000 + 1
const requested: RequestedMetadata = {
  redirect_uris: ['https://onramp.example/sign-in/callback'],
  post_logout_redirect_uris: ['https://onramp.example/signed-out'],
  token_endpoint_auth_method: 'client_secret_basic',
}
const read = (answer: object, wanted: RequestedMetadata = requested) =>
  readRegistered(JSON.stringify({ client_id: 'one', client_secret: 'hush', ...answer }), wanted, NOW)

describe('a client that was made', () => {
  it('is kept as the server says it is, without what was not asked for', () => {
    const kept = {
      scope: 'openid',
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
      userinfo_signed_response_alg: 'RS256',
      registration_client_uri: 'https://as.example/one',
      registration_access_token: 'sesame',
      redirect_uris: requested.redirect_uris,
      post_logout_redirect_uris: requested['post_logout_redirect_uris'],
    }
    expect(
      read({ ...kept, client_secret_expires_at: 0, require_pushed_authorization_requests: true }),
    ).toEqual({
      client: { ...kept, client_id: 'one', client_secret: 'hush', client_secret_expires_at: 0 },
      oddities: [],
    })
  })

  it('has nothing of a member that is no text, or empty', () => {
    const { client } = read({ client_secret: 5, scope: '' }) as { client: object }
    expect(client).toEqual({
      client_id: 'one',
      token_endpoint_auth_method: 'none',
      client_secret_expires_at: 0,
    })
  })

  it.each(['[]', 'x', '', '"one"', 'null'])('can’t be read of %s', (text) => {
    expect(readRegistered(text, requested, NOW)).toEqual({ unusable: 'the body is not a JSON object' })
  })

  it.each([undefined, '', 7])('can’t be used without a client_id (%j)', (id) => {
    const answer = JSON.stringify({ client_id: id })
    expect(readRegistered(answer, requested, NOW)).toEqual({
      unusable: 'there is no client_id that is a text',
    })
  })
})

describe('its secret', () => {
  const ODD = ['client_secret_expires_at is not in the future: the secret counts as lasting']
  it.each([
    [undefined, 0, []],
    [null, 0, []],
    [0, 0, []],
    ['0', 0, []],
    [LATER, LATER, []],
    [`${LATER}`, LATER, []],
    [NOW / 1000, 0, ODD],
    [-1, 0, ODD],
    ['soon', 0, ODD],
    [`${LATER} `, 0, ODD],
    [`x${LATER}`, 0, ODD],
    ['9'.repeat(15), Number('9'.repeat(15)), []],
    ['9'.repeat(16), 0, ODD],
    [true, 0, ODD],
  ])('that expires at %j is good until %j', (said, expires, oddities) => {
    expect(read({ client_secret_expires_at: said })).toMatchObject({
      client: { client_secret_expires_at: expires },
      oddities,
    })
  })
})

describe('how it proves itself', () => {
  const UNUSABLE = 'token_endpoint_auth_method is not one that can be used here'
  const PUBLIC = 'there is no client_secret: the client counts as a public one'
  it.each<[string | undefined, string | undefined, boolean, string, string[]]>([
    [undefined, undefined, true, 'client_secret_basic', []],
    [undefined, 'client_secret_post', true, 'client_secret_post', []],
    ['client_secret_post', 'client_secret_basic', true, 'client_secret_post', []],
    ['client_secret_post', 'client_secret_basic', false, 'none', [UNUSABLE, PUBLIC]],
    ['client_secret_basic', 'client_secret_post', true, 'client_secret_basic', []],
    ['none', 'client_secret_basic', true, 'none', []],
    ['none', 'client_secret_basic', false, 'none', []],
    ['private_key_jwt', 'client_secret_basic', true, 'client_secret_basic', [UNUSABLE]],
    ['private_key_jwt', 'private_key_jwt', false, 'private_key_jwt', []],
    ['client_secret_jwt', 'client_secret_post', true, 'client_secret_post', [UNUSABLE]],
    ['client_secret_jwt', 'none', false, 'none', [UNUSABLE]],
    ['tls', 'tls', true, 'client_secret_basic', [UNUSABLE]],
    [undefined, 'private_key_jwt', false, 'private_key_jwt', []],
    [undefined, 'client_secret_basic', false, 'none', [PUBLIC]],
  ])('%j where %j was asked for, with a secret: %s, is %s', (said, asked, hasSecret, method, oddities) => {
    const wanted = { ...requested, token_endpoint_auth_method: asked } as RequestedMetadata
    const answer = { token_endpoint_auth_method: said, ...(!hasSecret && { client_secret: undefined }) }
    expect(read(answer, wanted)).toMatchObject({ client: { token_endpoint_auth_method: method }, oddities })
  })
})

describe('its addresses', () => {
  const clientOf = (answer: object, wanted?: RequestedMetadata) =>
    (read(answer, wanted) as { client: object }).client

  it('are as they were registered, where the server says so', () => {
    const redirect_uris = ['https://elsewhere.example', 5, ...requested.redirect_uris]
    expect(read({ redirect_uris })).toMatchObject({
      client: { redirect_uris: ['https://elsewhere.example', ...requested.redirect_uris] },
      oddities: [],
    })
    expect(clientOf({})).not.toHaveProperty('redirect_uris')
    expect(clientOf({ redirect_uris: 'x' })).not.toHaveProperty('redirect_uris')
  })

  it('are told where they are not those that were asked for', () => {
    expect(read({ redirect_uris: [], post_logout_redirect_uris: ['x'] })).toMatchObject({
      client: { redirect_uris: [], post_logout_redirect_uris: ['x'] },
      oddities: [
        'redirect_uris are not those that were asked for',
        'post_logout_redirect_uris are not those that were asked for',
      ],
    })
  })

  it('are none where none were asked for', () => {
    const { post_logout_redirect_uris: _without, ...fewer } = requested
    expect(clientOf({}, fewer)).toMatchObject({ post_logout_redirect_uris: [] })
    expect(read({ post_logout_redirect_uris: ['x'] }, fewer)).toMatchObject({ oddities: [] })
  })
})

describe('a refusal', () => {
  const refused = (body: unknown, secret?: string) =>
    readRefusal(typeof body === 'string' ? body : JSON.stringify(body), secret)

  it('is told in one short line', () => {
    const said = {
      error: ' invalid_redirect_uri\n',
      error_description: `a\u0000\u2028\u2029b${'c'.repeat(300)}`,
    }
    expect(refused(said)).toEqual({
      error: 'invalid_redirect_uri',
      description: `a b${'c'.repeat(197)}`,
    })
  })

  it('is told without the token that was sent', () => {
    expect(refused({ error: 'bad sesame', error_description: 'sesame, sesame!' }, 'sesame')).toEqual({
      error: 'bad …',
      description: '…, …!',
    })
    expect(refused({ error: 'bad' }, '')).toEqual({ error: 'bad', description: undefined })
    expect(refused({ error: 'scope is undefined' }).error).toBe('scope is undefined')
  })

  it.each(['', '<html>', '[]', { error: 5, error_description: ' ' }])('may say nothing: %j', (body) => {
    expect(refused(body)).toEqual({ error: undefined, description: undefined })
  })
})
