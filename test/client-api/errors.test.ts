import { describe, expect, it } from 'vitest'
import { noAnswer, problemOf, retryAfterSeconds, TokenRefused } from '../../src/client-api/errors.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { problemWords } from '../../src/web/error-page.ts'
import { t } from '../helpers/texts.ts'
import { cpuTimeOf } from '../helpers/cpu-time.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

/** The contract shows no shape of an error's body: the same words in several. */
const shapes: [string, (message: string) => string][] = [
  ['text', (message) => message],
  ['HTML', (message) => `<!doctype html><title>x</title><p>${message}</p>`],
  ['message', (message) => JSON.stringify({ message })],
  ['error', (message) => JSON.stringify({ error: { code: 1, message } })],
  ['errors', (message) => JSON.stringify({ errors: [{ message }] })],
]
const refusal = (status: number, text = '', retryAfter?: string) =>
  problemOf({ operation: 'checkdatasourceauth', status, text, retryAfter }, NOW)

const REDIRECTS = [
  'final_redirect_url is not allowed',
  'Invalid final_redirect_url: host "onramp.acme.example" is not on the allowlist',
  'finalRedirectUrl must be an allowed URL',
  'The Final Redirect URL https://a.example/onboarding/callback?step=s3cr3tstep is not permitted',
  'The redirect URL is not allowed',
  'Redirect URI http://a.example/x?step=s3cr3tstep is not permitted',
  'redirect destination: not an allowed host',
]

describe.each(shapes)('a refusal of the service as %s', (_name, shaped) => {
  it('401 Unauthorized may be helped by a new sign-in', () => {
    const problem = refusal(401, shaped('Unauthorized'))
    expect(problem).toBeInstanceOf(TokenRefused)
    expect(problem.code).toBe('service_refused_sign_in')
  })

  it('403 Forbidden is for the administrator, and names the settings', () => {
    const problem = refusal(403, shaped('Forbidden'))
    expect(problem).toMatchObject({ status: 403, code: 'service_forbidden' })
    expect(problem.detail).toContain('OIDC_SCOPE')
  })

  it.each([400, 401, 403, 500])('%i with “Invalid Secret” is a matter of TOKEN_ISSUED_BY', (status) => {
    const problem = refusal(status, shaped('Invalid Secret'))
    expect(problem.code).toBe('service_misconfigured')
    expect(problem.detail).toContain('TOKEN_ISSUED_BY=external-idp')
  })

  it.each([400, 401, 403])('%i about X-Service-Auth-Type is too', (status) => {
    for (const words of [
      'Required header missing: X-Service-Auth-Type',
      'missing x-service-auth-type header',
    ])
      expect(refusal(status, shaped(words)).detail).toContain('TOKEN_ISSUED_BY=external-idp')
  })

  it.each([400, 401, 403])('%i about X-Service-ActAs is a global token where none belongs', (status) => {
    const problem = refusal(status, shaped('Required header missing: X-Service-ActAs'))
    expect(problem.code).toBe('service_misconfigured')
    expect(problem.detail).toContain('X-Service-ActAs')
    expect(problem.detail).not.toContain('TOKEN_ISSUED_BY')
  })

  it('quotes nothing of what the service said where the status explains it', () => {
    for (const status of [401, 403, 404, 429, 500, 502]) {
      const problem = refusal(status, shaped('planted-secret <b>bold</b>'))
      expect(JSON.stringify([problem.message, problem.detail, problem.stack])).not.toContain('planted')
    }
  })
})

