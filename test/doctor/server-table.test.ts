// What the doctor says of facts about the authorization server: every rule applies to its own, and is silent about those of
// a server that is right.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answerIn, type Endpoint } from '../../src/doctor/client.ts'
import { clientTable } from '../../src/doctor/client-table.ts'
import { providerOf, providerTable, type ProviderName } from '../../src/doctor/providers.ts'
import type { Metadata, ServerFacts } from '../../src/doctor/server.ts'
import { clockTable, discoveryTable, serverTable } from '../../src/doctor/server-table.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { answer, asked, found, NOW, random, server, troubles, unusedWords, named } from './facts.ts'

describe('clocks', () => {
  const times = (seconds: number) => ({ theirs: NOW, ours: NOW + seconds * 1000 })
  it.each([
    [10, 'ok'],
    [30, 'warn'],
    [-31, 'fail'],
    [-600, 'fail'],
  ])('that differ by %i seconds from the authorization server: %s', (seconds, status) => {
    const [line] = found(clockTable, { server: times(seconds), service: undefined })
    expect(line?.split(' ')[0]).toBe(status)
  })

  it('that both servers disagree with are one finding; that only the service does is told too', () => {
    expect(troubles(clockTable, { server: times(60), service: times(60) })).toHaveLength(1)
    expect(troubles(clockTable, { server: times(0), service: times(60) })).toEqual([
      expect.stringContaining('60 seconds ahead of the service'),
    ])
    expect(troubles(clockTable, { server: undefined, service: times(20) })).toHaveLength(1)
  })
})

describe('the metadata of the authorization server', () => {
  const issuer = 'https://login.acme.test/tenant'
  const missing = (...attempts: object[]) =>
    ({
      kind: 'missing',
      attempts: attempts.map((one) => ({ url: issuer, says: 'it answered so', ...one })),
    }) as never
  const other = (theirs: string) =>
    ({ kind: 'other-issuer', issuer: theirs, expected: issuer, says: '', attempts: [] }) as never
  it.each([
    [missing({ silence: 'refused' }), 'silent'],
    [missing({ silence: 'the proxy p refuses' }), 'silent'],
    [missing({ status: 503 }), 'failing'],
    [missing({ status: 404 }, { status: 429 }), 'limited'],
    [missing({ status: 403 }), 'barred'],
    [missing({ status: 404 }), 'missing'],
    [other('https://login.microsoftonline.com/{tenantid}/v2.0'), 'every-tenant'],
    [other(`${issuer}/`), 'mismatch'],
    [other('no address'), 'mismatch'],
  ])('that cannot be had: %o', (discovery, expected) => {
    expect(named(found(discoveryTable, { issuer, discovery }))).toEqual([expected])
  })

  it('that can be had is said with its kind', () => {
    const discovery = { kind: 'found', how: 'oauth2' } as never
    expect(found(discoveryTable, { issuer, discovery })).toEqual([
      `ok : ${issuer} is reachable (OAuth 2.1 (RFC 8414)).`,
    ])
  })

  const admins = { ADMIN_EMAILS: ['carol@acme.test'] }
  const groups = { ADMIN_GROUPS: ['Search'] }
  it.each<[string, Partial<Metadata>, Partial<Settings>]>([
    ['endpoints', { token_endpoint: undefined as never }, {}],
    ['code', { response_types_supported: ['id_token'] }, {}],
    ['unlisted', { code_challenge_methods_supported: ['plain'] }, {}],
    [
      'unlisted',
      { scopes_supported: ['openid', 'offline_access'] },
      { OIDC_SCOPE: 'openid groups offline_access' },
    ],
    ['offline', { scopes_supported: ['openid'] }, {}],
    ['denied', { grant_types_supported: ['authorization_code'] }, {}],
    ['lacking', {}, { OIDC_SCOPE: 'openid' }],
    ['secret', { id_token_signing_alg_values_supported: ['HS256'] }, {}],
    ['none', { userinfo_endpoint: undefined as never }, { OIDC_SCOPE: 'search' }],
    ['unlisted', { claims_supported: ['sub'] }, { OIDC_EMAIL_CLAIM: 'mail' }],
    ['unlisted', { claims_supported: ['email'] }, admins],
    ['other', {}, { ...admins, OIDC_EMAIL_CLAIM: 'upn' }],
    ['scope', { scopes_supported: ['openid', 'offline_access', 'groups'] }, groups],
    ['unlisted', {}, groups],
    ['unsafe', { userinfo_endpoint: 'http://login.acme.test/me' }, {}],
    ['none', { jwks_uri: undefined as never }, {}],
  ])('has one finding where it leads to %s', (expected, metadata, settings) => {
    const facts = server({ metadata: metadata as Metadata })
    expect(named(troubles(serverTable, facts, { settings }))).toEqual([expected])
  })

  it.each<[ServerFacts['keys'], string]>([
    [{ reply: answer(429), count: 0 }, 'limited'],
    [{ reply: answer(200), count: 0 }, 'empty'],
    [{ reply: answer(500), count: 0 }, 'refused'],
    [{ reply: { kind: 'silent', why: 'cut-off' }, count: 0 }, 'silent'],
  ])('with keys that cannot be had: %o', (keys, expected) => {
    expect(named(troubles(serverTable, server({ keys })))).toEqual([expected])
  })

  it('that is in order says what it offers', () => {
    expect(troubles(serverTable, server())).toEqual([])
    expect(found(serverTable, server(), { settings: { OIDC_PROMPT: undefined } }).join('\n')).toMatch(
      /set OIDC_PROMPT=consent.*userinfo yes, revocation no.*signing keys can be fetched \(1\)/s,
    )
    // RFC 8414 2: what counts where there is no list says nothing.
    const unkept = { grant_types_supported: ['authorization_code', 'implicit'] } as unknown as Metadata
    expect(troubles(serverTable, server({ metadata: unkept }))).toEqual([])
  })
})

