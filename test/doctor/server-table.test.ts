// What the doctor says of facts about the authorization server: every rule applies to its own, and is silent about those of
// a server that is right.
import { readFileSync } from 'node:fs'
import type { ServerMetadata as Metadata } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { answerIn, client } from '../../src/doctor/client.ts'
import { providerOf } from '../../src/doctor/providers.ts'
import { redirect } from '../../src/doctor/redirect.ts'
import { registration } from '../../src/doctor/registration.ts'
import { discovery, server } from '../../src/doctor/server.ts'
import type { Settings } from '../../src/settings/settings.ts'
import {
  answer,
  clientFacts,
  found,
  lines,
  metadata,
  names,
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
    attempts: attempts.map((one) => ({ url: issuer, says: 'it answered so', ...one })),
  })
  const other = (theirs: string) => ({ kind: 'other-issuer', issuer: theirs, expected: issuer })
  it.each([
    [missing({ silence: 'refused' }), 'silent'],
    [missing({ status: 503 }), 'failing'],
    [missing({ status: 404 }, { status: 429 }), 'limited'],
    [missing({ status: 403 }), 'barred'],
    [missing({ status: 404 }), 'missing'],
    [other('https://login.microsoftonline.com/{tenantid}/v2.0'), 'every-tenant'],
    [other(`${issuer}/`), 'mismatch'],
    [other('no address'), 'mismatch'],
    [{ kind: 'found', how: 'oauth2' }, 'found'],
  ])('that is %o', (result, expected) => {
    expect(names(discovered(result))).toEqual([expected])
  })

  it('behind a proxy that lets no call through is told with the proxy’s settings', () => {
    expect(discovered(missing({ silence: 'the proxy p refuses' }))).toMatchObject([
      {
        settings: ['HTTPS_PROXY', 'NO_PROXY', 'OIDC_ISSUER'],
        says: expect.stringContaining('the proxy p refuses'),
      },
    ])
  })

  it.each([
    [10, 'fine'],
    [30, 'near'],
    [-31, 'far'],
  ])('comes with a clock that differs by %i seconds: %s', (seconds, expected) => {
    const date = new Date(1_800_000_000_000).toUTCString()
    const findings = discovered({ kind: 'found', how: 'oidc', date }, 1_800_000_000_000 + seconds * 1000)
    expect(names(findings)).toEqual(['found', expected])
  })

  it.each<[string, object, Partial<Settings>]>([
    ['refused', { token_endpoint: undefined }, {}],
    ['refused', { jwks_uri: undefined }, {}],
    ['refused', { token_endpoint: 'http://login.acme.test/token' }, {}],
    ['unused', { userinfo_endpoint: 'http://login.acme.test/me' }, {}],
    ['unlisted', { code_challenge_methods_supported: ['plain'] }, {}],
    ['unlisted', { scopes_supported: ['openid'] }, {}],
    ['denied', { grant_types_supported: ['authorization_code'] }, {}],
    ['lacking', {}, { OIDC_SCOPE: 'openid' }],
    ['secret', { id_token_signing_alg_values_supported: ['HS256'] }, {}],
    ['none', { userinfo_endpoint: undefined }, { OIDC_SCOPE: 'search' }],
  ])('has one finding where it leads to %s', (expected, changed, settings) => {
    expect(names(troubles(found(server, serverFacts(changed), { settings })))).toEqual([expected])
  })

  it.each<[FactsOf<typeof server>['keys'], string]>([
    [{ reply: answer(200), count: 0 }, 'empty'],
    [{ reply: answer(500), count: 0 }, 'refused'],
    [{ reply: answer(429), count: 0 }, 'limited'],
    [{ reply: { kind: 'silent', why: 'cut-off' }, count: 0 }, 'silent'],
    [{ reply: answer(200), count: 1 }, 'fetched'],
  ])('with keys: %o', (keys, expected) => {
    expect(names(found(server, { ...serverFacts(), keys }))).toEqual([expected])
  })
})

