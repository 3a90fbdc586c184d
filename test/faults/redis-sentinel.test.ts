// Redis behind Sentinels under load: the primary is killed, demoted or frozen. After short outages the same people are
// signed in.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../helpers/processes.ts'
import { startSentinels } from '../helpers/redis-topologies.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { expectOnlyOutages, expectSignedIn, loadDuring, untilReady } from './outage.ts'

const redis = shared(() => startSentinels('only-redis-has-it'))
const running = shared(() => run({ settings: redis.settings }))
let browsers: TestBrowser[]
beforeAll(async () => {
  await untilReady(running)
  browsers = await Promise.all(['ada', 'bob', 'carol'].map((person) => signIn(running, person)))
})

/** Causes a fault of the primary, and waits until another server is the primary. */
async function failOver(fault: () => unknown) {
  const before = await redis.primaryPort()
  const load = await loadDuring(running, browsers, async () => {
    await fault()
    await until(async () => (await redis.primaryPort()) !== before, 'another primary')
  })
  expectOnlyOutages(load)
  await expectSignedIn(browsers, running)
  return load
}

it('Sentinel replaces a killed primary, and everyone stays signed in', async () => {
  const load = await failOver(() => redis.primary.kill())
  expect(load.counts()['503']).toBeGreaterThan(0)
  expect(load.trouble()).toBeLessThan(8_000)
})

it('a demoted primary is abandoned although it still responds', async () => {
  await redis.bringBack()
  expect(redis.failovers()).toBe(1)
  const load = await failOver(() => redis.stepDown())
  expect(load.trouble()).toBeLessThan(5_000)
  expect((await signIn(running, 'dan')).page.status).toBe(200)
})

it('a frozen primary is replaced, and isn’t used again when it thaws', async () => {
  const isFirst = (await redis.primaryPort()) === redis.primary.port
  const frozen = isFirst ? redis.primary : redis.replica
  const load = await failOver(() => frozen.freeze())
  expect(load.trouble()).toBeLessThan(9_000)
  frozen.thaw()
  await expectSignedIn(browsers, running)
  await sleep(500)
  await expectSignedIn(browsers, running)
})

it('onramp starts with one remaining Sentinel', async () => {
  const [first, second] = redis.sentinels
  first?.freeze()
  await second?.kill()
  await running.restart()
  expect(await untilReady(running)).toBeLessThan(5_000)
  await expectSignedIn(browsers, running)
})
