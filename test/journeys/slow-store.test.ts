// Two instances behind a balancer that alternates between them, on a Redis with 50 ms latency and slower writes: a
// redirect before its record is saved fails at once.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer } from '../../src/server.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { t } from '../helpers/texts.ts'
import { openJourney } from '../helpers/journey.ts'
import { startBalancer, startWire } from '../helpers/network.ts'
import { statusOf, until } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { freePort, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const LATENCY = { ms: 50, writeMs: 200 }

const redis = shared(startRedis)
const journey = shared(openJourney)
const opened: { close(): Promise<void> }[] = []
beforeAll(async () => {
  const wire = await startWire(redis.port, LATENCY)
  await journey.stopOnramp()
  const ports = [await freePort('localhost'), await freePort('localhost')]
  for (const port of ports) {
    const env = { ...journey.env, PORT: String(port), REDIS_URL: `redis://127.0.0.1:${wire.port}` }
    const instance = await startServer(loadSettings(env), createLog('silent'))
    opened.push({ close: () => instance.stop() })
    await until(async () => (await statusOf(`http://localhost:${port}/readyz`)) === 200, 'onramp')
  }
  opened.push(await startBalancer(Number(journey.env['PORT']), ports), wire)
})
afterAll(async () => {
  for (const one of opened) await one.close()
})

it('with two instances and a slow store, no redirect outruns its session or walk', async () => {
  const person = journey.newcomer(2)
  const browser = await signIn(journey, person)
  expect(new URL(browser.page.url).pathname).toBe('/onboarding')
  expect(journey.sandbox.count('authorizationServer.authorization')).toBe(1)
  expect(journey.sandbox.count('token')).toBe(1)
  journey.sandbox.switches.set({ autoConsent: true })
  await browser.click('/onboarding/connect/')
  expect(browser.text).toContain(t('finished.title'))
  expect(journey.consentsOpened()).toBe(2)
})

it.concurrent('a skip and a sign-out show at both instances despite a slow store', async () => {
  const { browser } = await journey.begin(2)
  for (const instance of ['slack_1', 'github_1']) {
    await browser.submit(`/onboarding/skip/${instance}`)
    expect(browser.page.status).toBe(200)
    expect(browser.page.body).not.toContain(`action="/onboarding/skip/${instance}"`)
  }
  await browser.submit('/sign-out')
  const hop = await browser.open(`${journey.url}/onboarding`, { follow: false })
  expect(hop.status).toBe(303)
  expect(hop.location).toMatch(/^\/sign-in/)
})

it('with two instances and a slow store, every record has an expiry', async () => {
  const lives = await redis.lives()
  expect(lives.size).toBeGreaterThan(3)
  for (const [key, life] of lives) {
    expect(key).toMatch(/^onramp:/)
    // -1: none. -2: gone meanwhile, such as the record of the readiness probe.
    expect(life, key).not.toBe(-1)
  }
})
