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
const missingMetadata = (...attempts: object[]) => ({
  kind: 'missing',
  attempts: attempts.map((one) => ({ explanation: 'it answered so', ...one })),
})
const otherIssuer = (theirs: string) => ({ kind: 'other-issuer', issuer: theirs, expected: issuer })

// prettier-ignore
it.each([
  ['can’t connect', /^fail OIDC_ISSUER: .* cannot be reached: connection refused\.$/, missingMetadata({ networkError: 'refused' })],
  ['is refused by the proxy', /^fail HTTPS_PROXY, NO_PROXY, OIDC_ISSUER: .* proxy p/, missingMetadata({ networkError: 'the proxy p refuses' })],
  ['meets an outage', /^fail OIDC_ISSUER: .* returned an error \(it answered so\)/, missingMetadata({ status: 503 })],
  ['is rate-limited', /^warn OIDC_ISSUER: .* limiting requests/, missingMetadata({ status: 404 }, { status: 429 })],
  ['is forbidden', /^fail OIDC_ISSUER: .* is blocking this machine/, missingMetadata({ status: 403 })],
  ['finds nothing', /^fail OIDC_ISSUER: No authorization server metadata/, missingMetadata({ status: 404 })],
  ['finds the issuer of all tenants', /^fail OIDC_ISSUER: .* is for all tenants/, otherIssuer('https://login.microsoftonline.com/{tenantid}/v2.0')],
  ['finds another trailing slash', /^fail OIDC_ISSUER: .* as .*tenant\/, which differs in the trailing slash\.$/, otherIssuer(`${issuer}/`)],
  ['finds no address as issuer', /^fail OIDC_ISSUER: Issuer mismatch: .* as another one\.$/, otherIssuer('no address')],
  ['finds a server of OAuth', /^ok : .* \(OAuth 2\.1 \(RFC 8414\)\)\.$/, { kind: 'found', specification: 'oauth2' }],
])('discovery that %s is reported as %s', (_title, expected, result) => {
  expect(discovered(result)).toEqual(linesMatching(expected))
})

