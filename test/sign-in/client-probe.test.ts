// Does the authorization server know a client? What each of its answers says about that.
import { allowInsecureRequests, Configuration, customFetch } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { probeClient, probeEndpoints, type ProbeEndpoint } from '../../src/sign-in/server/client-probe.ts'
import { answering, issuer, libraryError } from './library-errors.ts'

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
  })

  it.each([
    [{}, ['token']],
    [REVOCATION, ['token', 'revocation']],
    [INTROSPECTION, ['token', 'introspection']],
    [endpoints, ['token', 'revocation']],
  ])('goes to those endpoints that there are: %j', (metadata, asked) => {
    const configuration = answering(200, {}, {}, metadata)
    expect(probeEndpoints(configuration)).toEqual(asked)
  })
})
