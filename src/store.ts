// Which store there is: Redis where REDIS_URL is set (one server, Sentinels or a cluster), otherwise one SQLite file.
import type { RedisTopology } from './records/redis-clients.ts'
import { connectRedis } from './records/redis-connection.ts'
import { createRedisRecords } from './records/redis-records.ts'
import type { Records } from './records/records.ts'
import { holdFolder } from './records/sqlite-lock.ts'
import { createSqliteRecords } from './records/sqlite-records.ts'
import { recordSessionTexts, redisSessionTexts, type SealedTexts } from './session/session-store.ts'
import type { Settings } from './settings/settings.ts'
import type { SharedCounts } from './web/counting.ts'
import type { Log } from './web/log.ts'

export type Store = {
  records: Records
  sessionTexts: SealedTexts
  /** The connection itself, for what counts in Redis on its own; undefined on the embedded store. */
  redis: SharedCounts | undefined
  close(): Promise<void>
}

type StoreSettings = Pick<
  Settings,
  'REDIS_URL' | 'REDIS_PREFIX' | 'REDIS_SENTINELS' | 'REDIS_SENTINEL_NAME' | 'REDIS_CLUSTER' | 'DATA_DIR'
>

/**
 * @param isServer a server is the only one on a DATA_DIR; commands read and write beside it
 * @throws {FolderInUse}
 */
export function openStore(settings: StoreSettings, log: Log, isServer = false): Store {
  if (settings.REDIS_URL === undefined) return openFolder(settings.DATA_DIR, log, isServer)
  const { REDIS_PREFIX: prefix } = settings
  const redis = connectRedis(settings.REDIS_URL, log, topologyOf(settings), prefix)
  return {
    records: createRedisRecords(redis, prefix),
    sessionTexts: redisSessionTexts(redis, prefix),
    redis: { client: redis, prefix },
    close: async () => redis.destroy(),
  }
}

function openFolder(folder: string, log: Log, isServer: boolean): Store {
  const hold = isServer ? holdFolder(folder) : undefined
  const records = createSqliteRecords(folder)
  if (records.openToOthers.length > 0)
    log.warn(
      { paths: records.openToOthers },
      'other users of this machine can read or change what is in DATA_DIR: take their rights away with chmod go-rwx',
    )
  return {
    records,
    sessionTexts: recordSessionTexts(records),
    redis: undefined,
    async close() {
      records.close()
      hold?.close()
    },
  }
}

/** Which kind of Redis the settings name. */
export function topologyOf(settings: Partial<StoreSettings>): RedisTopology {
  const { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name = 'mymaster' } = settings
  if (sentinels !== undefined) return { kind: 'sentinel', sentinels, name }
  return { kind: settings.REDIS_CLUSTER === 'yes' ? 'cluster' : 'standalone' }
}
