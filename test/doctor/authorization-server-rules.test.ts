// What the doctor says of facts about the authorization server: every rule applies to its own, and is silent about those of
// a server that is right.
import { describe, expect, it } from 'vitest'
import { answerIn, client } from '../../src/doctor/client.ts'
import { redirect } from '../../src/doctor/redirect.ts'
import { registration } from '../../src/doctor/registration.ts'
import { discovery } from '../../src/doctor/discovery.ts'
import { server } from '../../src/doctor/server.ts'
import type { Settings } from '../../src/settings/settings.ts'
import {
  answer,
  clientFacts,
  found,
  messages,
  metadata,
  containing,
  random,
  redirectFacts,
  serverFacts,
  troubles,
  type FactsOf,
} from './facts.ts'

describe('the metadata of the authorization server', () => {
  const issuer = 'https://login.acme.test/tenant'
  const discovered = (result: object, ours = 0) =>
    found(discovery, { issuer, discovery: result as FactsOf<typeof discovery>['discovery'], ours })
  const missing = (...attempts: object[]) => ({
    kind: 'missing',
    attempts: attempts.map((one) => ({ url: issuer, explanation: 'it answered so', ...one })),
  })
  const other = (theirs: string) => ({ kind: 'other-issuer', issuer: theirs, expected: issuer })
  it.each([
    [missing({ networkError: 'refused' }), 'cannot be reached: connection refused.'],
    [missing({ status: 503 }), 'returned an error (it answered so)'],
    [missing({ status: 404 }, { status: 429 }), 'is limiting requests'],
    [missing({ status: 403 }), 'is blocking this machine'],
    [missing({ status: 404 }), 'No authorization server metadata at'],
    [other('https://login.microsoftonline.com/{tenantid}/v2.0'), 'stands for every tenant'],
    [other(`${issuer}/`), 'tenant/, which differs in the trailing slash'],
    [other('no address'), 'identifies itself as another one.'],
    [{ kind: 'found', specification: 'oauth2' }, 'is reachable'],
  ])('that is %o', (result, expected) => {
    expect(messages(discovered(result))).toEqual(containing(expected))
  })

  it('behind a proxy that lets no call through is told with the proxy’s settings', () => {
    expect(discovered(missing({ networkError: 'the proxy p refuses' }))).toMatchObject([
      {
        settings: ['HTTPS_PROXY', 'NO_PROXY', 'OIDC_ISSUER'],
        message: expect.stringContaining('the proxy p refuses'),
      },
    ])
  })

  it.each([
    [10, "This machine's clock matches the"],
    [30, 'clock is 30 seconds ahead of'],
    [-31, 'clock is 31 seconds behind'],
  ])('comes with a clock that differs by %i seconds: %s', (seconds, expected) => {
    const date = new Date(1_800_000_000_000).toUTCString()
    const findings = discovered(
      { kind: 'found', specification: 'oidc', date },
      1_800_000_000_000 + seconds * 1000,
    )
    expect(messages(findings)).toEqual(containing('(OpenID Connect).', expected))
  })

  it.each<[string, object, Partial<Settings>]>([
    ['token_endpoint', { token_endpoint: undefined }, {}],
    ['jwks_uri', { jwks_uri: undefined }, {}],
    ['token_endpoint', { token_endpoint: 'http://login.acme.test/token' }, {}],
    ["The server's metadata names addresses that", { userinfo_endpoint: 'http://login.acme.test/me' }, {}],
    ["doesn't advertise PKCE (S256)", { code_challenge_methods_supported: ['plain'] }, {}],
    ['scope in OIDC_SCOPE: offline_access missing', { scopes_supported: ['openid'] }, {}],
    ["The server doesn't advertise refresh tokens", { grant_types_supported: ['authorization_code'] }, {}],
    ['OIDC_SCOPE lacks offline_access: if the', {}, { OIDC_SCOPE: 'openid' }],
    ["which onramp doesn't accept: with HS256", { id_token_signing_alg_values_supported: ['HS256'] }, {}],
    [
      'The server has no userinfo or introspection',
      { userinfo_endpoint: undefined },
      { OIDC_SCOPE: 'search' },
    ],
  ])('has one finding where it leads to %s', (expected, changed, settings) => {
    expect(messages(troubles(found(server, serverFacts(changed), { settings })))).toEqual(
      containing(expected),
    )
  })

  it.each<[FactsOf<typeof server>['keys'], string]>([
    [{ reply: answer(200), count: 0 }, 'The jwks_uri in the metadata has no signing'],
    [{ reply: answer(500), count: 0 }, "Couldn't fetch the signing keys (500)"],
    [{ reply: answer(429), count: 0 }, 'The server is limiting requests for its'],
    [{ reply: { kind: 'silent', why: 'cut-off' }, count: 0 }, 'keys: connection closed.'],
    [{ reply: answer(200), count: 1 }, 'The signing keys can be fetched'],
  ])('with keys: %o', (keys, expected) => {
    expect(messages(found(server, { ...serverFacts(), keys }))).toEqual(containing(expected))
  })
})

