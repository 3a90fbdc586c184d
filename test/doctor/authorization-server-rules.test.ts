// The rules about the authorization server: each fault has one finding, and a correct server none.
import { expect, it } from 'vitest'
import { readClientResponse, clientCheck } from '../../src/doctor/client.ts'
import { discoveryCheck } from '../../src/doctor/discovery.ts'
import { applyRules } from '../../src/doctor/findings.ts'
import { redirectUriCheck } from '../../src/doctor/redirect.ts'
import { registrationCheck } from '../../src/doctor/registration.ts'
import { serverCheck } from '../../src/doctor/server.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { requestedMetadata } from '../../src/sign-in/registration/metadata.ts'
import {
  response,
  clientFacts,
  linesMatching,
  metadata,
  problems,
  random,
  report,
  serverFacts,
  contextWith,
  type FactsOf,
} from './facts.ts'

const issuer = 'https://login.acme.test/tenant'
const discovered = (result: object, receivedAt = 0) =>
  report(discoveryCheck, { issuer, discovery: result, metadata: undefined, receivedAt } as FactsOf<
    typeof discoveryCheck
  >)
const missing = (...attempts: object[]) => ({
  kind: 'missing',
  attempts: attempts.map((one) => ({ explanation: 'it answered so', ...one })),
})
const other = (theirs: string) => ({ kind: 'other-issuer', issuer: theirs, expected: issuer })

// prettier-ignore
it.each([
  ['can’t connect', missing({ networkError: 'refused' }), /^fail OIDC_ISSUER: .* cannot be reached: connection refused\.$/],
  ['is refused by the proxy', missing({ networkError: 'the proxy p refuses' }), /^fail HTTPS_PROXY, NO_PROXY, OIDC_ISSUER: .* proxy p/],
  ['meets an outage', missing({ status: 503 }), /^fail OIDC_ISSUER: .* returned an error \(it answered so\)/],
  ['is rate-limited', missing({ status: 404 }, { status: 429 }), /^warn OIDC_ISSUER: .* limiting requests/],
  ['is forbidden', missing({ status: 403 }), /^fail OIDC_ISSUER: .* is blocking this machine/],
  ['finds nothing', missing({ status: 404 }), /^fail OIDC_ISSUER: No authorization server metadata/],
  ['finds the issuer of all tenants', other('https://login.microsoftonline.com/{tenantid}/v2.0'), /^fail .* is for all tenants/],
  ['finds another trailing slash', other(`${issuer}/`), /^fail .* as .*tenant\/, which differs in the trailing slash\.$/],
  ['finds no address as issuer', other('no address'), /^fail OIDC_ISSUER: Issuer mismatch: .* as another one\.$/],
  ['finds a server of OAuth', { kind: 'found', specification: 'oauth2' }, /^ok : .* \(OAuth 2\.1 \(RFC 8414\)\)\.$/],
])('discovery that %s is reported as such', (_title, result, expected) => {
  expect(discovered(result)).toEqual(linesMatching(expected))
})