describe('the redirect address', () => {
  type Looks = NonNullable<ServerFacts['authorization']>
  const seen = (ours: Looks['ours'], invented: Looks['ours'] = ours) =>
    server({ authorization: { redirect: 'https://onramp.acme.test/cb', ours, invented } })
  const refused = (text: string) => ({ kind: 'refused', status: 400, text }) as const
  const back = (error?: string) => ({ kind: 'back', error }) as const
  const own = (facts: ServerFacts) =>
    found(clientTable, facts).filter((line) => !line.includes('Client authentication'))
  it.each<[Looks['ours'], string]>([
    [{ kind: 'silent' }, 'silent'],
    [{ kind: 'silent', status: 503 }, 'failing'],
    [{ kind: 'barred', status: 429 }, 'limited'],
    [{ kind: 'barred', status: 403 }, 'barred'],
    [refused('invalid_client'), 'client'],
    [refused('redirect_uri did not match'), 'redirect'],
    [refused('no'), 'refused'],
    [back('invalid_scope'), 'scope'],
    [back('invalid_target'), 'target'],
    [back('unauthorized_client'), 'unauthorized'],
    [back('<odd>'), 'error'],
  ])('that is answered %o', (ours, expected) => {
    expect(named(own(seen(ours)))).toEqual([expected])
  })

  const no = refused('invalid redirect_uri')
  const registered = ['ok : The redirect URI is registered: https://onramp.acme.test/cb']
  it.each<[string, Looks['ours'], Looks['ours'], string[]]>([
    ['has people sign in', { kind: 'onward' }, no, registered],
    ['comes back with an error, as no one is signed in', back('login_required'), no, registered],
    ['comes back with a code', back(), no, registered],
    ['shows its sign-in page at once', { kind: 'page' }, no, registered],
    ['has people sign in, and shows others a page', { kind: 'onward' }, { kind: 'page' }, registered],
    ['comes back, and bars others', back('login_required'), { kind: 'barred', status: 403 }, registered],
    ['shows its sign-in page to any', { kind: 'page' }, { kind: 'page' }, []],
    ['has people sign in first', { kind: 'onward' }, { kind: 'onward' }, []],
    ['comes back to any address', back('login_required'), back('login_required'), []],
    ['limits requests', back('login_required'), { kind: 'barred', status: 429 }, []],
  ])(
    'at a server that %s is said to be registered only where another is refused',
    (_what, ours, invented, lines) => {
      expect(own(seen(ours, invented))).toEqual(lines)
    },
  )

  it('is not blamed for a client that is refused', () => {
    const facts = { ...asked('refused'), authorization: seen({ kind: 'barred', status: 403 }).authorization }
    expect(own(facts)).toEqual([expect.stringContaining('rejected the client')])
  })
})

