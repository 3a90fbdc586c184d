// Every link, header and redirect of a page leads to this site, whatever the request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw, type RawResponse } from '../helpers/raw-request.ts'
import { startRedis } from '../helpers/redis.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const redis = shared(startRedis)
const running = shared(() => run({ settings: { REDIS_URL: redis.url, SIGN_INS_PER_MINUTE: '100000' } }))
let cookie: string
beforeAll(async () => {
  cookie = (await signIn(running, 'ada')).cookieHeader(running.url)
})

const EVIL = 'evil.example'
const targets = [
  `//${EVIL}/login`,
  `/\\${EVIL}/login`,
  `/%09/${EVIL}/login`,
  `/%2f${EVIL}/login`,
  `/..//${EVIL}/login`,
  `/onboarding/..//${EVIL}/login`,
  `//${EVIL}@localhost/onboarding`,
  `http://${EVIL}/onboarding`,
  `http://${EVIL}/sign-in?return_to=/x`,
  `https://${EVIL}//${EVIL}/onboarding`,
  `http:/${EVIL}/login`,
  `javascript:alert(1)//${EVIL}`,
  `/onboarding?return_to=https://${EVIL}/`,
  `/sign-in?return_to=//${EVIL}/`,
  `/sign-in?return_to=/%09/${EVIL}`,
  `/search?q=//${EVIL}`,
  `//${EVIL}/%E0%A4%A`,
  `http://[::1/onboarding`,
]

/** The URLs that a browser could open from this page, resolved like in browsers. */
function waysOn(response: RawResponse): URL[] {
  const refresh = /url=(.*)$/i.exec(response.headers['refresh'] ?? '')?.[1]
  const written = [
    ...[...response.body.matchAll(/(?:href|action|src)="([^"]*)"/g)].map((match) => match[1] ?? ''),
    ...[...response.body.matchAll(/content="\d+; *url=([^"]*)"/g)].map((match) => match[1] ?? ''),
    ...[refresh, response.headers['location']].filter((one) => one !== undefined),
  ]
  const plain = written.map((one) => one.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
  return plain.filter((one) => !one.startsWith('#')).map((one) => new URL(one, running.url))
}

function expectOurs(response: RawResponse, target: string): void {
  const { authorizationServer } = running.sandbox.urls
  for (const way of waysOn(response)) {
    expect([new URL(running.url).origin, new URL(authorizationServer).origin], target).toContain(way.origin)
    // A path with two leading slashes would lead to another site if it is written into a link.
    expect(way.pathname, target).not.toMatch(/^\/\//)
  }
}

const get = (target: string, headers: Record<string, string> = {}) =>
  sendRaw(running.url, target, { headers: { accept: 'text/html', ...headers } })

it.each(targets)('no link or redirect of the page %s leaves this site', async (target) => {
  for (const headers of [{}, { cookie }]) {
    const response = await get(target, headers)
    expect(response.status, response.body).toBeLessThan(500)
    expectOurs(response, target)
    const next = response.headers['location']
    if (next?.startsWith('/sign-in')) expectOurs(await get(next), next)
  }
})

it('a long address survives encoding in return_to', async () => {
  const target = `/onboarding?x=${encodeURIComponent('/'.repeat(300))}`
  const { status, headers } = await get(target)
  expect({ status, location: headers['location'] }).toEqual({
    status: 303,
    location: `/sign-in?return_to=${encodeURIComponent(target.replace('?', '/?'))}`,
  })
  expect((await get(headers['location'] ?? '')).status).toBe(303)
})

describe('an outage of the store', () => {
  beforeAll(() => redis.kill())
  afterAll(() => redis.start())

  it.each(targets)(
    'during an outage of the store, no link of the page %s leaves this site',
    async (target) => {
      const response = await get(target, { cookie })
      expect(response.status).toBeGreaterThan(200)
      expectOurs(response, target)
    },
  )

  it.each([
    '/onboarding',
    '/onboarding?datasource=slack_1',
    '/search?q=a%20b',
    '/sign-in?return_to=%2Fonboarding',
  ])('during an outage of the store, the page offers %s again, unchanged', async (target) => {
    const response = await get(target, { cookie })
    expect(response.status).toBe(503)
    expect(waysOn(response).map(({ href }) => href)).toContain(running.url + target)
  })

  it('during an outage, a callback offers the start of its sign-in, and keeps its secrets', async () => {
    const begun = await get('/sign-in?return_to=%2Fsearch%3Fq%3Da')
    const own = begun.headers['set-cookie']?.split(';')[0] ?? ''
    const { searchParams: query } = new URL(begun.headers['location'] ?? '')
    const [state, code] = [query.get('state') ?? 'missing', 'the-code-of-a-sign-in']
    for (const [path, cookies] of [
      ['/sign-in/callback', own],
      ['/Sign-In/Callback/', `${cookie}; ${own}`],
    ]) {
      const response = await get(`${path}?state=${state}&code=${code}`, { cookie: cookies ?? '' })
      expect(response.status).toBe(503)
      const ways = waysOn(response).map(({ href }) => href)
      expect(ways).toContain(`${running.url}/sign-in?return_to=%2Fsearch%3Fq%3Da`)
      for (const secret of [state, code]) expect(response.body + running.log.join('')).not.toContain(secret)
    }
  })

  it('during an outage, a page retries unless the person stops it', async () => {
    const response = await get('/onboarding?datasource=slack_1', { cookie })
    const seconds = response.headers['retry-after']
    expect(response.headers['refresh']).toBe(`${seconds}; url=/onboarding?datasource=slack_1`)
    const still = '/onboarding?datasource=slack_1&still=yes'
    expect(response.body).toContain(`href="${still.replace('&', '&amp;')}"`)
    expect((await get(still, { cookie })).headers['refresh']).toBeUndefined()
  })
})