describe('the redirect address', () => {
  type Look = FactsOf<typeof redirect>['ours']
  const refused = (text: string) => ({ kind: 'refused', status: 400, text }) as const
  const back = (error?: string) => ({ kind: 'back', error }) as const
  const no = refused('invalid redirect_uri')
  it.each<[Look, Look, string[]]>([
    [{ kind: 'silent' }, { kind: 'silent' }, ['silent']],
    [{ kind: 'silent', status: 503 }, { kind: 'silent' }, ['failing']],
    [{ kind: 'barred', status: 429 }, { kind: 'silent' }, ['limited']],
    [{ kind: 'barred', status: 403 }, no, ['barred']],
    [refused('invalid_client'), no, ['client']],
    [refused('redirect_uri did not match'), no, ['redirect']],
    [refused('no'), no, ['refused']],
    [back('invalid_scope'), no, ['invalid_scope']],
    [back('invalid_target'), no, ['invalid_target']],
    [back('unauthorized_client'), no, ['unauthorized_client']],
    [back('<odd>'), no, ['error']],
    // People sign in, or come back as no one is signed in; another address is refused.
    [{ kind: 'onward' }, no, ['fine']],
    [back('login_required'), no, ['fine']],
    [back(), no, ['fine']],
    [{ kind: 'page' }, no, ['fine']],
    [{ kind: 'onward' }, { kind: 'page' }, ['fine']],
    [back('login_required'), { kind: 'barred', status: 403 }, ['fine']],
    // Where another is answered alike, nothing is said.
    [{ kind: 'page' }, { kind: 'page' }, []],
    [{ kind: 'onward' }, { kind: 'onward' }, []],
    [back('login_required'), back('login_required'), []],
    [back('login_required'), { kind: 'barred', status: 429 }, []],
  ])('that is answered %o, and another one %o', (ours, invented, expected) => {
    expect(names(found(redirect, redirectFacts(ours, invented)))).toEqual(expected)
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
    [clientFacts('refused'), ['rejected']],
    [clientFacts('refused', {}, odd), ['encoded']],
    [clientFacts('refused', {}, key), ['rejected']],
    [clientFacts('refused', {}, none), ['rejected']],
    [clientFacts('refused', { otherMethod: 'accepted' }), ['other-method']],
    [clientFacts('silent'), ['silent']],
    [clientFacts('status 503'), ['failing']],
    [clientFacts('not-allowed'), ['not-allowed']],
    // It is right only where a wrong one is refused.
    [clientFacts('accepted', refusedWrong), ['fine']],
    [clientFacts('accepted', { wrong: 'not-allowed' }, none), ['public']],
    [clientFacts('accepted', { wrong: 'accepted' }), []],
    [clientFacts('unclear', { wrong: 'not-allowed' }), ['fine']],
    [clientFacts('unclear', { wrong: 'unclear' }), []],
  ])('that is %#', (facts, expected) => {
    expect(names(found(client, facts))).toEqual(expected)
  })

  it('that onramp registered is kept, or has to be forgotten', () => {
    const none = { settings: { OIDC_CLIENT_ID: undefined } }
    expect(names(found(client, clientFacts('accepted', refusedWrong), none))).toEqual(['fine', 'kept'])
    expect(names(found(client, clientFacts('refused'), none))).toEqual(['registered'])
  })

  it('proves itself in a way that the server lists, unless another one is taken', () => {
    const listing = metadata({ token_endpoint_auth_methods_supported: ['tls_client_auth', 'none'] })
    const judged = (facts: FactsOf<typeof client>) => names(found(client, { ...facts, metadata: listing }))
    expect(judged(clientFacts('refused'))).toEqual(['unlisted'])
    expect(judged(clientFacts('accepted', refusedWrong))).toEqual(['fine'])
  })
})

describe('registration', () => {
  type Reply = FactsOf<typeof registration>['reply']
  const token = { OIDC_INITIAL_ACCESS_TOKEN: random }
  const requested = { redirect_uris: [], token_endpoint_auth_method: 'client_secret_post' } as const
  it.each<[Reply, Partial<Settings>, string]>([
    [undefined, {}, 'none'],
    [{ kind: 'silent', why: 'refused' }, {}, 'silent'],
    [answer(403), {}, 'no-token'],
    [answer(401), token, 'token'],
    [answer(400, '{"error":"access_denied"}'), {}, 'no-token'],
    [answer(404), {}, 'closed'],
    [answer(503), {}, 'failing'],
    [answer(400, '{"error":"invalid_redirect_uri"}'), {}, 'will-ask'],
    [answer(201, '{"client_id":"x"}'), {}, 'will-ask'],
  ])('that is answered %o', (reply, settings, expected) => {
    const facts = { requested: { ...requested, redirect_uris: [] }, reply }
    expect(names(found(registration, facts, { settings }))).toEqual([expected])
  })
})