describe('the client', () => {
  const error = (code: string) => JSON.stringify({ error: code })
  it.each<[Endpoint, number, string, string]>([
    ['token', 400, error('invalid_grant'), 'accepted'],
    ['token', 401, '<html>', 'refused'],
    ['token', 400, error('invalid_client'), 'refused'],
    ['token', 400, error('unauthorized_client'), 'not-allowed'],
    ['token', 400, error('invalid_grants'), 'unclear'],
    ['token', 200, '{"access_token":"a"}', 'unclear'],
    ['token', 404, '<html>', 'unclear'],
    ['token', 403, '<html>', 'silent'],
    ['token', 429, error('slow_down'), 'status 429'],
    ['revocation', 200, '', 'accepted'],
    ['revocation', 400, error('unsupported_token_type'), 'accepted'],
    ['revocation', 400, error('invalid_grant'), 'unclear'],
    ['revocation', 401, '<html>', 'challenged'],
    ['introspection', 200, '{"active":false}', 'accepted'],
    ['introspection', 200, '<html>', 'unclear'],
  ])('at the %s endpoint that answers %i %s is %s', (endpoint, status, text, expected) => {
    expect(answerIn(answer(status, text), endpoint)).toBe(expected)
  })

  const key = { how: { method: 'private_key_jwt' } }
  const odd = { how: { method: 'client_secret_basic', secret: 'a/b+c' } }
  it.each<[ServerFacts, string]>([
    [asked('refused'), 'rejected'],
    [asked('refused', {}, odd), 'encoded'],
    [asked('refused', {}, key), 'rejected'],
    [asked('refused', {}, { how: { method: 'none' } }), 'rejected'],
    [asked('refused', {}, { isRegistered: true }), 'registered'],
    [asked('refused', { otherMethod: 'accepted' }), 'other-method'],
    [asked('silent'), 'silent'],
    [asked('status 503'), 'failing'],
    [asked('not-allowed', { inventedId: 'not-allowed' }), 'unauthorized'],
    [asked('not-allowed', { inventedId: 'refused' }), 'not-allowed'],
  ])('that is %#', (facts, expected) => {
    expect(named(troubles(clientTable, facts))).toEqual([expected])
  })

  it('is called right only where a wrong one is refused', () => {
    const said = (facts: ServerFacts) => found(clientTable, facts).filter((line) => line.includes('Client'))
    expect(said(asked('accepted', { inventedId: 'refused', wrongSecret: 'refused' }))).toHaveLength(1)
    expect(said(asked('accepted', { inventedId: 'challenged' }, { how: { method: 'none' } }))).toHaveLength(1)
    expect(said(asked('accepted', { inventedId: 'refused', wrongSecret: 'accepted' }))).toEqual([])
    expect(said(asked('accepted', { inventedId: 'accepted', wrongSecret: 'accepted' }))).toEqual([])
    expect(said(asked('unclear'))).toEqual([])
  })

  it('proves itself in a way that the server lists, unless another one is taken', () => {
    const metadata = {
      token_endpoint_auth_methods_supported: ['tls_client_auth', 'none'],
    } as unknown as Metadata
    const facts = { ...asked('refused'), metadata: server({ metadata }).metadata }
    expect(troubles(clientTable, facts)).toEqual([
      expect.stringMatching(/^fail OIDC_CLIENT_AUTH: .*client_secret_basic/),
    ])
    const works = server({ metadata })
    expect(troubles(clientTable, works)).toEqual([])
  })
})

describe('registration', () => {
  it('that was made before is said to be there', () => {
    const wrong = { inventedId: 'refused', wrongSecret: 'refused' }
    const kept = asked('accepted', wrong, { isRegistered: true })
    expect(found(clientTable, kept)).toContain('ok : onramp has registered a client there.')
  })

  const requested = { redirect_uris: [], token_endpoint_auth_method: 'client_secret_post' } as never
  const registering = (
    reply: object | undefined,
    endpoint: string | undefined = 'https://login.acme.test/register',
  ) =>
    server({
      client: undefined,
      authorization: undefined,
      metadata: { registration_endpoint: endpoint } as Metadata,
      registration: { requested, reply: reply as never },
    })
  const none = server({
    client: undefined,
    authorization: undefined,
    registration: { requested, reply: undefined },
  })
  const token = { OIDC_INITIAL_ACCESS_TOKEN: random }
  it.each<[ServerFacts, Partial<Settings>, string]>([
    [none, {}, 'none'],
    [registering({ kind: 'silent', why: 'refused' }), {}, 'silent'],
    [registering(answer(403)), {}, 'no-token'],
    [registering(answer(401)), token, 'token'],
    [registering(answer(400, '{"error":"access_denied"}')), {}, 'no-token'],
    [registering(answer(404)), {}, 'closed'],
    [registering(answer(503)), {}, 'failing'],
    [registering(answer(400, '{"error":"invalid_redirect_uri"}')), {}, 'will-ask'],
    [registering(answer(201, '{"client_id":"x"}')), {}, 'will-ask'],
  ])('that is %#', (facts, settings, expected) => {
    expect(named(found(clientTable, facts, { settings }))).toEqual([expected])
  })
})

