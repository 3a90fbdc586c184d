// Redis accepts connections but is frozen, slow, full or idle for long. Responses take less than two seconds, no one is
// signed out, and no restart is necessary.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRedisOpener } from '../../src/records/redis-clients.ts'
import { RedisConnection } from '../../src/records/redis-connection.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { statusOf, until } from '../helpers/processes.ts'
import { startWire } from '../helpers/network.ts'
import { startRedis } from '../helpers/redis.ts'
import { chooseAccount, run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { expectCookiesKept, expectOutage, measure, untilReady } from './outage.ts'

const redis = shared(startRedis)
const wire = shared(() => startWire(redis.port))
const running = shared(() => run({ settings: { REDIS_URL: `redis://127.0.0.1:${wire.port}` } }))
let browser: TestBrowser
beforeAll(async () => {
  await untilReady(running)
  browser = await signIn(running, 'ada')
})
afterAll(() => expectCookiesKept(browser))

const works = async () => (await browser.open(`${running.url}/onboarding`)).status === 200

it('a frozen Redis delays one page by under two seconds, and is used again later', async () => {
  redis.freeze()
  const first = await measure(() => browser.open('/onboarding'))
  expectOutage(first.result)
  expect(first.milliseconds).toBeLessThan(2_000)
  const second = await measure(() => browser.open('/onboarding'))
  expectOutage(second.result)
  expect(second.milliseconds).toBeLessThan(500)
  expect(await statusOf(`${running.url}/readyz`)).toBe(503)
  expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  // Longer than the lifetime of its sockets.
  await sleep(3_500)
  redis.thaw()
  expect(await until(works, 'the page')).toBeLessThan(5_000)
  expect(browser.page.url).toBe(`${running.url}/onboarding`)
})

it('a Redis with 400 ms latency still allows a page within two seconds', async () => {
  wire.delay(400)
  const page = await measure(() => browser.open('/onboarding'))
  expect(page.result.status).toBe(200)
  expect(page.milliseconds).toBeLessThan(2_000)
  wire.delay(0)
  expect(await until(works, 'the page')).toBeLessThan(5_000)
})

it('a full Redis still shows pages to signed-in people, and explains a failed sign-in', async () => {
  await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await redis.ask('CONFIG', 'SET', 'maxmemory', '1')
  expect((await browser.open('/search?q=plans')).status).toBe(200)
  const visitor = new TestBrowser()
  const logged = running.log.length
  await visitor.open(`${running.url}/sign-in`)
  await chooseAccount(running, visitor, 'bob')
  expectOutage(visitor.page)
  expect(visitor.cookieHeader(running.url)).not.toMatch(/onramp=/)
  expect(running.log.slice(logged).filter((line) => /cannot be reached .*trying/.test(line))).toEqual([])
  await redis.ask('CONFIG', 'SET', 'maxmemory', '0')
  expect((await visitor.open(`${running.url}/onboarding`)).status).toBe(200)
})

it('a Redis idle for three times its socket timeout stays connected', async () => {
  const log: string[] = []
  const keep = (_fields: object, message: string) => void log.push(message)
  const server = await startRedis()
  const connection = new RedisConnection(createRedisOpener(server.url), { warn: keep, info: keep })
  await sleep(9_500)
  expect(await createRedisRecords(connection.commands).get('a')).toBeUndefined()
  expect(log).toEqual([])
  connection.destroy()
  await server.close()
})
