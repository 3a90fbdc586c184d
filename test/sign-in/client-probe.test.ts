// Does the authorization server know a client? What each of its answers says about that.
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  Configuration,
  customFetch,
  refreshTokenGrant,
} from 'openid-client'
import { describe, expect, it } from 'vitest'
import {
  hasTellingEndpoint,
  madeUp,
  mayBeForgotten,
  probeClient,
  probeEndpoints,
  refusingEndpoints,
  type ProbeEndpoint,
} from '../../src/sign-in/server/client-probe.ts'
import { answering, issuer, libraryError, refusalOf } from './library-errors.ts'

const REVOCATION = { revocation_endpoint: `${issuer}/revocation` }
const INTROSPECTION = { introspection_endpoint: `${issuer}/introspection` }
const endpoints = { ...REVOCATION, ...INTROSPECTION }
const bearer = (error?: string) => ({
  'www-authenticate': `Bearer realm="x"${error === undefined ? '' : `, error="${error}"`}`,
})

type Said = [status: number, body: unknown, headers?: Record<string, string>]
const probe = (endpoint: ProbeEndpoint, [status, body, headers]: Said) =>
  probeClient(answering(status, body, headers, endpoints), endpoint)

describe('an answer', () => {
  it.each<[ProbeEndpoint, string, Said, string]>([
    ['token', 'tokens for a made-up code', [200, { access_token: 'a', token_type: 'Bearer' }], 'unclear'],
    ['revocation', 'done', [200, ''], 'accepted'],
    ['introspection', 'not active', [200, { active: false }], 'accepted'],
    ['token', 'invalid_client', [401, { error: 'invalid_client' }], 'refused'],
    ['revocation', 'invalid_client', [400, { error: 'invalid_client' }], 'refused'],
    [
      'revocation',
      'invalid_client with a challenge',
      [401, { error: 'invalid_client' }, bearer()],
      'refused',
    ],
    ['token', 'a bare challenge', [401, '', bearer()], 'refused'],
    ['revocation', 'a bare challenge', [401, '', bearer()], 'challenged'],
    ['token', '401 without one', [401, '<html>'], 'refused'],
    ['revocation', '401 without one', [401, '<html>'], 'challenged'],
    ['token', '429', [429, { error: 'slow_down' }], 'status 429'],
    ['token', '500', [500, { error: 'server_error' }], 'status 500'],
    ['introspection', '503', [503, '<html>'], 'status 503'],
    ['token', 'unauthorized_client', [400, { error: 'unauthorized_client' }], 'not-allowed'],
    ['token', 'invalid_grant', [400, { error: 'invalid_grant' }], 'accepted'],
    ['revocation', 'invalid_grant', [400, { error: 'invalid_grant' }], 'unclear'],
    ['revocation', 'invalid_token', [400, { error: 'invalid_token' }], 'accepted'],
    ['revocation', 'unsupported_token_type', [400, { error: 'unsupported_token_type' }], 'accepted'],
    ['token', 'invalid_token', [400, { error: 'invalid_token' }], 'unclear'],
    ['token', 'an error that begins so', [400, { error: 'invalid_grants' }], 'unclear'],
    ['token', 'an error that ends so', [400, { error: 'x_invalid_grant' }], 'unclear'],
    ['revocation', 'an error that begins so', [400, { error: 'invalid_token_x' }], 'unclear'],
    ['revocation', 'an error that ends so', [400, { error: 'x_invalid_token' }], 'unclear'],
    ['token', 'a page', [200, '<html>'], 'silent'],
    ['token', 'a page with 403', [403, '<html>'], 'silent'],
    ['token', 'a page with 404', [404, '<html>'], 'unclear'],
    ['token', 'a page with 400', [400, '<html>'], 'unclear'],
    ['introspection', 'a page', [200, '<html>'], 'unclear'],
    ['introspection', 'a page with 403', [403, '<html>'], 'unclear'],
    ['token', 'JSON with 418 that is none of OAuth', [418, []], 'unclear'],
    ['token', 'JSON that is no answer', [200, { ok: true }], 'unclear'],
  ])('of the %s endpoint with %s says: %s', async (endpoint, _what, said, answer) => {
    expect(await probe(endpoint, said)).toBe(answer)
  })

  it('that does not come says nothing', async () => {
    const configuration = answering(200, {}, {}, endpoints)
    for (const error of [new TypeError('x'), libraryError('OAUTH_TIMEOUT')]) {
      configuration[customFetch] = () => Promise.reject(error)
      expect(await probeClient(configuration, 'token')).toBe('silent')
    }
  })
})

