// Consent URLs: paths from the service can't lead elsewhere.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { consentUrl, isStartable } from '../../src/client-api/consent-url.ts'

const BASE = 'https://svc.example'

const bases = [BASE, `${BASE}/tenant/a`, 'http://127.0.0.1:8080/t']

it.each([
  ['slack_1', '/auth/datasource/slack_1?token=a%2Bb&x=1'],
  ['slack_1', '/auth/datasource/slack_1'],
  ['slack_1', '/auth/datasource/slack_1/'],
  ['slack_1', '/auth/datasource/slack_1/start?token=t'],
  ['slack_1', '/auth/datasource/slack_1?token=t&redirect=https%3A%2F%2Fonramp.example%2Fcb%3Fstep%3D1'],
  ['slack_1', '/auth/datasource/slack_1?token=a/../b//c:@'],
  ['slack_1', '/auth/datasource/%73lack_1?token=t'],
  ['custom space/%2F?#&_1', '/auth/datasource/custom%20space%2F%252F%3F%23%26_1?token=t'],
  ['ä_1', '/auth/datasource/%C3%A4_1?token=t'],
  ['slack', '/auth/datasource/slack?token=t'],
])('the consent URL of %s keeps the path %s byte for byte', (instance, path) => {
  for (const base of bases) expect(consentUrl(base, instance, path)).toBe(base + path)
})

const hostilePaths = [
  '',
  '//evil.example/auth/datasource/slack_1',
  '/\\evil.example/auth/datasource/slack_1',
  'https://evil.example/auth/datasource/slack_1',
  'javascript:alert(1)',
  '@evil.example/auth/datasource/slack_1',
  '/auth/datasource/github_1?token=t',
  '/auth/datasource/slack_12?token=t',
  '/auth/datasource/SLACK_1?token=t',
  '/auth/datasource/',
  '/auth/datasource/../../admin',
  '/auth/datasource/slack_1/../github_1?token=t',
  '/auth/datasource/slack_1/%2e%2e/x',
  '/auth/datasource/slack_1/..%2f..%2fadmin',
  '/auth/datasource/slack_1%2f..%2fgithub_1',
  '/auth/datasource/slack_1/%zz',
  '/auth/datasource/slack_1?token=a\\b',
  '/auth/datasource/slack_1?token=a\r\nSet-Cookie: x=1',
  '/auth/datasource/slack_1?token=a\u2028',
  `/auth/datasource/slack_1?token=${'a'.repeat(4096)}`,
]
it.each(hostilePaths)('the hostile path %j gives no consent URL', (path) => {
  expect(consentUrl(BASE, 'slack_1', path)).toBeUndefined()
  expect(consentUrl(`${BASE}/tenant/a`, 'slack_1', path)).toBeUndefined()
})

it.each(['..', '.', '%2e%2e'])('an instance called %s gives no consent URL', (instance) => {
  expect(consentUrl(BASE, instance, `/auth/datasource/${encodeURIComponent(instance)}/x`)).toSatisfy(
    (url: unknown) => url === undefined || instance === '%2e%2e',
  )
  expect(consentUrl(BASE, instance, `/auth/datasource/${instance}/../../admin`)).toBeUndefined()
})

const bits = [
    '/auth/datasource/slack_1', '/auth/datasource/', '/', '//', '\\', '@', ':', '.', '..', '%2e', '%2f', '%5c', '%25', '?', '#',
    '?token=t', 'evil.example', 'https://', '\t', '\n', ' ', 'é', '\u2028', ';', '%zz', '%00',
  ] // prettier-ignore
const path = fc
  .array(fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 3 })), { maxLength: 10 })
  .map((parts) => parts.join(''))
const likelyPath = fc.oneof(
  path,
  path.map((rest) => `/auth/datasource/slack_1${rest}`),
)

it.each(bases)('any consent URL stays under %s and at its datasource, whatever the path', (base) => {
  fc.assert(
    fc.property(likelyPath, (value) => {
      const url = consentUrl(base, 'slack_1', value)
      if (url === undefined) return
      expect(url).toBe(base + value)
      const opened = new URL(url)
      expect(opened.origin).toBe(new URL(base).origin)
      const under = `${new URL(base).pathname.replace(/\/$/, '')}/auth/datasource/`
      expect(opened.pathname.startsWith(under)).toBe(true)
      const [segment = '', ...rest] = opened.pathname.slice(under.length).split('/')
      expect(decodeURIComponent(segment)).toBe('slack_1')
      for (const part of rest) expect(decodeURIComponent(part).split('/')).not.toContain('..')
    }),
    { numRuns: 5_000 },
  )
})

it('isStartable agrees with consentUrl for any path', () => {
  fc.assert(
    fc.property(likelyPath, fc.constantFrom('slack_1', 'slack', '..', ''), (value, instance) => {
      expect(isStartable(instance, value)).toBe(consentUrl(BASE, instance, value) !== undefined)
    }),
    { numRuns: 2_000 },
  )
})