describe('the redirect address', () => {
  type Look = FactsOf<typeof redirect>['ours']
  const refused = (text: string) => ({ kind: 'refused', status: 400, text }) as const
  const back = (error?: string) => ({ kind: 'back', error }) as const
  const no = refused('invalid redirect_uri')
  it.each<[Look, Look, string[]]>([
    [{ kind: 'silent' }, { kind: 'silent' }, ["The authorization endpoint isn't responding"]],
    [{ kind: 'silent', status: 503 }, { kind: 'silent' }, ['The authorization endpoint returned an error']],
    [{ kind: 'barred', status: 429 }, { kind: 'silent' }, ['The authorization endpoint is limiting']],
    [{ kind: 'barred', status: 403 }, no, ['The authorization endpoint rejected a test']],
    [refused('invalid_client'), no, ["The authorization server doesn't know the"]],
    [refused('redirect_uri did not match'), no, ['rejected the redirect URI (400)']],
    [refused('no'), no, ['The authorization server rejected a test']],
    [back('invalid_scope'), no, ['come back with invalid_scope']],
    [back('invalid_target'), no, ['come back with invalid_target']],
    [back('unauthorized_client'), no, ['come back with unauthorized_client']],
    [back('<odd>'), no, ['come back with an error.']],
    // People sign in, or come back as no one is signed in; another address is refused.
    [{ kind: 'elsewhere' }, no, ['The redirect URI is registered']],
    [back('login_required'), no, ['The redirect URI is registered']],
    [back(), no, ['The redirect URI is registered']],
    [{ kind: 'page' }, no, ['The redirect URI is registered']],
    [{ kind: 'elsewhere' }, { kind: 'page' }, ['The redirect URI is registered']],
    [back('login_required'), { kind: 'barred', status: 403 }, ['The redirect URI is registered']],
    // Where another is answered alike, nothing is said.
    [{ kind: 'page' }, { kind: 'page' }, []],
    [{ kind: 'elsewhere' }, { kind: 'elsewhere' }, []],
    [back('login_required'), back('login_required'), []],
    [back('login_required'), { kind: 'barred', status: 429 }, []],
  ])('that is answered %o, and another one %o', (ours, invented, expected) => {
    expect(messages(found(redirect, redirectFacts(ours, invented)))).toEqual(containing(...expected))
  })

  it('is not blamed for a client that is refused', () => {
    const facts = { ...redirectFacts({ kind: 'barred', status: 403 }), isClientRejected: true }
    expect(found(redirect, facts)).toEqual([])
  })
})