describe('the question', () => {
  it.each<[ProbeEndpoint, Record<string, unknown>]>([
    [
      'token',
      { grant_type: 'authorization_code', redirect_uri: 'urn:onramp:probe', code_verifier: 'x'.repeat(43) },
    ],
    ['revocation', {}],
    ['introspection', {}],
  ])('at the %s endpoint has nothing in it that could be someone’s', async (endpoint, form) => {
    const sent: [string, Record<string, string>][] = []
    const configuration = new Configuration(
      { issuer, token_endpoint: `${issuer}/token`, ...endpoints },
      'client',
      'secret',
    )
    allowInsecureRequests(configuration)
    configuration[customFetch] = async (url, { body }) => {
      sent.push([url, Object.fromEntries(new URLSearchParams(body as string))])
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    }
    await probeClient(configuration, endpoint)
    expect(sent).toEqual([[`${issuer}/${endpoint}`, expect.objectContaining(form)]])
    const { code, token } = sent[0]?.[1] ?? {}
    expect(code ?? token).toMatch(/^onramp-probe-[\w-]{16}$/)
    await probeClient(configuration, endpoint, 'https://onramp.example/back')
    expect(sent[1]?.[1]['redirect_uri']).toBe(
      endpoint === 'token' ? 'https://onramp.example/back' : undefined,
    )
    expect(madeUp()).not.toBe(madeUp())
  })

  it.each([
    [{}, ['token']],
    [REVOCATION, ['token', 'revocation']],
    [INTROSPECTION, ['token', 'introspection']],
    [endpoints, ['token', 'revocation']],
  ])('goes to those endpoints that there are: %j', (metadata, asked) => {
    const configuration = answering(200, {}, {}, metadata)
    expect(probeEndpoints(configuration)).toEqual(asked)
    expect(hasTellingEndpoint(configuration, [])).toBe(asked.length > 1)
    expect(hasTellingEndpoint(configuration, [asked[1] ?? 'token'])).toBe(false)
  })
})

describe('the endpoints that refuse', () => {
  async function refusing([status, body, headers]: Said, mute?: string[]) {
    const found: ProbeEndpoint[] = []
    for await (const one of refusingEndpoints(answering(status, body, headers, endpoints), mute))
      found.push(one)
    return found
  }

  it('say so in so many words', async () => {
    const said: Said = [401, { error: 'invalid_client' }]
    expect(await refusing(said)).toEqual(['token', 'revocation'])
    expect(await refusing([401, said[1], bearer()])).toEqual(['token', 'revocation'])
    expect(await refusing(said, ['token'])).toEqual(['revocation'])
    for (const other of [
      [401, '', bearer()],
      [401, { error: 'other' }, bearer()],
      [400, { error: 'invalid_grant' }],
      [200, { access_token: 'a', token_type: 'Bearer' }],
      [401, '<html>'],
    ] as Said[])
      expect(await refusing(other)).toEqual([])
  })
})

describe('a refusal', () => {
  it.each([
    [400, true],
    [499, true],
  ])('with %i may be of a client that is forgotten', async (status, may) => {
    expect(mayBeForgotten(await refusalOf(refreshTokenGrant(answering(status, { error: 'x' }), 'one')))).toBe(
      may,
    )
  })

  it.each([
    ['invalid_client', true],
    ['unauthorized_client', true],
    ['access_denied', false],
    ['invalid_clients', false],
    ['x_invalid_client', false],
  ])('in the browser (%s) may be: %s', (error, may) => {
    const cause = new URLSearchParams({ error })
    expect(mayBeForgotten(new AuthorizationResponseError('x', { cause }))).toBe(may)
    expect(mayBeForgotten(new Error(error))).toBe(false)
  })

  it('with 200, or of a server that fails, is none of those', async () => {
    expect(mayBeForgotten(await refusalOf(refreshTokenGrant(answering(500, { error: 'x' }), 'one')))).toBe(
      false,
    )
    expect(mayBeForgotten(await refusalOf(refreshTokenGrant(answering(200, { error: 'x' }), 'one')))).toBe(
      false,
    )
  })
})
