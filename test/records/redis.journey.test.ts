// Records in a real Redis: the contract, and what one that is away, frozen or slow means for them.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { startRedis } from '../helpers/redis.ts'
import { describeRecords } from './contract.ts'

const silent = { warn: () => {}, info: () => {} }

describeRecords('Redis', async () => {
  const redis = await startRedis()
  const client = connectRedis(redis.url, silent)
  while (!client.isReady) await sleep(5)
  return {
    records: createRedisRecords(client),
    pass: (milliseconds) => sleep(milliseconds),
    async close() {
      client.destroy()
      await redis.close()
    },
  }
})

describe('Redis', () => {
  it('that freezes is an outage within two seconds, and is back without help', async () => {
    const redis = await startRedis()
    const client = connectRedis(redis.url, silent)
    const records = createRedisRecords(client)
    while (!client.isReady) await sleep(5)
    await records.put('key', 'value', 60)
    redis.freeze()
    const before = performance.now()
    await expect(records.get('key')).rejects.toBeInstanceOf(StoreUnavailable)
    expect(performance.now() - before).toBeLessThan(2_000)
    redis.thaw()
    await expect.poll(() => records.get('key').catch(() => 'away'), { timeout: 5_000 }).toBe('value')
    client.destroy()
    await redis.close()
  })
})
