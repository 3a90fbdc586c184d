// How often one address may ask to sign in, counted on both stores, and what is told when it was too often.
import { afterEach, describe, expect, it } from 'vitest'
import { startRedis } from '../helpers/redis.ts'
import { run, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function limited(store: 'SQLite' | 'Redis'): Promise<Running> {
  const settings: Record<string, string> = {
    SIGN_INS_PER_MINUTE: '10',
    METRICS_TOKEN: 'a-token-for-the-metrics',
  }
  if (store === 'Redis') {
    const redis = await startRedis()
    closing.push(() => redis.close())
    settings['REDIS_URL'] = redis.url
  }
  const running = await run({ settings })
  closing.push(() => running.close())
  return running
}

/** Somebody new each time, from the same address. */
const ask = (running: Running, path: string) => new TestBrowser().open(running.url + path, { follow: false })

describe.each(['SQLite', 'Redis'] as const)('signing in from one address, on %s', (store) => {
  it('is refused after so many requests a minute, with a page that says when to try again', async () => {
    const running = await limited(store)
    for (let count = 0; count < 10; count++) expect((await ask(running, '/sign-in')).status).toBe(303)
    for (const path of ['/sign-in', '/sign-in/callback?state=x', '/invite/anything']) {
      const refused = await ask(running, path)
      expect(refused.status, path).toBe(429)
      const seconds = Number(refused.headers['retry-after'])
      expect(seconds, 'the rest of the minute').toBeGreaterThan(20)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(refused.body).toContain('<h1>')
    }
    expect((await ask(running, '/healthz')).status).toBe(200)
    expect((await ask(running, '/onboarding')).status).toBe(303)
    const metrics = await new TestBrowser().open(`${running.url}/metrics`, {
      headers: { authorization: 'Bearer a-token-for-the-metrics' },
    })
    expect(metrics.body).toMatch(/onramp_events_total\{event="limited"[^}]*\} 3/)
  })
})