it.each([
  [10, /^ok : This machine's clock matches/],
  [11, /^warn : .* is 11 seconds ahead of/],
  [30, /^warn : .* is 30 seconds ahead of/],
  [-31, /^fail : .* is 31 seconds behind/],
  [600, /^fail : .* is 10 minutes ahead of/],
])('a clock that differs by %i seconds is reported as %s', (seconds, expected) => {
  const date = new Date(1_800_000_000_000).toUTCString()
  const found = { kind: 'found', specification: 'oidc', date }
  const all = discovered(found, 1_800_000_000_000 + seconds * 1000)
  expect(all).toEqual(linesMatching(/^ok : .* \(OpenID Connect\)\.$/, expected))
})

// prettier-ignore
it.each<[string, RegExp, object, Partial<Settings>?]>([
  ['no token endpoint', /^fail OIDC_ISSUER, OIDC_SCOPE: .*token_endpoint/, { token_endpoint: undefined }],
  ['no keys', /^fail OIDC_ISSUER, OIDC_SCOPE: .*jwks_uri/, { jwks_uri: undefined }],
  ['an unencrypted token endpoint', /^fail OIDC_ISSUER, .*token_endpoint/, { token_endpoint: 'http://login.acme.test/token' }],
  ['an unencrypted userinfo endpoint', /^warn OIDC_ISSUER: .*userinfo_endpoint\.$/, { userinfo_endpoint: 'http://login.acme.test/me' }],
  ['no S256', /^warn OIDC_ISSUER: .* PKCE/, { code_challenge_methods_supported: ['plain'] }],
  ['no offline_access', /^warn OIDC_SCOPE: .* offline_access missing/, { scopes_supported: ['openid'] }],
  ['no refresh tokens', /^warn OIDC_SCOPE: .* advertise refresh tokens/, { grant_types_supported: ['authorization_code'] }],
  ['a scope without offline_access', /^warn OIDC_SCOPE: OIDC_SCOPE lacks offline_access/, {}, { OIDC_SCOPE: 'openid' }],
  ['symmetric signatures only', /^fail OIDC_ISSUER: .* only with HS256/, { id_token_signing_alg_values_supported: ['HS256'] }],
  ['neither userinfo nor the scope openid', /^warn OIDC_SCOPE, .* no userinfo/, { userinfo_endpoint: undefined }, { OIDC_SCOPE: 'search' }],
])('a server with %s is reported as %s', (_title, expected, changed, settings = {}) => {
  expect(problems(serverCheck, serverFacts(changed), { settings })).toEqual(linesMatching(expected))
})

it('Microsoft Entra, which supports PKCE without listing it, has no finding', () => {
  const entra = { code_challenge_methods_supported: undefined, msgraph_host: 'graph.microsoft.com' }
  expect(problems(serverCheck, serverFacts(entra))).toEqual([])
})

type ProbeReply = NonNullable<FactsOf<typeof serverCheck>['keys']>['result']

it.each<[string, RegExp, ProbeReply, number]>([
  ['none', /^fail OIDC_ISSUER: .* has no signing key/, response(200), 0],
  ['an error', /^fail OIDC_ISSUER: Couldn't fetch the signing keys \(500\)/, response(500), 0],
  ['a rate limit', /^warn OIDC_ISSUER: .* limiting requests/, response(429), 0],
  ['no response', /^fail OIDC_ISSUER: .* connection closed/, { kind: 'no-response', why: 'cut-off' }, 0],
  ['one', /^ok : The signing keys can be fetched \(1\)/, response(200), 1],
])('a request for signing keys that gets %s is reported as %s', (_title, expected, result, count) => {
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

it.each<[string, RegExp, AuthorizationResponse]>([
  ['fails to connect', /^fail OIDC_ISSUER: .* isn't responding/, unavailable()],
  ['meets an outage', /^fail OIDC_ISSUER: .* returned an error \(503\)/, unavailable(503)],
  ['is rate-limited', /^warn OIDC_ISSUER: .* limiting requests/, unavailable(429)],
])('a test sign-in that %s is reported as %s for any client', (_title, expected, ourResponse) => {
  const facts = authorizationFacts(ourResponse, unavailable())
  expect(report(redirectUriCheck, facts)).toEqual(linesMatching(expected))
  expect(problems(redirectUriCheck, { ...facts, isClientRejected: true })).toEqual(linesMatching(expected))
})

// prettier-ignore
it.each<[string, RegExp, AuthorizationResponse, AuthorizationResponse?]>([
  ['is forbidden', /^warn PUBLIC_URL, OIDC_CLIENT_ID, OIDC_ISSUER: .* without giving a reason \(403\)/, barred(403)],
  ['names the client', /^fail OIDC_CLIENT_ID: .* doesn't know the client \(400\)/, refused('invalid_client')],
  ['names the redirect URI', /^fail PUBLIC_URL: .* rejected the redirect URI \(400\)/, refused('redirect_uri did not match')],
  ['gives no reason', /^fail PUBLIC_URL, OIDC_CLIENT_ID: .* rejected a test sign-in \(400\)/, refused('no')],
  ['returns invalid_scope', /^fail OIDC_SCOPE: .* invalid_scope/, redirected('invalid_scope')],
  ['returns invalid_target', /^fail OIDC_RESOURCE: .* invalid_target/, redirected('invalid_target')],
  ['returns unauthorized_client', /^fail OIDC_CLIENT_ID: .* unauthorized_client/, redirected('unauthorized_client')],
  ['returns server_error', /^fail OIDC_CLIENT_ID, OIDC_SCOPE: .* server_error\.$/, redirected('server_error')],
  ['returns an invalid code', /^fail OIDC_CLIENT_ID, OIDC_SCOPE: .* an error\.$/, redirected('<odd>')],
  // The response to another redirect URI differs.
  ['leads elsewhere', REGISTERED, elsewhere],
  ['returns login_required', REGISTERED, redirected('login_required')],
  ['returns', REGISTERED, redirected()],
  ['shows a page', REGISTERED, page],
  ['leads elsewhere instead of to a page', REGISTERED, elsewhere, page],
  ['returns login_required where another is forbidden', REGISTERED, redirected('login_required'), barred(403)],
])('unless the client is rejected, a test sign-in that %s is reported as %s', (_title, expected, ourResponse, responseToInvented = no) => {
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
const publicClient = { auth: { method: 'none' } }
const byAssertion = { method: 'private_key_jwt', assertionFile: '/token' }
const wrongRefused = { responseToWrongClient: 'refused' }
const byOther = { otherMethod: 'accepted' }
const ACCEPTED = /^ok : Client authentication accepted/
const SECRET = /^fail OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_CLIENT_AUTH: .* \(401 or/

// prettier-ignore
it.each<[string, RegExp, FactsOf<typeof clientCheck>]>([
  ['a rejected secret', SECRET, clientFacts('refused')],
  ['a rejected key', /^fail OIDC_CLIENT_ID, OIDC_CLIENT_KEY, /, refusedBy({ method: 'private_key_jwt' })],
  ['a rejected id', /^fail OIDC_CLIENT_ID, OIDC_CLIENT_AUTH: /, refusedBy(publicClient.auth)],
  ['a rejected assertion', /^fail OIDC_CLIENT_ASSERTION_FILE, OIDC_CLIENT_ID: /, refusedBy(byAssertion)],
  ['a secret rejected by one method', /^fail OIDC_CLIENT_AUTH: .* client_secret_post/, clientFacts('refused', byOther)],
  ['an unreadable assertion', /^fail OIDC_CLIENT_ASSERTION_FILE: /, clientFacts('unsent')],
  ['an unreadable response', /^fail OIDC_ISSUER: .* an invalid response/, clientFacts('no-usable-response')],
  ['an outage', /^warn OIDC_ISSUER: .* status 503/, clientFacts('status 503')],
  ['a client without the grant', /^fail OIDC_CLIENT_ID, .* \(unauthorized_client/, clientFacts('not-allowed')],
  // Our secret is confirmed only if a wrong one is rejected.
  ['an accepted secret', ACCEPTED, clientFacts('accepted', wrongRefused)],
  ['an accepted id', /^ok : Client ID accepted/, clientFacts('accepted', { responseToWrongClient: 'not-allowed' }, publicClient)],
  ['another response than to a wrong secret', ACCEPTED, clientFacts('unclear', { responseToWrongClient: 'not-allowed' })],
])('the check of the client reports %s as %s', (_title, expected, facts) => {
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
it.each<[string, RegExp, FactsOf<typeof registrationCheck>['result'], Partial<Settings>?]>([
  ['is missing', /^fail OIDC_CLIENT_ID, .* doesn't offer dynamic registration/, undefined],
  ['refuses connections', /^fail OIDC_CLIENT_ID: .* isn't responding/, { kind: 'no-response', why: 'refused' }],
  ['wants a token', /^fail OIDC_INITIAL_ACCESS_TOKEN, .* requires a token \(403\)/, response(403)],
  ['rejects the token', /^fail OIDC_INITIAL_ACCESS_TOKEN, .* rejected the token \(401\)/, response(401), token],
  ['denies access', /^fail OIDC_INITIAL_ACCESS_TOKEN, .* requires a token \(400\)/, response(400, error('access_denied'))],
  ['is closed', /^fail OIDC_CLIENT_ID: Registration is closed \(404\)/, response(404)],
  ['has an outage', /^warn OIDC_CLIENT_ID: .* returned an error \(503\)/, response(503)],
  ['rejects an empty request', /^ok : The first start will ask to register/, response(400, error('invalid_redirect_uri'))],
  ['registers a client', /^ok : The first start will ask to register/, response(201, '{"client_id":"x"}')],
])('a registration endpoint that %s is reported as %s', (_title, expected, result, settings = {}) => {
  const wanted = { PUBLIC_URL: 'https://onramp.acme.test', OIDC_SCOPE: 'openid', OIDC_CLIENT_AUTH: 'none' }
  const requested = requestedMetadata(wanted as Settings, metadata(), undefined)
  expect(report(registrationCheck, { requested, result }, { settings })).toEqual(linesMatching(expected))
})
