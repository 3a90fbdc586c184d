// Requests that fail before their route, or that the browser aborts, are logged and counted under the beginning of
// their path.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { sendRaw } from '../helpers/raw-request.ts'
import { routesFor } from '../helpers/routes.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const TOKEN = 'a-token-for-the-metrics'
const METRICS = { headers: { authorization: `Bearer ${TOKEN}` } }

const running = shared(() => run({ settings: { METRICS_TOKEN: TOKEN, SIGN_INS_PER_MINUTE: '100000' } }))
let cookie: string
beforeAll(async () => {
  cookie = (await signIn(running, 'ada')).cookieHeader(running.url)
})
beforeEach(() => running.sandbox.reset())

/** Number of requests with these labels. */
async function countRequests(route: string, method: string, status: string): Promise<number> {
  const { body } = await sendRaw(running.url, '/metrics', METRICS)
  const start = 'onramp_http_request_duration_seconds_count'
  const series = `${start}{route="${route}",method="${method}",status="${status}"} `
  const line = body.split('\n').find((one) => one.startsWith(series))
  return Number(line?.slice(series.length) ?? 0)
}

const lastLine = () => JSON.parse(running.log.at(-1) ?? '{}') as Record<string, unknown>
const fromElsewhere = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'no-cors',
  'sec-fetch-dest': 'image',
}

// prettier-ignore
it.each<[string, string, string, Record<string, string>, string]>([
  ['from another site', 'POST', '/onboarding/skip/slack_1', fromElsewhere, '/onboarding'],
  ['as an image elsewhere', 'GET', '/Sign-In/?return_to=/x', fromElsewhere, '/sign-in'],
  ['with a bad encoding', 'GET', '/onboarding/connect/%E0%A4%A', {}, '/onboarding'],
  ['by someone signed out', 'GET', '/onboarding/connect/x', { accept: '*/json', cookie: '' }, '/onboarding'],
  ['with too large a form', 'POST', '/sign-out/backchannel', { 'content-type': 'application/x-www-form-urlencoded' }, '/sign-out/backchannel'],
])(
  'a request that fails %s (%s %s) is logged with the beginning of its path',
  async (_title, method, path, headers, route) => {
    const before = await countRequests(route, method, '4xx')
    const body = method === 'POST' ? `a=${'x'.repeat(20_000)}` : ''
    const response = await sendRaw(running.url, path, {
      method,
      body,
      headers: { cookie, ...headers, ...(body === '' ? {} : { 'content-length': String(body.length) }) },
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
    expect(lastLine()).toMatchObject({ route, method })
    expect(await countRequests(route, method, '4xx')).toBe(before + 1)
  },
)

it('a request that fails before its route is counted under that route, never as “other”', async () => {
  const settings = { ...running.env, METRICS_TOKEN: TOKEN }
  const routes = [...(await routesFor('get', settings)), ...(await routesFor('post', settings))]
  expect(routes).toEqual(expect.arrayContaining(['/admin', '/api/status', '/metrics', '/signed-out']))
  for (const path of routes)
    await sendRaw(running.url, path, { method: 'PATCH', headers: { accept: 'application/json', cookie } })
  expect(await countRequests('/onboarding', 'PATCH', '4xx')).toBeGreaterThan(0)
  expect(await countRequests('other', 'PATCH', '4xx')).toBe(0)
})

it('a request without a route is counted as “other”, and no label has its address', async () => {
  const before = await countRequests('other', 'GET', '4xx')
  for (const path of ['/nowhere/SECRET', '/%E0%A4%A', '/constructor/SECRET'])
    await sendRaw(running.url, path, { headers: { accept: 'application/json', cookie } })
  expect(await countRequests('other', 'GET', '4xx')).toBe(before + 3)
  expect((await sendRaw(running.url, '/metrics', METRICS)).body).not.toContain('SECRET')
})

it('a request that the browser aborts is counted as aborted', async () => {
  running.sandbox.switches.set({ latencyMs: 1_500 })
  const before = await countRequests('/search', 'GET', '499')
  const { hostname, port } = new URL(running.url)
  const sent = request({ hostname, port, path: '/search?q=plan', headers: { cookie }, agent: false })
  sent.on('error', () => {})
  sent.end()
  await sleep(300)
  sent.destroy()
  await expect.poll(() => countRequests('/search', 'GET', '499'), { timeout: 5_000 }).toBe(before + 1)
  await sleep(1_500)
  expect(await countRequests('/search', 'GET', '499')).toBe(before + 1)
})
