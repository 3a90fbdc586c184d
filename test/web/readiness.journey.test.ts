// /readyz on a real Redis that is full: without writes, a server isn't ready.
import { afterEach, expect, it } from 'vitest'
import { messagesOf } from '../helpers/signed-in.ts'
import { statusOf, until } from '../helpers/processes.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { run, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

async function ready(): Promise<{ redis: RedisServer; running: Running }> {
  const redis = await startRedis()
  open.push(redis)
  const running = await run({ settings: { REDIS_URL: redis.url } })
  open.push(running)
  return { redis, running }
}

const readyz = (running: Running) => new TestBrowser().open(`${running.url}/readyz`)
const becomes = (running: Running, status: number) =>
  until(async () => (await statusOf(`${running.url}/readyz`)) === status, `status ${status}`, 6_000)

const linesWith = (running: Running, words: string) =>
  messagesOf(running)
    .split('\n')
    .filter((line) => line.includes(words))

it('a server with a full Redis is not ready, and logs each change once', async () => {
  const { redis, running } = await ready()
  await becomes(running, 200)
  await redis.ask('CONFIG', 'SET', 'maxmemory', '1')
  await becomes(running, 503)
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const page = await readyz(running)
  expect(page.status).toBe(503)
  expect(JSON.parse(page.body)).toMatchObject({ status: 'not ready', store: 'refuses' })
  expect(linesWith(running, 'not ready')).toEqual(['not ready: Redis is full and rejects writes (OOM)'])
  await redis.ask('CONFIG', 'SET', 'maxmemory', '0')
  await becomes(running, 200)
  expect(linesWith(running, 'ready again')).toHaveLength(1)
})

it('the liveness response identifies onramp, but not its version', async () => {
  const { running } = await ready()
  const page = await new TestBrowser().open(`${running.url}/healthz`)
  expect(page.headers['x-onramp']).toBe('healthz')
  expect(JSON.parse(page.body)).toEqual({ status: 'ok' })
  expect(JSON.stringify(page.headers)).not.toMatch(/\d+\.\d+\.\d+/)
})
