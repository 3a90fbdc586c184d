// Requests of scanners, prefetching browsers and programs; unknown and forged addresses; and headers of every response.
import { beforeEach, expect, it } from 'vitest'
import { expectPage, openJourney } from '../helpers/journey.ts'
import { shared } from '../helpers/shared.ts'

const journey = shared(openJourney)
beforeEach(() => journey.sandbox.reset())

it.each<[string, Record<string, string>]>([
  ['by a prefetch', { 'sec-purpose': 'prefetch' }],
  ['by a prerender', { 'sec-purpose': 'prefetch;prerender' }],
  ['by an older prefetch', { purpose: 'prefetch' }],
  ['by a prefetch of a very old browser', { 'x-moz': 'prefetch' }],
  ['by a preview of Safari or a messenger', { 'x-purpose': 'preview' }],
  ['by a prefetch through a proxy', { 'sec-purpose': 'prefetch;anonymous-client-ip' }],
])('a connect link that is opened %s sends no request to the service', async (_title, headers) => {
  const { browser } = await journey.begin(2)
  for (const path of ['/onboarding/connect', '/onboarding/connect/slack_1']) {
    const hop = await browser.open(journey.url + path, { follow: false, from: browser.page.url, headers })
    expect([hop.status, hop.location]).toEqual([503, undefined])
  }
  expect(journey.sandbox.requests).toEqual([])
})

it('an unknown address gives a page with a link, and a problem for programs', async () => {
  const { browser } = await journey.begin(1)
  for (const path of [
    '/nowhere',
    '/onboarding/x.css',
    '/onboarding;x.js',
    '/onboarding/callback/x',
    '/%2e%2e/etc',
    '/admin.php',
  ]) {
    const hop = await browser.open(journey.url + path)
    expect(hop.status, path).toBe(404)
    expectPage(hop)
    const json = await browser.open(journey.url + path, { headers: { accept: 'application/json' } })
    expect(JSON.parse(json.body)).toMatchObject({ status: 404, code: 'not_found' })
  }

  const bad = await browser.open(`${journey.url}/onboarding/connect/%E0%A4%A`, { from: journey.url })
  expect(bad.status).toBe(400)
  expectPage(bad)
})

it('forged Host and forwarded headers change no address', async () => {
  const forged = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '10.0.0.1',
    forwarded: 'host=evil.example;proto=https',
    host: 'evil.example',
  }
  const { browser } = await journey.begin(1)

  const connect = await browser.click('/onboarding/connect/slack_1', { headers: forged, follow: false })
  expect(connect.location).toMatch(new RegExp(`^${journey.sandbox.urls.service}/auth/datasource/slack_1`))
  expect(journey.sandbox.requests[0]?.query['final_redirect_url']).toMatch(
    new RegExp(`^${journey.url}/onboarding/callback\\?step=`),
  )

  const signIn = await browser.open(`${journey.url}/sign-in`, { headers: forged, follow: false })
  const authorization = new URL(signIn.location ?? '')
  expect(authorization.origin).toBe(journey.sandbox.urls.authorizationServer)
  expect(authorization.searchParams.get('redirect_uri')).toBe(`${journey.url}/sign-in/callback`)

  const page = await browser.open(`${journey.url}/onboarding`, { headers: forged })
  expect(page.body).not.toContain('evil')
})

it('every response has the security headers, and doesn’t name its software', async () => {
  const { browser } = await journey.begin(1)

  for (const path of [
    '/',
    '/onboarding',
    '/onboarding/connect',
    '/nowhere',
    '/sign-in',
    '/signed-out',
    '/api/status',
    '/search?q=a',
  ]) {
    const { headers, location } = await browser.open(journey.url + path, { follow: false })
    const leaves = location !== undefined && new URL(location, journey.url).origin !== journey.url
    expect(headers['cache-control'], path).toBe('no-store, no-transform')
    expect(headers['content-security-policy'], path).toContain("default-src 'none'")
    expect(headers['content-security-policy'], path).not.toContain('unsafe')
    expect(headers['x-content-type-options'], path).toBe('nosniff')
    expect(headers['referrer-policy'], path).toBe(leaves ? 'no-referrer' : 'strict-origin')
    for (const name of ['x-powered-by', 'server', 'etag']) expect(headers, path).not.toHaveProperty(name)
  }
})
