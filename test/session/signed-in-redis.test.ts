// Sign-ins on a real Redis.
import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { redisSessionTexts } from '../../src/session/sealed-texts.ts'
import { startRedis } from '../helpers/redis.ts'
import { describeSignIns } from './sign-ins.ts'

describeSignIns('Redis', async () => {
  const redis = await startRedis()
  const client = connectRedis(redis.url, { warn: () => {}, info: () => {} })
  while (!client.isReady) await sleep(5)
  return {
    texts: redisSessionTexts(client),
    records: createRedisRecords(client),
    dump: () => redis.dump(),
    damage: async (key, value) => void (await redis.ask('SET', key, value, 'KEEPTTL')),
    now: Date.now,
    pass: (milliseconds) => sleep(milliseconds),
    async close() {
      client.destroy()
      await redis.close()
    },
  }
})
