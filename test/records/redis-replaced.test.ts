// A client that is replaced while commands are under way on it, over a wire on which each takes a while.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { startDelay } from '../helpers/network.ts'
import { until } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'

it('what is under way on a client that is replaced still gets its answer', async () => {
  const redis = await startRedis()
  const wire = await startDelay(redis.port, { ms: 100, writeMs: 100 })
  const told: string[] = []
  const log = { warn: () => told.push('away'), info: () => told.push('back') }
  const connection = connectRedis(`redis://127.0.0.1:${wire.port}`, log)
  try {
    await until(() => connection.isReady, 'the connection')
    const readOnly = "return redis.error_reply('READONLY You cannot write')"
    await expect(connection.eval(readOnly, { keys: ['a'], arguments: [] })).rejects.toThrow(StoreUnavailable)

    const asked: Promise<unknown>[] = []
    for (let times = 0; times < 100; times++) {
      asked.push(connection.get('key'))
      await sleep(20)
    }

    expect((await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')).toEqual([])
    expect(told).toEqual(['away', 'back'])
    await until(
      async () => !String(await redis.ask('CLIENT', 'LIST')).includes('cmd=eval'),
      'the old one to be gone',
    )
  } finally {
    connection.destroy()
    await wire.close()
    await redis.close()
  }
})

it('an error of a client that was replaced says nothing about the new one', async () => {
  const redis = await startRedis()
  const wire = await startDelay(redis.port, { ms: 100, writeMs: 100 })
  const told: string[] = []
  const log = { warn: () => told.push('away'), info: () => told.push('back') }
  const connection = connectRedis(`redis://127.0.0.1:${wire.port}`, log)
  try {
    await until(() => connection.isReady, 'the connection')
    const readOnly = "return redis.error_reply('READONLY You cannot write')"
    const refused = () => connection.eval(readOnly, { keys: ['a'], arguments: [] }).catch(() => {})
    await refused()
    expect(connection.isReady).toBe(false)
    const late: Promise<unknown>[] = []
    while (!connection.isReady) {
      late.push(refused())
      await sleep(10)
    }
    await Promise.all(late)
    expect(connection.isReady).toBe(true)
    await sleep(500)
    expect(told).toEqual(['away', 'back'])
  } finally {
    connection.destroy()
    await wire.close()
    await redis.close()
  }
})