describe('identity providers, by public copies of their metadata', () => {
  const file = new URL('../fixtures/identity-providers.json', import.meta.url)
  const documents = JSON.parse(readFileSync(file, 'utf8')) as Record<ProviderName, Metadata>
  const standard = {
    OIDC_SCOPE: 'openid email profile offline_access',
    TOKEN_ISSUED_BY: 'external-idp',
  } as const
  const trapped = (name: ProviderName, settings: Partial<Settings>, changed: Partial<Metadata> = {}) =>
    troubles(
      providerTable,
      { metadata: { ...documents[name], ...changed } },
      { settings: { ...standard, OIDC_PROMPT: undefined, ...settings } },
    )

  /** Settings that docs/identity-providers.md leads to. */
  const right: Record<ProviderName, [Partial<Settings>, Partial<Metadata>?]> = {
    Keycloak: [{}],
    Okta: [{}, { issuer: 'https://acme.okta.com/oauth2/default' }],
    'Microsoft Entra ID': [
      { OIDC_SCOPE: 'openid api://0b7a1f6e/search', OIDC_EMAIL_CLAIM: 'upn', OIDC_EMAIL_TRUST: 'always' },
    ],
    Auth0: [
      { OIDC_AUDIENCE: 'https://search.acme.example' },
      { end_session_endpoint: 'https://acme.us.auth0.com/out' },
    ],
    Google: [
      { OIDC_SCOPE: 'openid', OIDC_PROMPT: 'consent', OIDC_AUTHORIZATION_PARAMS: { access_type: 'offline' } },
    ],
  }
  it.each(Object.keys(documents) as ProviderName[])(
    '%s is known, and with right settings without a warning',
    (name) => {
      expect(providerOf(documents[name])).toBe(name)
      expect(trapped(name, ...right[name])).toEqual([])
    },
  )

  it('are known behind a name of the company’s own, and no other server is one', () => {
    const text = JSON.stringify(documents).replaceAll(/acme\.(us\.auth0|okta)\.com/g, 'login.acme.example')
    const behind = JSON.parse(text) as typeof documents
    expect([providerOf(behind.Okta), providerOf(behind.Auth0)]).toEqual(['Okta', 'Auth0'])
    expect(found(providerTable, server())).toEqual([])
    expect(providerOf({ issuer: 'no address' })).toBeUndefined()
  })

  const resource = { OIDC_RESOURCE: 'https://search.acme.example' }
  const groups = { ADMIN_GROUPS: ['Search'] }
  it.each<[ProviderName, Partial<Settings>, RegExp]>([
    ['Keycloak', resource, /^warn OIDC_RESOURCE: Keycloak ignores/],
    ['Okta', { ...resource, OIDC_AUDIENCE: 'x' }, /^warn OIDC_RESOURCE, OIDC_AUDIENCE: Okta ignores/],
    ['Okta', {}, /^warn OIDC_ISSUER: .*org authorization server/],
    ['Microsoft Entra ID', resource, /^fail OIDC_RESOURCE, OIDC_SCOPE: .*AADSTS901002/],
    ['Microsoft Entra ID', {}, /^warn OIDC_SCOPE: .*Microsoft Graph/],
    ['Microsoft Entra ID', { OIDC_EMAIL_TRUST: 'always' }, /^warn OIDC_EMAIL_CLAIM: .*a guest may have/],
    ['Microsoft Entra ID', { OIDC_AUDIENCE: 'x' }, /^warn OIDC_AUDIENCE: /],
    ['Microsoft Entra ID', { OIDC_CLIENT_AUTH: 'private_key_jwt' }, /^fail OIDC_CLIENT_AUTH: .*thumbprint/],
    ['Microsoft Entra ID', groups, /^warn ADMIN_GROUPS, OIDC_GROUPS_CLAIM: .*200 groups/],
    ['Auth0', {}, /^warn OIDC_AUDIENCE: .*only Auth0 itself/],
    ['Auth0', resource, /^warn OIDC_RESOURCE, OIDC_AUDIENCE: .*Compatibility Profile/],
    ['Auth0', {}, /^warn OIDC_ISSUER: .*signing out/],
    ['Google', {}, /^fail OIDC_SCOPE: .*offline_access/],
    ['Google', {}, /^warn OIDC_AUTHORIZATION_PARAMS: .*sign in again hourly/],
    ['Google', { OIDC_AUTHORIZATION_PARAMS: { access_type: 'offline' } }, /^warn OIDC_PROMPT: .*consents/],
    ['Google', groups, /^warn ADMIN_GROUPS: .*never matches/],
  ])('%s with %j is warned of', (name, settings, expected) => {
    expect(trapped(name, settings).filter((one) => expected.test(one))).toHaveLength(1)
  })

  it('have one finding for offline_access at Google, and none for PKCE at Entra', () => {
    const judged = (name: ProviderName) =>
      troubles(serverTable, server({ metadata: documents[name] }), { settings: standard })
    expect(judged('Google').join()).not.toContain('offline_access')
    expect(judged('Microsoft Entra ID').join()).not.toContain('PKCE')
  })
})

// The last one of this file, as it counts what the others have led to.
it('has a case for every finding', () => {
  expect(
    unusedWords(
      ['authorization-server.', 'service.clock'],
      ['authorization-server.redirect-addresses', 'authorization-server.client-key'],
    ),
  ).toEqual([])
})
