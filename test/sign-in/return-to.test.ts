// Destinations of return_to: our own pages and allowed origins only.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  decodeReturnTo,
  parseReturnTo,
  signInPath,
  tryAgainPath,
  safeReturnTo,
} from '../../src/sign-in/return-to.ts'
import { cpuTimeOf } from '../helpers/cpu-time.ts'
import { numRuns } from '../hostile/inputs.ts'

const rules = {
  publicOrigin: 'https://onramp.example',
  allowedOrigins: ['https://intranet.example', 'http://localhost:8080'],
}
const encodeReturnTo = (path: string) => decodeURIComponent(signInPath(path).replace(/.*?=/, ''))
const safe = (value: unknown) => safeReturnTo(value, rules)

it.each([
  ['/onboarding', '/onboarding'],
  ['/onboarding?datasource=slack&datasource=github_1', '/onboarding/?datasource=slack&datasource=github_1'],
  ['/onboarding/callback?step=abc#x', '/onboarding/callback?step=abc#x'],
  ['/search?q=%40%2F%2Fevil', '/search?q=%40%2F%2Fevil'],
  ['/a/../b', '/b'],
  ['/team/sign-in', '/team/sign-in'],
  ['https://onramp.example/onboarding', '/onboarding'],
  ['https://intranet.example/tools?x=1', 'https://intranet.example/tools?x=1'],
  ['https://INTRANET.example', 'https://intranet.example/'],
  ['https://intranet.example:443/', 'https://intranet.example/'],
  ['http://localhost:8080/here', 'http://localhost:8080/here'],
  [`/${'a'.repeat(1023)}`, `/${'a'.repeat(1023)}`],
])('the return_to %s redirects to %s', (value, expected) => {
  expect(safe(value)).toBe(expected)
})

it.each([
  '//evil.example',
  '/\\evil.example',
  '//intranet.example/x',
  'a/https://intranet.example/x',
  '/\t/evil.example',
  ' //evil.example',
  '/..//evil.example',
  '/%2e%2e//evil.example',
  'https://evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'https://user:pass@intranet.example/',
  'https://onramp.example.evil.example/',
  'https://evil-onramp.example/',
  'https://sub.intranet.example/',
  'https://intranet.example:8443/',
  'http://intranet.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  'onboarding',
  '@evil.example',
  '#x',
  '',
  '/onboärding',
  '/\u2028/evil.example',
  '／／evil.example',
  'https://[::1',
  `/${'a'.repeat(1024)}`,
  undefined,
  null,
  7,
  ['/onboarding', '/onboarding'],
  { toString: () => '/onboarding' },
  '/sign-in',
  '/SIGN-IN/callback?code=1',
  '/sign-out',
  '/signed-out',
  '/x/../sign-out',
  'https://onramp.example/sign-out',
])('the return_to %j is refused', (value) => {
  expect(safe(value)).toBeUndefined()
})

it.each([`/${'a'.repeat(1024)}`, `/on?${'a'.repeat(1020)}`])(
  'a return_to of more than 1,024 characters, also once normalized, is an error: %.9s',
  (path) => {
    const tooLong = {
      status: 400,
      code: 'return_to_too_long',
      detail: expect.stringContaining('1024') as string,
    }
    expect(() => parseReturnTo(path, rules)).toThrow(expect.objectContaining(tooLong))
    expect(parseReturnTo(path.slice(0, -1), rules)).toBe(safe(path.slice(0, -1)))
  },
)

const bits = [
  '/', '//', '\\', '@', ':', '.', '..', '%2e', '%2f', '%5c', '%09', '%0d%0a', '\t', '\n', '\r', ' ', '?', '#', '&', '=',
  'http', 'https', 'javascript', 'onramp.example', 'intranet.example', 'evil.example', 'sign-in', 'é', '\u2028', '\u202e', '；',
] // prettier-ignore
const hostile = fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 3 })), { maxLength: 12 })
const joined = hostile.map((parts) => parts.join(''))
const permitted = [rules.publicOrigin, ...rules.allowedOrigins]
const absolute = fc
  .tuple(fc.constantFrom(...permitted, 'https://evil.example'), joined)
  .map(([o, r]) => o + r)

it('a browser opens every accepted address at an allowed origin, unchanged', () => {
  fc.assert(
    fc.property(fc.oneof(joined, absolute, fc.string()), (value) => {
      const result = safe(value)
      if (result === undefined) return
      for (const page of ['https://onramp.example/sign-in/callback', 'https://onramp.example/a/b/c'])
        expect(permitted).toContain(new URL(result, page).origin)
      expect(result).toMatch(/^(\/(?!\/)|https?:\/\/)[\x21-\x7e]*$/)
      expect(safe(result)).toBe(result)
    }),
    { numRuns: numRuns * 10 },
  )
})

it('an address of 100 KB is checked quickly', () => {
  const took = cpuTimeOf(() => {
    for (const unit of ['/', '../', '%2e', '\\', '@', 'a']) safe(`/${unit.repeat(100_000)}`)
  })
  expect(took).toBeLessThan(100)
})

it.each([
  ['/onboarding?datasource=slack_0', '/onboarding/?datasource=slack_0'],
  ['/onboarding?lang=de', '/onboarding/?lang=de'],
  ['/Onboarding?lang=de', '/Onboarding/?lang=de'],
  ['/a/once?b=c', '/a/once/?b=c'],
  ['/onboarding/?lang=de', '/onboarding/?lang=de'],
  ['/onboarding', '/onboarding'],
  ['/onboarding#on?a', '/onboarding#on?a'],
  ['/onboarding/callback?step=1', '/onboarding/callback?step=1'],
  ['/search?q=/only?', '/search?q=/only?'],
  ['/connect/on_1?a=b', '/connect/on_1/?a=b'],
  ['https://intranet.example/on?a=b', 'https://intranet.example/on?a=b'],
])('%s is written as %s in a parameter, so that firewalls find no event handler', (path, written) => {
  expect(encodeReturnTo(path)).toBe(written)
})

it('an address of this site is unchanged in a redirect', () => {
  for (const path of [
    '/onboarding?datasource=slack_0',
    '/onboarding',
    '/onboarding/callback?step=1',
    '/a/once/?b=c',
  ])
    expect(decodeReturnTo(encodeReturnTo(path))).toBe(path)
})

const returnToOf = ({ searchParams }: URL) =>
  searchParams.get('state') === 'ours' ? '/search?q=a' : undefined

it.each([
  ['/onboarding?a=1', '/onboarding?a=1'],
  [`${rules.publicOrigin}/onboarding`, '/onboarding'],
  ['https://elsewhere.example/onboarding', undefined],
  ['//elsewhere.example/onboarding', undefined],
  ['/x/sign-in/y', '/x/sign-in/y'],
  ['/..//elsewhere.example', undefined],
  ['/sign-in/callback?code=secret', '/sign-in?return_to=%2Fonboarding'],
  ['/Sign-In/callback?code=secret&state=ours', '/sign-in?return_to=%2Fsearch%3Fq%3Da'],
])('"Try again" for %s leads to %s', (requests, leads) => {
  expect(tryAgainPath(requests, rules.publicOrigin, returnToOf)).toBe(leads)
})
