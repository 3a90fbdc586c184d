import { describe, expect, it } from 'vitest'
import { noAnswer, problemOf, retryAfterSeconds, TokenRefused } from '../../src/client-api/errors.ts'
import { texts } from '../../src/web/texts.en.ts'

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

  it('never quotes what the service said', () => {
    for (const status of [400, 401, 403, 404, 418, 429, 500, 502]) {
      const problem = refusal(status, shaped('planted-secret <b>bold</b>'))
      expect(JSON.stringify([problem.message, problem.detail, problem.stack])).not.toContain('planted')
    }
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
    [400, 503, 'service_unavailable'],
    [418, 503, 'service_unavailable'],
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
    for (const status of [401, 403, 404, 429, 500]) {
      const problem = refusal(status)
      const { title, advice } = texts.problems[problem.code]
      expect(title).not.toBe('')
      expect(advice(problem)).toMatch(/try again|ask your administrator|tell your administrator/i)
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
