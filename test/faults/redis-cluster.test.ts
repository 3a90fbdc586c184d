// A Redis Cluster of three primaries, under load: a primary dies and its replica takes over, another is killed where
// REDIS_URL points to. Every record operation works on whichever node its key lives.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRedisOpener } from '../../src/records/redis-clients.ts'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { statusOf, until } from '../helpers/processes.ts'
import type { RedisServer } from '../helpers/redis.ts'
import { startCluster, type ClusterSetUp } from '../helpers/redis-topologies.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { expectOnlyRefusals, expectSignedIn, lookingAt } from './outage.ts'

let redis: ClusterSetUp
let running: Running
let browsers: TestBrowser[]
let page: string
beforeAll(async () => {
  redis = await startCluster()
  running = await run({ settings: redis.settings })
  page = `${running.url}/onboarding`
  await until(async () => (await statusOf(`${running.url}/readyz`)) === 200, 'readiness')
  browsers = await Promise.all(['ada', 'bob', 'carol', 'dan'].map((person) => signIn(running, person)))
})
afterAll(async () => {
  await running.close()
  await redis.close()
})

const isPrimary = async (server: RedisServer | undefined) =>
  String(await server?.ask('INFO', 'replication')).includes('role:master')

async function whileKilled(primary: RedisServer | undefined, replica: RedisServer | undefined) {
  const load = lookingAt(running.url, browsers)
  await sleep(500)
  await primary?.kill()
  await until(() => isPrimary(replica), 'the replica to take over')
  await until(async () => (await statusOf(`${running.url}/readyz`)) === 200, 'readiness')
  await sleep(2_000)
  await load.stop()
  return load
}

it('on a cluster records are spread over all three nodes, and listed and removed on each', async () => {
  const log = { warn: () => {}, info: () => {} }
  const connection = connectRedis(redis.settings['REDIS_URL'] ?? '', log, { kind: 'cluster' })
  await until(() => connection.isReady, 'the connection')
  const records = createRedisRecords(connection)
  const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`)
  await Promise.all(keys.map((key) => records.put(key, 'a', 60)))
  const held = await Promise.all(redis.primaries.map((server) => server.ask('DBSIZE')))
  expect(Math.min(...held.map(Number))).toBeGreaterThan(0)
  const listed: string[] = []
  for await (const batch of records.keys('key ')) listed.push(...batch)
  expect(listed.toSorted()).toEqual(keys.toSorted())
  await Promise.all(keys.map((key) => records.remove(key)))
  expect(await records.get('key 1')).toBeUndefined()
  connection.destroy()
})

it('on a cluster a client is not opened with a primary that refuses, also where another node answers', async () => {
  const [last, replica] = [redis.primaries[2], redis.replicas[2]]
  // Asks the second primary first (slot 6770).
  const open = createRedisOpener(redis.settings['REDIS_URL'] ?? '', { kind: 'cluster' }, 'other:')
  const opened = await open(() => {})
  opened.close()
  await last?.kill()
  await expect(open(() => {})).rejects.toThrow('ECONNREFUSED')
  await until(() => isPrimary(replica), 'the replica to take over')
  await last?.start()
})

it.each([1, 0])(
  'on a cluster primary %i that is killed is replaced, and everybody is where they were',
  async (which) => {
    const load = await whileKilled(redis.primaries[which], redis.replicas[which])
    expect(load.counts()['503']).toBeGreaterThan(0)
    expect(load.trouble()).toBeLessThan(10_000)
    expectOnlyRefusals(load)
    await expectSignedIn(browsers, page)
    const visitor = await signIn(running, 'eve')
    expect(visitor.page.status).toBe(200)
    await redis.primaries[which]?.start()
  },
)