it.each([
  [10, /^ok : This machine's clock matches/],
  [11, /^warn : .* is 11 seconds ahead of/],
  [30, /^warn : .* is 30 seconds ahead of/],
  [-31, /^fail : .* is 31 seconds behind/],
  [600, /^fail : .* is 10 minutes ahead of/],
])('a clock that differs by %i seconds is reported by its severity', (seconds, expected) => {
  const date = new Date(1_800_000_000_000).toUTCString()
  const found = { kind: 'found', specification: 'oidc', date }
  const all = discovered(found, 1_800_000_000_000 + seconds * 1000)
  expect(all).toEqual(linesMatching(/^ok : .* \(OpenID Connect\)\.$/, expected))
})

// prettier-ignore
it.each<[string, object, RegExp, Partial<Settings>?]>([
  ['no token endpoint', { token_endpoint: undefined }, /^fail OIDC_ISSUER, OIDC_SCOPE: .*token_endpoint/],
  ['no keys', { jwks_uri: undefined }, /^fail OIDC_ISSUER, OIDC_SCOPE: .*jwks_uri/],
  ['an unencrypted token endpoint', { token_endpoint: 'http://login.acme.test/token' }, /^fail OIDC_ISSUER, .*token_endpoint/],
  ['an unencrypted userinfo endpoint', { userinfo_endpoint: 'http://login.acme.test/me' }, /^warn OIDC_ISSUER: .*userinfo_endpoint\.$/],
  ['no S256', { code_challenge_methods_supported: ['plain'] }, /^warn OIDC_ISSUER: .* PKCE/],
  ['no offline_access', { scopes_supported: ['openid'] }, /^warn OIDC_SCOPE: .* offline_access missing/],
  ['no refresh tokens', { grant_types_supported: ['authorization_code'] }, /^warn OIDC_SCOPE: .* advertise refresh tokens/],
  ['a scope without offline_access', {}, /^warn OIDC_SCOPE: OIDC_SCOPE lacks offline_access/, { OIDC_SCOPE: 'openid' }],
  ['symmetric signatures only', { id_token_signing_alg_values_supported: ['HS256'] }, /^fail OIDC_ISSUER: .* only with HS256/],
  ['neither userinfo nor the scope openid', { userinfo_endpoint: undefined }, /^warn OIDC_SCOPE, .* no userinfo/, { OIDC_SCOPE: 'search' }],
])('a server with %s is reported as such', (_title, changed, expected, settings = {}) => {
  expect(problems(serverCheck, serverFacts(changed), { settings })).toEqual(linesMatching(expected))
})

it('Microsoft Entra, which supports PKCE without listing it, has no finding', () => {
  const entra = { code_challenge_methods_supported: undefined, msgraph_host: 'graph.microsoft.com' }
  expect(problems(serverCheck, serverFacts(entra))).toEqual([])
})

type ProbeReply = NonNullable<FactsOf<typeof serverCheck>['keys']>['result']

it.each<[string, ProbeReply, number, RegExp]>([
  ['none', response(200), 0, /^fail OIDC_ISSUER: .* has no signing key/],
  ['an error', response(500), 0, /^fail OIDC_ISSUER: Couldn't fetch the signing keys \(500\)/],
  ['a rate limit', response(429), 0, /^warn OIDC_ISSUER: .* limiting requests/],
  ['no response', { kind: 'no-response', why: 'cut-off' }, 0, /^fail OIDC_ISSUER: .* connection closed/],
  ['one', response(200), 1, /^ok : The signing keys can be fetched \(1\)/],
])('a request for signing keys that gets %s is reported as such', (_title, result, count, expected) => {
  expect(report(serverCheck, { ...serverFacts(), keys: { result, count } })).toEqual(linesMatching(expected))
})

type AuthorizationResponse = FactsOf<typeof redirectUriCheck>['ourResponse']
const refused = (text: string) => ({ kind: 'refused', status: 400, text }) as const
const redirected = (error?: string) => ({ kind: 'back', error }) as const
const no = refused('invalid redirect_uri')
const barred = (status: number) => ({ kind: 'barred', status }) as const
const unavailable = (status?: number) => ({ kind: 'unavailable', status }) as AuthorizationResponse
const [page, elsewhere] = [{ kind: 'page' }, { kind: 'elsewhere' }] as const
const REGISTERED = /^ok : The redirect URI is registered/

const authorizationFacts = (
  ourResponse: AuthorizationResponse,
  /** To a redirect URI that isn't registered. */
  responseToInvented: AuthorizationResponse,
) => ({
  redirect: 'https://onramp.acme.test/cb',
  ourResponse,
  responseToInvented,
  isClientRejected: false,
})

it.each<[string, AuthorizationResponse, RegExp]>([
  ['fails to connect', unavailable(), /^fail OIDC_ISSUER: .* isn't responding/],
  ['meets an outage', unavailable(503), /^fail OIDC_ISSUER: .* returned an error \(503\)/],
  ['is rate-limited', unavailable(429), /^warn OIDC_ISSUER: .* limiting requests/],
])('a test sign-in that %s is reported, also for a rejected client', (_title, ourResponse, expected) => {
  const facts = authorizationFacts(ourResponse, unavailable())
  expect(report(redirectUriCheck, facts)).toEqual(linesMatching(expected))
  expect(problems(redirectUriCheck, { ...facts, isClientRejected: true })).toEqual(linesMatching(expected))
})

// prettier-ignore
it.each<[string, AuthorizationResponse, RegExp, AuthorizationResponse?]>([
  ['is forbidden', barred(403), /^warn PUBLIC_URL, OIDC_CLIENT_ID, OIDC_ISSUER: .* without giving a reason \(403\)/],
  ['names the client', refused('invalid_client'), /^fail OIDC_CLIENT_ID: .* doesn't know the client \(400\)/],
  ['names the redirect URI', refused('redirect_uri did not match'), /^fail PUBLIC_URL: .* rejected the redirect URI \(400\)/],
  ['gives no reason', refused('no'), /^fail PUBLIC_URL, OIDC_CLIENT_ID: .* rejected a test sign-in \(400\)/],
  ['returns invalid_scope', redirected('invalid_scope'), /^fail OIDC_SCOPE: .* invalid_scope/],
  ['returns invalid_target', redirected('invalid_target'), /^fail OIDC_RESOURCE: .* invalid_target/],
  ['returns unauthorized_client', redirected('unauthorized_client'), /^fail OIDC_CLIENT_ID: .* unauthorized_client/],
  ['returns server_error', redirected('server_error'), /^fail OIDC_CLIENT_ID, OIDC_SCOPE: .* server_error\.$/],
  ['returns an invalid code', redirected('<odd>'), /^fail OIDC_CLIENT_ID, OIDC_SCOPE: .* an error\.$/],
  // The response to another redirect URI differs.
  ['leads elsewhere', elsewhere, REGISTERED],
  ['returns login_required', redirected('login_required'), REGISTERED],
  ['returns', redirected(), REGISTERED],
  ['shows a page', page, REGISTERED],
  ['leads elsewhere instead of to a page', elsewhere, REGISTERED, page],
  ['returns login_required where another is forbidden', redirected('login_required'), REGISTERED, barred(403)],
])('a test sign-in that %s is reported, unless the client is rejected', (_title, ourResponse, expected, responseToInvented = no) => {
  const facts = authorizationFacts(ourResponse, responseToInvented)
  expect(report(redirectUriCheck, facts)).toEqual(linesMatching(expected))
  expect(problems(redirectUriCheck, { ...facts, isClientRejected: true })).toEqual([])
})

it.each([
  ['both lead to a page', page, page],
  ['both lead elsewhere', elsewhere, elsewhere],
  ['both get the same error', redirected('login_required'), redirected('login_required')],
  ['the second request was rate-limited', redirected('login_required'), unavailable(429)],
] as const)('nothing is reported about our redirect URI if %s', (_title, ourResponse, responseToInvented) => {
  const facts = authorizationFacts(ourResponse, responseToInvented)
  expect(report(redirectUriCheck, facts)).toEqual([])
  expect(problems(redirectUriCheck, { ...facts, isClientRejected: true })).toEqual([])
})

const error = (code: string) => JSON.stringify({ error: code })

it.each<[number, string, string]>([
  [400, error('invalid_grant'), 'accepted'],
  [401, '<html>', 'refused'],
  [400, error('invalid_client'), 'refused'],
  [400, error('unauthorized_client'), 'not-allowed'],
  [400, error('invalid_grants'), 'unclear'],
  [404, '<html>', 'unclear'],
  [403, '<html>', 'no-usable-response'],
  [302, '', 'no-usable-response'],
  [429, error('slow_down'), 'status 429'],
])('the response %i %s of a token endpoint means %s', (status, text, expected) => {
  expect(readClientResponse(response(status, text))).toBe(expected)
})

const refusedBy = (auth: object) => clientFacts('refused', {}, { auth })
const none = { auth: { method: 'none' } }
const byAssertion = { method: 'private_key_jwt', assertionFile: '/token' }
const wrongRefused = { responseToWrongClient: 'refused' }
const byOther = { otherMethod: 'accepted' }
const ACCEPTED = /^ok : Client authentication accepted/
const SECRET = /^fail OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_CLIENT_AUTH: .* \(401 or/

// prettier-ignore
it.each<[string, FactsOf<typeof clientCheck>, RegExp]>([
  ['a rejected secret', clientFacts('refused'), SECRET],
  ['a rejected key', refusedBy({ method: 'private_key_jwt' }), /^fail OIDC_CLIENT_ID, OIDC_CLIENT_KEY, /],
  ['a rejected id', refusedBy(none.auth), /^fail OIDC_CLIENT_ID, OIDC_CLIENT_AUTH: /],
  ['a rejected assertion', refusedBy(byAssertion), /^fail OIDC_CLIENT_ASSERTION_FILE, OIDC_CLIENT_ID: /],
  ['a secret rejected by one method', clientFacts('refused', byOther), /^fail OIDC_CLIENT_AUTH: .* client_secret_post/],
  ['an unreadable assertion', clientFacts('unsent'), /^fail OIDC_CLIENT_ASSERTION_FILE: /],
  ['an unreadable response', clientFacts('no-usable-response'), /^fail OIDC_ISSUER: .* an invalid response/],
  ['an outage', clientFacts('status 503'), /^warn OIDC_ISSUER: .* status 503/],
  ['a client without the grant', clientFacts('not-allowed'), /^fail OIDC_CLIENT_ID, .* \(unauthorized_client/],
  // Our secret is confirmed only if a wrong one is rejected.
  ['an accepted secret', clientFacts('accepted', wrongRefused), ACCEPTED],
  ['an accepted id', clientFacts('accepted', { responseToWrongClient: 'not-allowed' }, none), /^ok : Client ID accepted/],
  ['another response than to a wrong secret', clientFacts('unclear', { responseToWrongClient: 'not-allowed' }), ACCEPTED],
])('the check of the client reports %s', (_title, facts, expected) => {
  expect(report(clientCheck, facts)).toEqual(linesMatching(expected))
})

it.each([
  ['accepts any secret', clientFacts('accepted', { responseToWrongClient: 'accepted' })],
  ['responds unclearly to any secret', clientFacts('unclear', { responseToWrongClient: 'unclear' })],
])('nothing is reported about a client if the server %s', (_title, facts) => {
  expect(report(clientCheck, facts)).toEqual([])
})

it.each([
  ['onramp', 'aB3-dE_f.*', 'no advice', false],
  ['onramp', 'aB3+dE/f', 'advice', true],
  ['onramp app', 'aB3', 'advice', true],
])('the Basic credentials “%s” and “%s” get %s about encoding', (id, secret, _title, isAdvised) => {
  const facts = clientFacts('refused', {}, { id, auth: { method: 'client_secret_basic', secret } })
  const [finding] = applyRules(clientCheck.rules, facts, contextWith())
  const settings = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_AUTH']
  expect(finding).toMatchObject({ status: 'fail', settings })
  expect(/special characters .* OIDC_CLIENT_AUTH to client_secret_post/.test(finding?.fix ?? '')).toBe(
    isAdvised,
  )
})

it('a self-registered client is reported, with advice to forget it if rejected', () => {
  const registering = { settings: { OIDC_CLIENT_ID: undefined } }
  const registered = /^ok : onramp has registered a client/
  expect(report(clientCheck, clientFacts('accepted', wrongRefused), registering)).toEqual(
    linesMatching(ACCEPTED, registered),
  )
  expect(report(clientCheck, clientFacts('refused'), registering)).toEqual(
    linesMatching(/^fail : .* that onramp registered/),
  )
})

it('an unlisted method is reported only if the client is rejected', () => {
  const listing = metadata({ token_endpoint_auth_methods_supported: ['tls_client_auth', 'none'] })
  const judged = (facts: FactsOf<typeof clientCheck>) => report(clientCheck, { ...facts, metadata: listing })
  expect(judged(clientFacts('refused'))).toEqual(linesMatching(/^fail OIDC_CLIENT_AUTH: .* doesn't support/))
  expect(judged(clientFacts('accepted', wrongRefused))).toEqual(linesMatching(ACCEPTED))
})

const token = { OIDC_INITIAL_ACCESS_TOKEN: random }

// prettier-ignore
it.each<[string, FactsOf<typeof registrationCheck>['result'], RegExp, Partial<Settings>?]>([
  ['is missing', undefined, /^fail OIDC_CLIENT_ID, .* doesn't offer dynamic registration/],
  ['refuses connections', { kind: 'no-response', why: 'refused' }, /^fail OIDC_CLIENT_ID: .* isn't responding/],
  ['wants a token', response(403), /^fail OIDC_INITIAL_ACCESS_TOKEN, .* requires a token \(403\)/],
  ['rejects the token', response(401), /^fail OIDC_INITIAL_ACCESS_TOKEN, .* rejected the token \(401\)/, token],
  ['denies access', response(400, error('access_denied')), /^fail OIDC_INITIAL_ACCESS_TOKEN, .* requires a token \(400\)/],
  ['is closed', response(404), /^fail OIDC_CLIENT_ID: Registration is closed \(404\)/],
  ['has an outage', response(503), /^warn OIDC_CLIENT_ID: .* returned an error \(503\)/],
  ['rejects an empty request', response(400, error('invalid_redirect_uri')), /^ok : The first start will ask to register/],
  ['registers a client', response(201, '{"client_id":"x"}'), /^ok : The first start will ask to register/],
])('a registration endpoint that %s is reported as such', (_title, result, expected, settings = {}) => {
  const wanted = { PUBLIC_URL: 'https://onramp.acme.test', OIDC_SCOPE: 'openid', OIDC_CLIENT_AUTH: 'none' }
  const requested = requestedMetadata(wanted as Settings, metadata(), undefined)
  expect(report(registrationCheck, { requested, result }, { settings })).toEqual(linesMatching(expected))
})
