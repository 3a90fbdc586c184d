// Which store there is: Redis where REDIS_URL is set, otherwise one SQLite file in DATA_DIR.
import { connectRedis } from './records/redis-connection.ts'
import { createRedisRecords } from './records/redis-records.ts'
import type { Records } from './records/records.ts'
import { createSqliteRecords } from './records/sqlite-records.ts'
import { recordSessionTexts, redisSessionTexts, type SealedTexts } from './session/session-store.ts'
import type { Settings } from './settings.ts'
import type { Log } from './web/log.ts'

export type Store = {
  records: Records
  sessionTexts: SealedTexts
  /** The client itself, for what counts in Redis on its own; undefined on the embedded store. */
  redis: unknown
  close(): Promise<void>
}

export function openStore(settings: Pick<Settings, 'REDIS_URL' | 'DATA_DIR'>, log: Log): Store {
  if (settings.REDIS_URL === undefined) {
    const records = createSqliteRecords(settings.DATA_DIR)
    return {
      records,
      sessionTexts: recordSessionTexts(records),
      redis: undefined,
      close: async () => records.close(),
    }
  }
  const redis = connectRedis(settings.REDIS_URL, log)
  return {
    records: createRedisRecords(redis),
    sessionTexts: redisSessionTexts(redis),
    redis,
    close: async () => redis.destroy(),
  }
}
