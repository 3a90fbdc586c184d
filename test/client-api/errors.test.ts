// Error responses of the service: the problem code for the person, and the setting to change for the operator.
import { describe, expect, it } from 'vitest'
import { readErrorResponse } from '../../src/client-api/error-response.ts'
import { noValidResponse, AccessTokenRejected } from '../../src/client-api/errors.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { problemTexts } from '../../src/web/error-page.ts'
import { t } from '../helpers/texts.ts'
import { GLOBAL_TOKEN, problemFor } from './problem-for.ts'

/** The contract doesn't define the body of an error, so the same text is tested in several shapes. */
const shapes: [string, (message: string) => string][] = [
  ['text', (message) => message],
  ['HTML', (message) => `<!doctype html><title>x</title><p>${message}</p>`],
  ['message', (message) => JSON.stringify({ message })],
  ['error', (message) => JSON.stringify({ error: { code: 1, message } })],
  ['errors', (message) => JSON.stringify({ errors: [{ message }] })],
]

describe.each(shapes)('error responses as %s', (_title, shaped) => {
  it.each<[number, string, string, RegExp]>([
    [401, 'Unauthorized', 'service_refused_sign_in', /access token is invalid.*TOKEN_ISSUED_BY/],
    [403, 'Forbidden', 'service_forbidden', /OIDC_SCOPE/],
    [400, 'Invalid Secret', 'service_misconfigured', /TOKEN_ISSUED_BY=external-idp/],
    [500, 'Invalid Secret', 'service_misconfigured', /TOKEN_ISSUED_BY=external-idp/],
    [401, 'Required header missing: X-Service-Auth-Type', 'service_misconfigured', /=external-idp/],
    [403, 'missing x-service-auth-type header', 'service_misconfigured', /=external-idp/],
    [400, 'Required header missing: X-Service-ActAs', 'service_misconfigured', /^((?!ISSUED_BY).)*-ActAs/],
    [404, 'planted', 'service_misconfigured', /SERVICE_BASE_URL, including its path$/],
    [429, 'planted', 'service_busy', /too many requests$/],
    [502, 'planted', 'service_unavailable', /responded 502$/],
  ])('an error response with status %i and “%s” becomes the problem %s', (status, message, code, detail) => {
    const problem = problemFor(status, shaped(message))
    expect(problem.code).toBe(code)
    expect(problem.detail).toMatch(detail)
    expect(problem instanceof AccessTokenRejected).toBe(code === 'service_refused_sign_in')
    expect(JSON.stringify([problem.message, problem.stack])).not.toContain('planted')
  })
})

describe.each([
  ...shapes,
  ['field', (message) => JSON.stringify({ errors: [{ field: 'final_redirect_url', message }] })],
  ['member', (message) => JSON.stringify({ final_redirect_url: [message] })],
] as typeof shapes)('a rejected final_redirect_url, as %s', (_title, shaped) => {
  it.each([
    'final_redirect_url is not allowed',
    'finalRedirectUrl must be an allowed URL',
    'The Final Redirect URL https://a.example/onboarding/callback?step=s3cr3tstep is not permitted',
    'Redirect URI http://a.example/x?step=s3cr3tstep is not permitted',
    'redirect destination: not an allowed host',
  ])('a rejected final_redirect_url is a fault of the settings: %s', (message) => {
    for (const status of [400, 422]) {
      const problem = problemFor(status, shaped(message))
      expect(problem).toMatchObject({ status: 502, code: 'service_refused_return', retryAfter: undefined })
      expect(problem.detail).toMatch(/PUBLIC_URL.*allows this redirect URL.*The reason: “.*(allow|permitted)/)
      expect(problem.detail).not.toContain('s3cr3tstep')
    }
  })
})

