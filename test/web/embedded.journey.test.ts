// Requests that another site's page makes without the person (image, script, frame, fetch) start nothing; links that a
// person follows do.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendRaw } from '../helpers/raw-request.ts'
import { startRedis } from '../helpers/redis.ts'
import { invite, run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const INTRANET = 'https://intranet.acme.example'

const redis = shared(startRedis)
const settings = { SIGN_INS_PER_MINUTE: '100000', RETURN_TO_ORIGINS: INTRANET }
const running = shared(() => run({ settings: { REDIS_URL: redis.url, ...settings } }))
let token: string
beforeAll(async () => {
  token = invite(running)
  await sendRaw(running.url, '/sign-in')
})
beforeEach(() => running.sandbox.clearRequests())

type Sent = { site: string; mode: string; dest: string }
const fetchMetadata = ({ site, mode, dest }: Sent) => ({
  accept: 'text/html,*/*',
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
})

const embedded: [string, string, string][] = [
  ['an image', 'no-cors', 'image'],
  ['a script', 'no-cors', 'script'],
  ['a style sheet', 'no-cors', 'style'],
  ['a video', 'no-cors', 'video'],
  ['a fetch', 'cors', 'empty'],
  ['a beacon', 'no-cors', 'empty'],
  ['a frame', 'navigate', 'iframe'],
  ['an object', 'navigate', 'object'],
  ['an embedded thing', 'navigate', 'embed'],
  ['a worker', 'same-origin', 'worker'],
  ['a web socket', 'websocket', 'websocket'],
]
const paths = () => [
  '/sign-in',
  '/Sign-In/?return_to=/onboarding',
  '/sign-in/callback?state=x&code=y',
  `/invite/${token}`,
  `/invite/${token}/start`,
  `/invite/${token}/opt-out`,
  `/Invite/${token}/START?account=other`,
  '/sign-out/continue',
  '/onboarding',
  '/onboarding/connect/slack_1',
  '/search?q=x',
  '/',
]

describe.each(['cross-site', 'same-site'])('%s requests', (site) => {
  it.each(embedded)(
    '%s on another site starts nothing, writes nothing and sets no cookie',
    async (_title, mode, dest) => {
      const before = await redis.dump()
      for (const path of paths()) {
        const response = await sendRaw(running.url, path, { headers: fetchMetadata({ site, mode, dest }) })
        expect(response.status, path).toBe(403)
        expect(response.headers['set-cookie'], path).toBeUndefined()
        expect(response.headers['location'], path).toBeUndefined()
      }
      const written = [...(await redis.dump())].filter(([key, value]) => before.get(key) !== value)
      expect(written).toEqual([])
      expect(running.sandbox.requests).toEqual([])
    },
  )

  it('a request with only Sec-Fetch-Site is refused, too', async () => {
    const response = await sendRaw(running.url, '/sign-in', { headers: { 'sec-fetch-site': site } })
    expect(response.status).toBe(403)
    const frame = { 'sec-fetch-site': site, 'sec-fetch-mode': 'nested-navigate' }
    expect((await sendRaw(running.url, '/sign-in', { headers: frame })).status).toBe(403)
  })

  it('a link on another site that a person follows starts the sign-in', async () => {
    const headers = fetchMetadata({ site, mode: 'navigate', dest: 'document' })
    const response = await sendRaw(running.url, '/sign-in', { headers })
    expect(response.status).toBe(303)
    expect(response.headers['location']).toMatch(running.sandbox.urls.authorizationServer)
    expect((await sendRaw(running.url, `/invite/${token}`, { headers })).status).toBe(200)
  })
})

it.each([
  ['an older browser', {}],
  ['a typed address', fetchMetadata({ site: 'none', mode: 'navigate', dest: 'document' })],
  ['a page of ours', fetchMetadata({ site: 'same-origin', mode: 'navigate', dest: 'document' })],
  ['a program with only Sec-Fetch-Mode', { 'sec-fetch-mode': 'cors' }],
  ['a link in Chromium 79', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
])('an unknown path starts the sign-in: %s', async (_title, headers) => {
  expect((await sendRaw(running.url, '/sign-in', { headers })).status).toBe(303)
})

const status = (headers: Record<string, string>) => sendRaw(running.url, '/api/status', { headers })
const fetched = fetchMetadata({ site: 'same-site', mode: 'cors', dest: 'empty' })

it('only allowed origins of the intranet may fetch the counts', async () => {
  const cookie = (await signIn(running, 'ada')).cookieHeader(running.url)
  expect((await status({ ...fetched, cookie, origin: INTRANET })).status).toBe(200)
  expect((await status({ ...fetched, cookie, origin: 'https://other.acme.example' })).status).toBe(403)
  const image = fetchMetadata({ site: 'same-site', mode: 'no-cors', dest: 'image' })
  expect((await status({ ...image, cookie })).status).toBe(403)
})

it('the intranet may load the widget from anywhere', async () => {
  const headers = fetchMetadata({ site: 'cross-site', mode: 'no-cors', dest: 'script' })
  expect((await sendRaw(running.url, '/widget.js', { headers })).status).toBe(200)
})
