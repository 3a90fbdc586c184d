// A Redis Cluster of three primaries under load: primaries are killed, also the one of REDIS_URL, and replicas take
// over.
import { beforeAll, expect, it } from 'vitest'
import { createRedisOpener } from '../../src/records/redis-clients.ts'
import { RedisConnection } from '../../src/records/redis-connection.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { until } from '../helpers/processes.ts'
import type { RedisServer } from '../helpers/redis.ts'
import { startCluster } from '../helpers/redis-topologies.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { expectOnlyOutages, expectSignedIn, loadDuring, untilReady } from './outage.ts'

const redis = shared(startCluster)
const running = shared(() => run({ settings: redis.settings }))
let browsers: TestBrowser[]
beforeAll(async () => {
  await untilReady(running)
  browsers = await Promise.all(['ada', 'bob', 'carol', 'dan'].map((person) => signIn(running, person)))
})

const untilPrimary = (server: RedisServer | undefined) =>
  until(
    async () => String(await server?.ask('INFO', 'replication')).includes('role:master'),
    'the replica to take over',
  )

it('records are spread over, listed on and removed from all three nodes', async () => {
  const log = { warn: () => {}, info: () => {} }
  const connection = new RedisConnection(
    createRedisOpener(redis.settings['REDIS_URL'] ?? '', { kind: 'cluster' }),
    log,
  )
  await until(() => connection.isReady, 'the connection')
  const records = createRedisRecords(connection.commands)
  const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`)
  await Promise.all(keys.map((key) => records.put(key, 'a', 60)))

  const sizes = await Promise.all(redis.primaries.map((server) => server.ask('DBSIZE')))
  expect(Math.min(...sizes.map(Number))).toBeGreaterThan(0)
  const listed: string[] = []
  for await (const batch of records.keys('key ')) listed.push(...batch)
  expect(listed.toSorted()).toEqual(keys.toSorted())

  await Promise.all(keys.map((key) => records.remove(key)))
  expect(await records.get('key 1')).toBeUndefined()
  connection.destroy()
})

it('a client isn’t opened with a primary that refuses, even if another node responds', async () => {
  const [last, replica] = [redis.primaries[2], redis.replicas[2]]
  // The prefix leads to the second primary first (slot 6770).
  const open = createRedisOpener(redis.settings['REDIS_URL'] ?? '', { kind: 'cluster' }, 'other:')
  const opened = await open(() => {})
  opened.close()
  await last?.kill()
  await expect(open(() => {})).rejects.toThrow('ECONNREFUSED')
  await untilPrimary(replica)
  await last?.start()
})

it.each([1, 0])('primary %i that is killed is replaced, and everyone stays signed in', async (index) => {
  const primary = redis.primaries[index]
  const load = await loadDuring(running, browsers, async () => {
    await primary?.kill()
    await untilPrimary(redis.replicas[index])
  })
  expect(load.counts()['503']).toBeGreaterThan(0)
  expect(load.trouble()).toBeLessThan(10_000)
  expectOnlyOutages(load)
  await expectSignedIn(browsers, running)
  expect((await signIn(running, 'eve')).page.status).toBe(200)
  await primary?.start()
})