it.each([
  ['', [200, 299], 'unreadable'],
  ['Invalid Secret', [200], 'unreadable'],
  ['', [300, 399], 'redirected'],
  ['', [400, 402, 406, 499], 'request'],
  ['', [401], 'token'],
  ['', [403], 'scope'],
  ['', [404, 405, 410], 'not-found'],
  ['', [429], 'busy'],
  ['', [500, 599], 'failing'],
  ['unknown X-Acme-ActAs', [400, 401, 404, 422], 'act-as-refused'],
  ['unknown X-Acme-ActAs', [403], 'scope'],
  ['missing X-Acme-ActAs', [400, 403], 'act-as-missing'],
])('an error response with “%s” and a status of %j is classified as %s', (text, statuses, reason) => {
  for (const status of statuses)
    expect(readErrorResponse({ status, text, headers: {} }, {}, 0).reason).toBe(reason)
})

it('an error that only quotes the redirect URL isn’t about it', () => {
  const path = '/rest/api/v1/checkdatasourceauth?final_redirect_url=https%3A%2F%2Fa.example'
  expect(problemFor(400, `Malformed header at ${path}`).code).toBe('service_refused_request')
  for (const text of ['', 'Bad Request', '{"code":3}'])
    expect(problemFor(422, text).detail).toMatch(/final_redirect_url, built from PUBLIC_URL/)
})