describe('the client', () => {
  const error = (code: string) => JSON.stringify({ error: code })
  it.each<[number, string, string]>([
    [400, error('invalid_grant'), 'accepted'],
    [401, '<html>', 'refused'],
    [400, error('invalid_client'), 'refused'],
    [400, error('unauthorized_client'), 'not-allowed'],
    [400, error('invalid_grants'), 'unclear'],
    [200, '{"access_token":"a"}', 'unclear'],
    [404, '<html>', 'unclear'],
    [403, '<html>', 'silent'],
    [302, '', 'silent'],
    [429, error('slow_down'), 'status 429'],
  ])('at a token endpoint that answers %i %s is %s', (status, text, expected) => {
    expect(answerIn(answer(status, text))).toBe(expected)
  })

  const key = { how: { method: 'private_key_jwt' } }
  const none = { how: { method: 'none' } }
  const odd = { how: { method: 'client_secret_basic', secret: 'a/b+c' } }
  const refusedWrong = { wrong: 'refused' }
  it.each<[FactsOf<typeof client>, string[]]>([
    [clientFacts('refused'), ['The authorization server rejected the client']],
    [clientFacts('refused', {}, odd), ['The authorization server rejected the client']],
    [clientFacts('refused', {}, key), ['The authorization server rejected the client']],
    [clientFacts('refused', {}, none), ['The authorization server rejected the client']],
    [clientFacts('refused', { otherMethod: 'accepted' }), ['The client credentials work, but only with']],
    [clientFacts('silent'), ['The token endpoint returned an invalid']],
    [clientFacts('status 503'), ["Couldn't verify the client: the token"]],
    [clientFacts('not-allowed'), ['rejected the client (unauthorized_client)']],
    // It is right only where a wrong one is refused.
    [clientFacts('accepted', refusedWrong), ['Client authentication accepted']],
    [clientFacts('accepted', { wrong: 'not-allowed' }, none), ['Client ID accepted']],
    [clientFacts('accepted', { wrong: 'accepted' }), []],
    [clientFacts('unclear', { wrong: 'not-allowed' }), ['Client authentication accepted']],
    [clientFacts('unclear', { wrong: 'unclear' }), []],
  ])('that is %#', (facts, expected) => {
    expect(messages(found(client, facts))).toEqual(containing(...expected))
  })

  it('that onramp registered is kept, or has to be forgotten', () => {
    const none = { settings: { OIDC_CLIENT_ID: undefined } }
    expect(messages(found(client, clientFacts('accepted', refusedWrong), none))).toEqual(
      containing('Client authentication accepted', 'onramp has registered a client there'),
    )
    expect(messages(found(client, clientFacts('refused'), none))).toEqual(
      containing('The authorization server rejected the client'),
    )
  })

  it('proves itself in a way that the server lists, unless another one is taken', () => {
    const listing = metadata({ token_endpoint_auth_methods_supported: ['tls_client_auth', 'none'] })
    const judged = (facts: FactsOf<typeof client>) => found(client, { ...facts, metadata: listing })
    expect(messages(judged(clientFacts('refused')))).toEqual(containing("The server doesn't support"))
    expect(messages(judged(clientFacts('accepted', refusedWrong)))).toEqual(
      containing('Client authentication accepted'),
    )
  })
})

describe('registration', () => {
  type Reply = FactsOf<typeof registration>['reply']
  const token = { OIDC_INITIAL_ACCESS_TOKEN: random }
  const requested = { redirect_uris: [], token_endpoint_auth_method: 'client_secret_post' } as const
  it.each<[Reply, Partial<Settings>, string]>([
    [undefined, {}, 'OIDC_CLIENT_ID is not set, and the'],
    [{ kind: 'silent', why: 'refused' }, {}, "The registration endpoint isn't responding"],
    [answer(403), {}, 'The registration endpoint requires a token'],
    [answer(401), token, 'The registration endpoint rejected the token'],
    [answer(400, '{"error":"access_denied"}'), {}, 'The registration endpoint requires a token'],
    [answer(404), {}, 'Registration is closed'],
    [answer(503), {}, 'The registration endpoint returned an error'],
    [answer(400, '{"error":"invalid_redirect_uri"}'), {}, 'The first start will ask to register a client'],
    [answer(201, '{"client_id":"x"}'), {}, 'The first start will ask to register a client'],
  ])('that is answered %o', (reply, settings, expected) => {
    const facts = { requested: { ...requested, redirect_uris: [] }, reply }
    expect(messages(found(registration, facts, { settings }))).toEqual(containing(expected))
  })
})