describe('identity providers, by public copies of their metadata', () => {
  const file = new URL('../fixtures/identity-providers.json', import.meta.url)
  type Name = NonNullable<ReturnType<typeof providerOf>>
  const documents = JSON.parse(readFileSync(file, 'utf8')) as Record<Name, Metadata>
  const standard = {
    OIDC_SCOPE: 'openid email profile offline_access',
    TOKEN_ISSUED_BY: 'external-idp',
  } as const
  const judged = (name: Name, settings: Partial<Settings>, changed: object = {}) =>
    found(
      server,
      { metadata: metadata({ ...documents[name], ...changed }), keys: undefined },
      { settings: { ...standard, ...settings } },
    )
  const trapped = (...given: Parameters<typeof judged>) => lines(troubles(judged(...given)))

  /** Settings that docs/identity-providers.md leads to. */
  const right: Record<Name, [Partial<Settings>, object?]> = {
    Keycloak: [{}],
    Okta: [{}, { issuer: 'https://acme.okta.com/oauth2/default' }],
    'Microsoft Entra ID': [
      {
        OIDC_SCOPE: 'openid offline_access api://0/search',
        OIDC_EMAIL_CLAIM: 'upn',
        OIDC_EMAIL_TRUST: 'always',
      },
    ],
    Auth0: [
      { OIDC_AUDIENCE: 'https://search.acme.example' },
      { end_session_endpoint: 'https://acme.us.auth0.com/out' },
    ],
    Google: [
      { OIDC_SCOPE: 'openid', OIDC_PROMPT: 'consent', OIDC_AUTHORIZATION_PARAMS: { access_type: 'offline' } },
    ],
  }
  it.each(Object.keys(documents) as Name[])(
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
    expect(providerOf(metadata())).toBeUndefined()
    expect(providerOf({ issuer: 'no address' })).toBeUndefined()
  })

  const resource = { OIDC_RESOURCE: 'https://search.acme.example' }
  it.each<[Name, Partial<Settings>, RegExp]>([
    ['Keycloak', resource, /^warn OIDC_RESOURCE: Keycloak ignores/],
    ['Okta', { ...resource, OIDC_AUDIENCE: 'x' }, /^warn OIDC_RESOURCE, OIDC_AUDIENCE: Okta ignores/],
    ['Microsoft Entra ID', resource, /^warn OIDC_RESOURCE: .*ignores or refuses/],
    ['Auth0', { ...resource, OIDC_AUDIENCE: 'x' }, /^warn OIDC_RESOURCE: Auth0 ignores/],
    ['Okta', {}, /^warn OIDC_ISSUER: .*org authorization server/],
    ['Microsoft Entra ID', {}, /^warn OIDC_SCOPE: .*Microsoft Graph/],
    ['Microsoft Entra ID', { OIDC_EMAIL_TRUST: 'always' }, /^warn OIDC_EMAIL_CLAIM: .*a guest may have/],
    ['Microsoft Entra ID', { OIDC_CLIENT_KEY: 'pem' }, /^fail OIDC_CLIENT_CERT: .*thumbprint/],
    ['Auth0', {}, /^warn OIDC_AUDIENCE: .*only Auth0 itself/],
    ['Auth0', {}, /^warn OIDC_ISSUER: .*signing out/],
    ['Google', {}, /^warn OIDC_AUTHORIZATION_PARAMS: .*sign in again hourly/],
    ['Google', { OIDC_AUTHORIZATION_PARAMS: { access_type: 'offline' } }, /^warn OIDC_PROMPT: .*consents/],
  ])('%s with %j is warned of', (name, settings, expected) => {
    expect(trapped(name, settings).filter((one) => expected.test(one))).toHaveLength(1)
  })
})