it.each<[number, string, RegExp]>([
  [401, 'Unauthorized', /SERVICE_GLOBAL_TOKEN is invalid/],
  [403, 'Forbidden', /grant it the scope/],
  [400, 'Invalid Secret', /set a service token/],
  [400, 'Required header missing: X-Service-ActAs', /no proxy .* removes the header/],
  [400, 'Required header missing: X-Acme-ActAs', /set SERVICE_HEADER_PREFIX=X-Acme$/],
  [400, 'Redirect URI is not permitted', /retrying won't help/],
])('a rejection of SERVICE_GLOBAL_TOKEN by %i %s names no setting of sign-ins', (status, text, detail) => {
  const problem = problemFor(status, text, { credentials: GLOBAL_TOKEN })
  expect(problem.detail).toMatch(detail)
  expect(problem.detail).not.toMatch(/OIDC_|TOKEN_ISSUED_BY/)
})

const missing = (name: string) => `Required header missing: X-Acme-Search-${name}`

it.each(['Auth-Type', 'ActAs'])(
  'an error about a header with another prefix names the setting in the log (%s)',
  (name) => {
    for (const isExternalIdp of [true, false]) {
      const credentials = { kind: 'oauth', accessToken: 'abc', isExternalIdp } as const
      const { code, detail } = problemFor(400, missing(name), { credentials })
      expect(code).toBe('service_misconfigured')
      expect(detail).toContain('set SERVICE_HEADER_PREFIX=X-Acme-Search')
      expect(detail.includes('TOKEN_ISSUED_BY')).toBe(!isExternalIdp)
    }
    expect(problemFor(400, missing(name), { headerPrefix: 'x-acme-search' }).detail).not.toContain('PREFIX=')
  },
)

it.each([
  [400, 'cannot parse query: how do I send X-Evil-ActAs'],
  [400, 'no such field: X-Evil-Auth-Type'],
  [503, 'upstream: Required header missing: X-Evil-Auth-Type'],
])('an error that quotes a header’s name is no header fault: %i %s', (status, text) => {
  expect(problemFor(status, text, { operation: 'search' }).detail).not.toContain('SERVICE_HEADER_PREFIX')
})

const explained = (text: string, secrets: string[] = []) => problemFor(400, text, { secrets }).detail

it.each([
  ['a token', 'bad token tok-4711 given', 'tok-4711'],
  ['an address', 'ada@acme.example may not', 'ada@acme'],
  ['a credential', 'Authorization: Bearer abc123 is odd', 'abc123'],
  ['a JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl', 'eyJ'],
  ['a query', 'no such thing: /x?step=abc', 'step=abc'],
  ['a member that explains nothing', '{"message":"no","access_token":"abc","user":"ada"}', 'ada'],
  ['a list in such a member', '{"message":"no","user":["ada"]}', 'ada'],
  ['a list in a list of such a member', '{"message":"no","users":[["ada"],{"name":["ada"]}]}', 'ada'],
  ['a script', '<script>alert(1)</script><p>no</p>', 'alert'],
  ['an escape', 'no \u001b[31m\nred\u0000', '\u001b'],
])('the logged explanation of the service never contains %s', (_title, text, never) => {
  expect(explained(text, ['tok-4711'])).not.toContain(never)
})

it('the logged explanation of the service is cut between characters', () => {
  expect(explained('word '.repeat(5_000)).length).toBeLessThan(400)
  expect(explained(`${'a '.repeat(99)}a${'😀'.repeat(50)}`).isWellFormed()).toBe(true)
  expect(explained('')).toContain('No reason was given')
})

it.each<[number, number, string]>([
  [410, 502, 'service_misconfigured'],
  [302, 502, 'service_misconfigured'],
  [308, 502, 'service_misconfigured'],
  [204, 503, 'service_unavailable'],
  [400, 502, 'service_refused_request'],
  [418, 502, 'service_refused_request'],
  ...[408, 409, 421, 423, 425].map((status): [number, number, string] => [
    status,
    503,
    'service_unavailable',
  ]),
  [599, 503, 'service_unavailable'],
])('status %i of the service becomes the problem %i %s', (status, problemStatus, code) => {
  expect(problemFor(status)).toMatchObject({ status: problemStatus, code })
})

const html = { headers: { 'content-type': 'text/html' } }

it.each([400, 404, 422])('an error response with status %i may be about the person', (status) => {
  expect(problemFor(status).mayBeAboutPerson).toBe(true)
})

it.each([400, 422])('an HTML page with status %i isn’t about the person', (status) => {
  expect(problemFor(status, '', html).mayBeAboutPerson).toBe(false)
})

// Contract 7: 401 and 403 are about the token.
it.each([401, 403, 405, 410, 418, 429, 500])(
  'an error response with status %i isn’t about the person',
  (status) => {
    expect(problemFor(status).mayBeAboutPerson).toBe(false)
  },
)

it('every error status has a text for people with a next step', () => {
  for (const status of [400, 401, 403, 404, 429, 500]) {
    const { title, advice } = problemTexts(problemFor(status), t, neutralCompany.displayName)
    expect(title).not.toBe('')
    expect(advice).toMatch(/try again|sign in again|ask for access|needs to fix this|fixing on our side/i)
  }
})

it.each([
  [403, { 'content-type': 'text/html' }],
  [401, { 'www-authenticate': 'Basic' }],
])('status %i with the headers %j counts as a proxy’s', (status, headers) => {
  expect(problemFor(status, '', { headers }).detail).toContain('a firewall or login page may')
  expect(problemFor(status).detail).not.toContain('firewall')
  const ofToken = problemFor(status, '', { headers, credentials: GLOBAL_TOKEN })
  expect(ofToken.detail).toContain('something in front of the service')
})

const headers = { 'retry-after': '7' }

const REFUSED = { status: 502, code: 'search_refused', retryAfter: undefined }
const MISCONFIGURED = { status: 502, code: 'search_misconfigured', retryAfter: undefined }

it.each<[number, object]>([
  ...[400, 413, 414, 422].map((status): [number, object] => [status, REFUSED]),
  ...[402, 404, 410, 418].map((status): [number, object] => [status, MISCONFIGURED]),
  [403, { status: 403, code: 'search_forbidden', retryAfter: undefined }],
  [429, { status: 503, code: 'search_busy', retryAfter: 7 }],
  [504, { status: 503, code: 'search_unavailable', retryAfter: 7 }],
])('status %i of a search becomes the problem %j, with texts about searching', (status, expected) => {
  const problem = problemFor(status, '', { operation: 'search', headers })
  expect(problem).toMatchObject(expected)
  const { title, advice } = problemTexts(problem, t, neutralCompany.displayName)
  expect(`${title} ${advice}`).not.toMatch(/check your apps|connect apps|connecting/i)
  expect(title).toMatch(/search/i)
})

it('a search that times out has its own code', () => {
  const late = Object.assign(new Error('late'), { name: 'TimeoutError' })
  expect(noValidResponse('search', { cause: late }).code).toBe('search_too_slow')
  const cause = new Error('reset')
  const problem = noValidResponse('search', { cause })
  expect(problem).toMatchObject({ status: 503, code: 'search_unavailable', retryAfter: 5, cause })
})
