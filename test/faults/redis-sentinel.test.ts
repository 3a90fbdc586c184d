// Redis behind Sentinels, under load: the primary dies, is replaced on purpose, freezes. Short refusals, then all is as
// before, with the same people signed in.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { statusOf, until } from '../helpers/processes.ts'
import { startSentinels, type SentinelSetUp } from '../helpers/redis-topologies.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import type { Load } from '../helpers/load.ts'
import { expectOnlyRefusals, expectSignedIn, lookingAt } from './outage.ts'

let redis: SentinelSetUp
let running: Running
let browsers: TestBrowser[]
let page: string
beforeAll(async () => {
  redis = await startSentinels('only-redis-has-it')
  running = await run({ settings: redis.settings })
  page = `${running.url}/onboarding`
  await until(async () => (await statusOf(`${running.url}/readyz`)) === 200, 'readiness')
  browsers = await Promise.all(['ada', 'bob', 'carol'].map((person) => signIn(running, person)))
})
afterAll(async () => {
  await running.close()
  await redis.close()
})

/** Lets something happen to the primary while people look at their pages. */
async function whileWorking(happens: () => Promise<void>): Promise<Load> {
  const load = lookingAt(running.url, browsers)
  const before = await redis.primaryPort()
  await sleep(500)
  await happens()
  await until(async () => (await redis.primaryPort()) !== before, 'another primary')
  await until(async () => (await statusOf(`${running.url}/readyz`)) === 200, 'readiness')
  await sleep(1_000)
  await load.stop()
  return load
}

it('behind Sentinels a primary that is killed is replaced, and everybody is where they were', async () => {
  const load = await whileWorking(() => redis.primary.kill())
  expect(load.counts()['503']).toBeGreaterThan(0)
  expect(load.trouble()).toBeLessThan(8_000)
  expectOnlyRefusals(load)
  await expectSignedIn(browsers, page)
})

it('behind Sentinels a primary that steps down for another is left, though it lives on', async () => {
  await redis.bringBack()
  expect(redis.failovers()).toBe(1)
  const load = await whileWorking(() => redis.stepDown())
  expect(load.trouble()).toBeLessThan(5_000)
  expectOnlyRefusals(load)
  await expectSignedIn(browsers, page)
  const visitor = await signIn(running, 'dan')
  expect(visitor.page.status).toBe(200)
})

it('behind Sentinels a primary that freezes is replaced, and is not gone back to when it thaws', async () => {
  const port = await redis.primaryPort()
  const frozen = port === redis.primary.port ? redis.primary : redis.replica
  const load = await whileWorking(async () => frozen.freeze())
  expect(load.trouble()).toBeLessThan(9_000)
  expectOnlyRefusals(load)
  frozen.thaw()
  await expectSignedIn(browsers, page)
  await sleep(500)
  await expectSignedIn(browsers, page)
})

it('behind Sentinels one Sentinel that is left is enough to start with', async () => {
  const [first, second] = redis.sentinels
  first?.freeze()
  await second?.kill()
  await running.restart()
  const ready = await until(async () => (await statusOf(`${running.url}/readyz`)) === 200, 'readiness')
  expect(ready).toBeLessThan(5_000)
  await expectSignedIn(browsers, page)
})