describe.each([
  ...shapes,
  ['field', (message) => JSON.stringify({ errors: [{ field: 'final_redirect_url', message }] })],
  ['member', (message) => JSON.stringify({ final_redirect_url: [message] })],
  ['detail', (message) => JSON.stringify({ type: 'about:blank', title: 'Bad Request', detail: message })],
] as typeof shapes)('a refusal of the address to come back to, as %s', (_name, shaped) => {
  it.each(REDIRECTS)('is told apart, worth no other try, and names the setting: %s', (message) => {
    for (const status of [400, 422]) {
      const problem = refusal(status, shaped(message))
      expect(problem).toMatchObject({ status: 502, code: 'service_refused_return', retryAfter: undefined })
      expect(problem.detail).toContain('PUBLIC_URL')
      expect(problem.detail).toContain('allowed redirect addresses')
      expect(problem.detail).toMatch(/It said: “.*(allow|permitted)/)
      expect(problem.detail).not.toContain('s3cr3tstep')
    }
  })

  it('is not taken for one where the message only quotes the address that was asked', () => {
    const asked =
      'Malformed header at /rest/api/v1/checkdatasourceauth?final_redirect_url=https%3A%2F%2Fa.example'
    expect(refusal(400, shapes[2]?.[1](asked)).code).toBe('service_refused_request')
  })
})

describe('a refusal without a known reason', () => {
  it.each([400, 422])('%i names the one parameter that was sent, and its setting', (status) => {
    for (const text of ['', 'Bad Request', '{"code":3}'])
      expect(refusal(status, text).detail).toMatch(/final_redirect_url, made of PUBLIC_URL/)
    expect(refusal(403, 'no').detail).not.toContain('PUBLIC_URL')
  })
})

describe('what the service said', () => {
  const said = (text: string, secrets: string[] = []) =>
    problemOf({ operation: 'checkdatasourceauth', status: 400, text, retryAfter: undefined, secrets }, NOW)
      .detail

  it.each([
    ['a token', 'bad token tok-4711 given', ['tok-4711'], 'tok-4711'],
    ['an address', 'ada@acme.example may not', [], 'ada@acme'],
    ['a credential', 'Authorization: Bearer abc123 is odd', [], 'abc123'],
    ['a JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl', [], 'eyJ'],
    ['a query', 'no such thing: /x?step=abc', [], 'step=abc'],
    [
      'a member that explains nothing',
      '{"message":"no","access_token":"abc","user":"ada"}',
      [],
      'a'.repeat(0) + 'ada',
    ],
    ['a script', '<script>alert(1)</script><p>no</p>', [], 'alert'],
    ['an escape', 'no \u001b[31m\nred\u0000', [], '\u001b'],
  ])('never brings %s into the log', (_what, text, secrets, never) => {
    expect(said(text, secrets)).not.toContain(never)
  })

  it('is cut, and never in the middle of a character', () => {
    expect(said('word '.repeat(5_000)).length).toBeLessThan(400)
    expect(said(`${'a '.repeat(99)}a${'😀'.repeat(50)}`).isWellFormed()).toBe(true)
    expect(said('')).toContain('It gave no reason')
  })

  it('is read in a moment, however it is made', () => {
    const texts = [
      '<'.repeat(1e6),
      '['.repeat(1e6),
      'a@'.repeat(5e5),
      '?'.repeat(1e6),
      '<script'.repeat(1e5),
      'token '.repeat(2e5),
    ]
    expect(cpuTimeOf(() => texts.forEach((text) => said(text)))).toBeLessThan(1_000)
  })
})

