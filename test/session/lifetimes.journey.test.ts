// How long a session lives: as long as it is used, but not longer than a day's work.
import { afterEach, describe, expect, it } from 'vitest'
import { expectSignedIn, expectSignedOut } from '../helpers/faulty.ts'
import { until } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'

const MINUTE = 60_000

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
})

/** `later`: from now on it is so many milliseconds later than it is. */
type Timed = Running & { later(milliseconds: number): void }

async function signedIn(settings: Record<string, string>): Promise<[Timed, TestBrowser]> {
  let shift = 0
  const running = await run({ settings, now: () => Date.now() + shift })
  close = () => running.close()
  const timed = { ...running, later: (milliseconds: number) => void (shift = milliseconds) }
  return [timed, await signIn(running, 'ada')]
}

describe('a session', () => {
  it('ends when it was not used for its idle time, and lives on while it is used', async () => {
    const redis = await startRedis()
    const [timed, browser] = await signedIn({ REDIS_URL: redis.url, SESSION_IDLE_MINUTES: '60' })
    const keys = (await redis.ask('KEYS', '*')) as string[]
    const lives = await Promise.all(
      keys.map(async (key) => [key, Number(await redis.ask('TTL', key))] as const),
    )
    expect(lives.filter(([, seconds]) => seconds < 0)).toEqual([])
    const name = keys.find((key) => key.startsWith('onramp:session:')) ?? ''
    // A renewal may be left out for a twentieth of the idle time, so the record lives that much longer.
    const life = async () => Number(await redis.ask('TTL', name))
    expect(await life()).toBeGreaterThan(62 * 60)
    expect(await life()).toBeLessThanOrEqual(64 * 60)
    await redis.ask('EXPIRE', name, '600')
    timed.later(55 * MINUTE)
    await expectSignedIn(timed, browser)
    expect(await life()).toBeGreaterThan(62 * 60)
    await redis.ask('PEXPIRE', name, '1')
    await until(async () => (await redis.ask('EXISTS', name)) === 0, 'its end')
    await expectSignedOut(timed, browser)
    await timed.close()
    close = undefined
    await redis.close()
  })

  it('that ends over https takes its cookie back as the prefix demands, or browsers would keep it', async () => {
    const secure = await run({ settings: { PUBLIC_URL: 'https://onramp.example' } })
    close = () => secure.close()
    const headers = { origin: 'https://onramp.example', 'sec-fetch-site': 'same-origin' }
    const answer = await fetch(`${secure.url}/sign-out`, { method: 'POST', headers, redirect: 'manual' })
    expect(answer.status).toBe(303)
    const [pair, ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ')
    expect(pair).toBe('__Host-onramp=')
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'Secure', expect.stringContaining('1970')]))
  })

  it('has a cookie that ends with the browser, and is not readable by scripts', async () => {
    const [, browser] = await signedIn({})
    const set = browser.hops
      .flatMap(({ headers }) => String(headers['set-cookie']).split(/,(?=[\w-]+=)/))
      .filter((one) => one.startsWith('onramp='))
    expect(set.length).toBeGreaterThan(0)
    for (const cookie of set) {
      expect(cookie).toMatch(/; HttpOnly/)
      expect(cookie).toMatch(/; SameSite=Lax/)
      expect(cookie).toMatch(/; Path=\//)
      expect(cookie).not.toMatch(/Expires|Max-Age|Domain/i)
    }
  })
})
