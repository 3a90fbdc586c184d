// What people who are not signed in can make us store: little, not for long, and no more than a fixed amount in all.
import { Agent, request } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const UNLIMITED = { SIGN_INS_PER_MINUTE: '1000000', REQUESTS_PER_MINUTE: '1000000' }
const agents = new Agent({ connections: 8 })
afterAll(() => agents.close())

type Begin = { method?: 'GET' | 'POST'; addressOf?: (number: number) => string }

/** Somebody new each time. @returns the status */
async function begin(url: string, path: string, { method = 'GET', addressOf }: Begin = {}, number = 0) {
  const headers = addressOf === undefined ? {} : { 'x-forwarded-for': addressOf(number) }
  const { statusCode, body } = await request(url + path, { dispatcher: agents, method, headers })
  await body.dump()
  return statusCode
}

async function beginMany(url: string, path: string, count: number, how: Begin = {}): Promise<number[]> {
  const statuses: number[] = []
  let begun = 0
  const worker = async () => {
    while (begun++ < count) statuses.push(await begin(url, path, how, begun))
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return statuses
}

const LONG = `/onboarding?x=${'a'.repeat(1_000)}`
const pathTo = (returnTo: string) => `/sign-in?return_to=${encodeURIComponent(returnTo)}`

describe('a sign-in that was started and left, on Redis', () => {
  let redis: RedisServer
  let running: Running
  beforeAll(async () => {
    redis = await startRedis()
    running = await run({ settings: { ...UNLIMITED, REDIS_URL: redis.url } })
    await begin(running.url, '/sign-in')
  })
  beforeEach(() => redis.ask('FLUSHALL'))
  afterAll(async () => {
    await running.close()
    await redis.close()
  })

  const bytes = async () => {
    const keys = [...(await redis.dump()).keys()].filter((key) => !key.includes(':limit:'))
    const sizes = await Promise.all(keys.map((key) => redis.ask('MEMORY', 'USAGE', key)))
    return { keys, sizes: sizes.map(Number), total: sizes.map(Number).reduce((one, other) => one + other, 0) }
  }

  it('is two small records, gone after ten minutes', async () => {
    await beginMany(running.url, '/sign-in', 40)
    const { keys, sizes, total } = await bytes()
    expect(keys.filter((key) => key.includes('sign-in:'))).toHaveLength(40)
    expect(Math.max(...sizes)).toBeLessThan(600)
    expect(total / 40).toBeLessThan(1_000)
    for (const [key, seconds] of await redis.lives()) expect(seconds, key).toBeLessThanOrEqual(600)
  })

  it('lives no longer because the browser comes again, or brings an answer that is none', async () => {
    const browser = new TestBrowser()
    const hop = await browser.open(`${running.url}/sign-in`, { follow: false })
    expect(hop.status).toBe(303)
    for (const key of (await redis.dump()).keys()) await redis.ask('EXPIRE', key, '300')
    const [name] = [...(await redis.dump()).keys()].filter((key) => key.includes('sign-in:'))
    for (const path of ['/invite/x', '/signed-out', '/sign-in/callback?state=x', '/sign-out'])
      await browser.open(running.url + path, { follow: false })
    const lives = await redis.lives()
    expect(lives.get(name ?? '')).toBeLessThanOrEqual(300)
    for (const [key, seconds] of lives) expect(seconds, key).toBeLessThanOrEqual(600)
  })

  it('keeps an address of a thousand characters to come back to, and none that is longer', async () => {
    await begin(running.url, pathTo(LONG))
    expect((await bytes()).total).toBeLessThan(2_700)
    await redis.ask('FLUSHALL')
    await begin(running.url, pathTo(`${LONG}${'a'.repeat(100)}`))
    expect((await bytes()).total).toBeLessThan(1_000)
  })

  it('brings people back to where a long address leads', async () => {
    const browser = await signIn(running, 'ada', LONG)
    expect(browser.page.url).toBe(running.url + LONG)
  })

  it.each([
    '/sign-in/callback?state=x&code=y',
    '/invite/x',
    '/invite/x/start',
    '/signed-out',
    '/sign-out',
    '/sign-out/continue',
    '/sign-in/same-account',
    '/api/status',
    '/onboarding',
    '/search?q=a',
    '/metrics',
    '/nowhere',
  ])('is the only thing that is stored: %s stores nothing', async (path) => {
    const statuses = await beginMany(running.url, path, 10)
    expect(Math.max(...statuses)).toBeLessThan(500)
    expect((await bytes()).keys).toEqual([])
  })

  it.each(['/sign-out', '/sign-out/backchannel', '/sessions/end/x', '/onboarding/skip/x', '/nowhere'])(
    'is the only thing that is stored: POST %s stores nothing',
    async (path) => {
      const statuses = await beginMany(running.url, path, 10, { method: 'POST' })
      expect(Math.max(...statuses)).toBeLessThan(500)
      expect((await bytes()).keys).toEqual([])
    },
  )
})

describe('sign-ins without end', () => {
  const path = pathTo(LONG)
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })

  async function small(store: 'Redis' | 'SQLite'): Promise<{ running: Running; redis?: RedisServer }> {
    const settings: Record<string, string> = {
      ...UNLIMITED,
      SIGN_INS_WAITING_MB: '1',
      TRUST_PROXY: '127.0.0.1,::1',
    }
    if (store === 'SQLite') {
      const running = await run({ settings })
      closing.push(() => running.close())
      return { running }
    }
    const redis = await startRedis({
      options: () => ['--maxmemory', '6mb', '--maxmemory-policy', 'noeviction'],
    })
    closing.push(() => redis.close())
    const running = await run({ settings: { ...settings, REDIS_URL: redis.url } })
    closing.push(() => running.close())
    return { running, redis }
  }

  it.each(['Redis', 'SQLite'] as const)(
    'are asked to wait when they fill the room for them, and nobody else notices, on %s',
    async (store) => {
      const { running, redis } = await small(store)
      const ada = await signIn(running, 'ada')
      const addressOf = (number: number) => `10.${number >> 8}.${number & 0xff}.1`
      const statuses = await beginMany(running.url, path, 450, { addressOf })

      expect(new Set(statuses)).toEqual(new Set([303, 503]))
      const begun = statuses.filter((status) => status === 303).length
      expect(begun).toBeGreaterThan(150)
      const browser = new TestBrowser()
      const refused = await browser.open(running.url + path, { follow: false })
      expect(refused.status).toBe(503)
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30)
      expect(refused.body).toContain('signing in right now')
      expect(refused.body).toContain('href="/sign-in')
      expect((await ada.open(`${running.url}/onboarding`)).status).toBe(200)
      if (redis === undefined) return
      const sizes = await Promise.all(
        [...(await redis.dump()).keys()].map((key) => redis.ask('MEMORY', 'USAGE', key)),
      )
      const total = sizes.map(Number).reduce((one, other) => one + other, 0)
      // What was begun in the window before may still be there: so each gets half, and what is refused leaves nothing.
      expect(total).toBeLessThan(0.6 * 1024 * 1024)
    },
    60_000,
  )

  it('from addresses without end leave no more than that in the store', async () => {
    const redis = await startRedis()
    closing.push(() => redis.close())
    const settings = { REDIS_URL: redis.url, SIGN_INS_WAITING_MB: '1', TRUST_PROXY: '127.0.0.1,::1' }
    const running = await run({ settings })
    closing.push(() => running.close())
    const addressOf = (number: number) => `2001:db8:0:${number.toString(16)}::1`
    for (const [path, method] of [
      [pathTo(LONG), 'GET'],
      ['/sign-out', 'POST'],
    ] as const)
      await beginMany(running.url, path, 800, { method, addressOf })
    const kept = [...(await redis.dump()).keys()]
    expect(kept.length).toBeLessThan(500)
    expect(kept.filter((key) => key.includes(':limit:')).length).toBeLessThan(5)
  }, 60_000)

  it('from one address leave room for everyone else', async () => {
    const settings = { SIGN_INS_WAITING_MB: '1', SIGN_INS_PER_MINUTE: '120', TRUST_PROXY: '127.0.0.1,::1' }
    const running = await run({ settings })
    closing.push(() => running.close())
    const from = (address: string) => ({ addressOf: () => address })
    const statuses = await beginMany(running.url, path, 110, from('203.0.113.7'))
    expect(new Set(statuses)).toEqual(new Set([303, 429]))
    expect(await beginMany(running.url, path, 20, from('203.0.113.8'))).toEqual(Array(20).fill(303))
  }, 60_000)
})

describe('people who finish their sign-in', () => {
  it('make room for others, however many there are', async () => {
    const settings = { ...UNLIMITED, REQUESTS_PER_MINUTE: '1000000', SIGN_INS_WAITING_MB: '1' }
    const running = await run({ settings })
    const browsers = Array.from({ length: 4 }, () => new TestBrowser())
    try {
      await Promise.all(browsers.map((browser) => signIn(running, 'grace', '/onboarding', browser)))
      // The authorization server knows them from now on: each sign-in is finished at once.
      for (let count = 0; count < 120; count++)
        for (const hop of await Promise.all(
          browsers.map((browser) => browser.open(`${running.url}/sign-in`)),
        ))
          expect(hop.status).toBe(200)
    } finally {
      await running.close()
    }
  }, 120_000)
})