describe('a search that fails', () => {
  const failure = (status: number, text = '') =>
    problemOf({ operation: 'search', status, text, retryAfter: '7' }, NOW)

  it.each([
    [400, 502, 'search_refused'],
    [422, 502, 'search_refused'],
    [402, 502, 'search_misconfigured'],
    [407, 502, 'search_misconfigured'],
    [403, 403, 'search_forbidden'],
    [404, 502, 'search_misconfigured'],
    [302, 502, 'search_misconfigured'],
    [429, 503, 'search_busy'],
    [500, 503, 'search_unavailable'],
    [504, 503, 'search_unavailable'],
  ])('with %i is answered with %i %s, and in words about searching', (status, ours, code) => {
    const problem = failure(status)
    expect(problem).toMatchObject({ status: ours, code })
    expect(problem.retryAfter).toBe(ours === 503 ? 7 : undefined)
    const { title, advice } = problemWords(problem, t, neutralCompany.nameOf)
    expect(`${title} ${advice}`).not.toMatch(/check your apps|connect apps|connecting/i)
    expect(title).toMatch(/search/i)
  })

  it('tells a time-out from another silence', () => {
    const late = Object.assign(new Error('late'), { name: 'TimeoutError' })
    expect(noAnswer('search', 'no usable answer', late).code).toBe('search_too_slow')
    expect(noAnswer('search', 'no usable answer', new Error('reset')).code).toBe('search_unavailable')
    expect(failure(401, 'Invalid Secret').code).toBe('search_misconfigured')
  })
})

describe('other statuses', () => {
  it.each([
    [429, 503, 'service_busy'],
    [404, 502, 'service_misconfigured'],
    [405, 502, 'service_misconfigured'],
    [410, 502, 'service_misconfigured'],
    [301, 502, 'service_misconfigured'],
    [302, 502, 'service_misconfigured'],
    [307, 502, 'service_misconfigured'],
    [308, 502, 'service_misconfigured'],
    [201, 503, 'service_unavailable'],
    [204, 503, 'service_unavailable'],
    [400, 502, 'service_refused_request'],
    [418, 502, 'service_refused_request'],
    [422, 502, 'service_refused_request'],
    [408, 503, 'service_unavailable'],
    [425, 503, 'service_unavailable'],
    [500, 503, 'service_unavailable'],
    [502, 503, 'service_unavailable'],
    [599, 503, 'service_unavailable'],
  ])('%i is answered with %i %s', (status, ours, code) => {
    expect(refusal(status)).toMatchObject({ status: ours, code })
  })

  it('no answer at all is worth another try and keeps its cause for the log', () => {
    const cause = new Error('reset')
    expect(noAnswer('search', 'no usable answer', cause)).toMatchObject({ status: 503, retryAfter: 5, cause })
  })

  it('each has words for people with a next step', () => {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const problem = refusal(status)
      const { title, advice } = problemWords(problem, t, neutralCompany.nameOf)
      expect(title).not.toBe('')
      expect(advice).toMatch(/try again|sign in again|ask for access|needs to fix this|fixing on our side/i)
    }
  })
})

describe('Retry-After', () => {
  it.each([
    [undefined, 5],
    ['', 5],
    ['0', 1],
    ['1', 1],
    [' 30 ', 30],
    ['299', 299],
    ['1000000000', 300],
    ['9'.repeat(400), 300],
    ['-5', 5],
    ['1.5', 5],
    ['1e3', 5],
    ['30 seconds', 5],
    ['garbage', 5],
    ['Sat, 21 Nov 2026 12:00:42 GMT', 42],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 1],
    ['Sat, 21 Nov 2099 11:00:00 GMT', 300],
    ['Saturday, 21-Nov-26 12:00:42 GMT', 42],
    ['Sat Nov 21 12:00:42 2026', 42],
  ])('%j means %i seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds)
  })

  it('goes into the answer about a busy service', () => {
    expect(refusal(429, '', '7').retryAfter).toBe(7)
    expect(refusal(429).retryAfter).toBe(5)
  })
})

describe('a refusal of a person’s token that came as a web page, or with another challenge', () => {
  it.each([
    [403, { 'content-type': 'text/html' }],
    [401, { 'www-authenticate': 'Basic' }],
  ])('(%i) names the settings and who else may have sent it', (status, headers) => {
    const given = { operation: 'search', status, text: '', retryAfter: undefined } as const
    expect(problemOf({ ...given, headers }).detail).toContain('a firewall or a login in front of it may')
    expect(problemOf({ ...given, headers: {} }).detail).not.toContain('firewall')
  })
})
