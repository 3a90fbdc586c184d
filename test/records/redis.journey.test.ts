// Records in a real Redis, and the server to which the connection leads.
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/records/redis-connection.ts'
import { createRedisOpener, primaryUrl } from '../../src/records/redis-clients.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { startWire } from '../helpers/network.ts'
import { until } from '../helpers/processes.ts'
import { startRedis, type RedisServer, type RedisOptions } from '../helpers/redis.ts'
import { describeRecords } from './contract.ts'

const SILENT = { warn: () => {}, info: () => {} }

async function server(options?: RedisOptions): Promise<RedisServer> {
  const started = await startRedis(options)
  onTestFinished(() => started.close())
  return started
}

async function connectTo(url: string, topology?: Parameters<typeof createRedisOpener>[1]) {
  const connection = new RedisConnection(createRedisOpener(url, topology), SILENT)
  onTestFinished(() => connection.destroy())
  await until(() => connection.isReady, 'the connection')
  return { connection, records: createRedisRecords(connection.commands) }
}

const works = (connection: RedisConnection) => async () =>
  createRedisRecords(connection.commands)
    .put('probe', 'x', 60)
    .then(
      () => true,
      () => false,
    )

type FakeSentinel = { port: number; commands: string[]; answer(command: string): string }

/** A scripted Sentinel. */
async function fakeSentinel(answer: (command: string) => string): Promise<FakeSentinel> {
  const sentinel: FakeSentinel = { port: 0, commands: [], answer }
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const commands = chunk.toString().split(/^\*\d+\r\n/m)
      for (const command of commands.filter(Boolean)) {
        sentinel.commands.push(command)
        socket.write(sentinel.answer(command))
      }
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => void listener.close())
  sentinel.port = (listener.address() as AddressInfo).port
  return sentinel
}

const names = (port: number) => `*2\r\n$9\r\n127.0.0.1\r\n$${String(port).length}\r\n${port}\r\n`
const sentinelsAt = (...ports: number[]) => ({
  kind: 'sentinel' as const,
  name: 'mymaster',
  sentinels: ports.map((port) => ({ host: '127.0.0.1', port })),
})

async function clusterOfOne() {
  const redis = await startRedis({ options: () => ['--cluster-enabled', 'yes'] })
  await redis.ask('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  return redis
}

for (const kind of ['standalone', 'cluster'] as const)
  describeRecords(`Redis (${kind})`, async () => {
    const redis = await (kind === 'cluster' ? clusterOfOne() : startRedis())
    const client = new RedisConnection(createRedisOpener(redis.url, { kind }), SILENT)
    await until(() => client.isReady, 'the connection')
    return {
      records: createRedisRecords(client.commands),
      pass: (milliseconds) => sleep(milliseconds),
      async close() {
        client.destroy()
        await redis.close()
      },
    }
  })

it('a Redis connection leaves a read-only server for the one that now has its address', async () => {
  const [old, next] = [await server(), await server()]
  const proxy = await startWire(old.port)
  onTestFinished(() => proxy.close())
  const { connection, records } = await connectTo(`redis://127.0.0.1:${proxy.port}`)
  await records.put('a', '1', 60)
  await old.ask('REPLICAOF', '127.0.0.1', String(next.port))
  await expect(records.put('a', '2', 60)).rejects.toBeInstanceOf(StoreUnavailable)
  proxy.leadTo(next.port)
  expect(await until(works(connection), 'writes')).toBeLessThan(5_000)
})

it('Redis works through a proxy without HELLO and CLIENT', async () => {
  const redis = await server({
    url: (port) => `redis://:sesame@127.0.0.1:${port}`,
    options: () => ['--requirepass', 'sesame'],
  })
  const proxy = await startWire(redis.port, { refuses: /\r\n(HELLO|CLIENT)\r\n/i })
  onTestFinished(() => proxy.close())
  const { records } = await connectTo(`redis://:sesame@127.0.0.1:${proxy.port}/3`)
  expect(await records.compareAndSet('a', undefined, '1', 60)).toBe(true)
  expect(await records.compareAndSet('a', '1', '2', 60)).toBe(true)
  expect(await records.keys('').next()).toMatchObject({ value: ['a'] })
  expect(await records.get('a')).toBe('2')
})

it('a cluster connection reopens through its known nodes, and leaves none open at its end', async () => {
  const redis = await clusterOfOne()
  const wire = await startWire(redis.port)
  onTestFinished(() => redis.close())
  const { connection } = await connectTo(`redis://127.0.0.1:${wire.port}`, { kind: 'cluster' })
  await wire.close()
  await redis.ask('CLIENT', 'KILL', 'TYPE', 'normal')
  await until(() => !connection.isReady, 'it to be noticed')
  expect(await until(works(connection), 'the node')).toBeLessThan(5_000)
  connection.destroy()
  const clients = async () => String(await redis.ask('CLIENT', 'LIST')).match(/^id=/gm)
  await until(async () => (await clients())?.length === 1, 'the end of the connection')
})

it('a Redis connection rejects a replica that a Sentinel still names', async () => {
  const primary = await server()
  const replica = await server({ options: () => ['--replicaof', '127.0.0.1', String(primary.port)] })
  const sentinel = await fakeSentinel(() => names(replica.port))
  const open = createRedisOpener('redis://127.0.0.1:1', sentinelsAt(sentinel.port))
  const connection = new RedisConnection(open, SILENT)
  onTestFinished(() => connection.destroy())
  await until(() => sentinel.commands.length > 2, 'it to ask again')
  await expect(createRedisRecords(connection.commands).get('a')).rejects.toBeInstanceOf(StoreUnavailable)
  sentinel.answer = () => names(primary.port)
  expect(await until(works(connection), 'the primary')).toBeLessThan(3_000)
})

it('a Sentinel gets the password only if it requires one', async () => {
  const url = (port: number) => `redis://:sesame@127.0.0.1:${port}`
  const redis = await server({ url, options: () => ['--requirepass', 'sesame'] })
  const open = await fakeSentinel(() => names(redis.port))
  await connectTo('redis://:sesame@127.0.0.1:1', sentinelsAt(open.port))
  expect(open.commands.join('')).not.toContain('sesame')
  let known = false
  const strict = await fakeSentinel((command) => {
    known ||= command.includes('sesame')
    if (command.includes('AUTH')) return '+OK\r\n'
    return known ? names(redis.port) : '-NOAUTH Authentication required.\r\n'
  })
  await connectTo('redis://:sesame@127.0.0.1:1', sentinelsAt(strict.port))
  expect(strict.commands.join('')).toContain('sesame')
})

it('without a primary, the cause is a Sentinel’s reply rather than an unreachable Sentinel', async () => {
  const sentinel = await fakeSentinel(() => '*-1\r\n')
  const primary = primaryUrl('redis://127.0.0.1:1', sentinelsAt(9, sentinel.port))
  const message = 'no Sentinel names a primary: see REDIS_SENTINELS and REDIS_SENTINEL_NAME'
  await expect(primary).rejects.toMatchObject({ message, cause: { name: 'NoSuchPrimary' } })
  await expect(primaryUrl('redis://127.0.0.1:1', sentinelsAt(9))).rejects.toMatchObject({
    cause: { code: 'ECONNREFUSED' },
  })
})
