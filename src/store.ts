// Which store there is: Redis where REDIS_URL is set (one server, Sentinels or a cluster), otherwise one SQLite file.
import type { RedisTopology } from './records/redis-clients.ts'
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
  /** The connection itself, for what counts in Redis on its own; undefined on the embedded store. */
  redis: unknown
  close(): Promise<void>
}

type StoreSettings = Pick<
  Settings,
  'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_SENTINEL_NAME' | 'REDIS_CLUSTER' | 'DATA_DIR'
>

export function openStore(settings: StoreSettings, log: Log): Store {
  if (settings.REDIS_URL === undefined) {
    const records = createSqliteRecords(settings.DATA_DIR)
    return {
      records,
      sessionTexts: recordSessionTexts(records),
      redis: undefined,
      close: async () => records.close(),
    }
  }
  const redis = connectRedis(settings.REDIS_URL, log, topologyOf(settings))
  return {
    records: createRedisRecords(redis),
    sessionTexts: redisSessionTexts(redis),
    redis,
    close: async () => redis.destroy(),
  }
}

/** Which kind of Redis the settings name. */
export function topologyOf(settings: Partial<StoreSettings>): RedisTopology {
  const { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name = 'mymaster' } = settings
  if (sentinels !== undefined) return { kind: 'sentinel', sentinels, name }
  return { kind: settings.REDIS_CLUSTER === 'yes' ? 'cluster' : 'standalone' }
}
