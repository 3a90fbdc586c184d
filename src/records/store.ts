// Which store there is: Redis where REDIS_URL is set (one server, Sentinels or a cluster), otherwise one SQLite file.
import { resolve } from 'node:path'
import type { SharedRedis } from './counting.ts'
import type { RedisTopology } from './redis-clients.ts'
import { connectRedis, type ConnectionLog } from './redis-connection.ts'
import { createRedisRecords } from './redis-records.ts'
import type { Records } from './records.ts'
import { holdFolder } from './sqlite-folder.ts'
import { createSqliteRecords } from './sqlite-records.ts'

export type Store = {
  records: Records
  /** The connection itself, for what counts in Redis on its own; undefined on the embedded store. */
  redis: SharedRedis | undefined
  /** What is asked for first is written first. A cluster's nodes don't wait for each other. */
  keepsOrder: boolean
  close(): Promise<void>
}

/** The settings by these names. */
export type StoreSettings = {
  REDIS_URL: string | undefined
  REDIS_PREFIX: string
  REDIS_SENTINELS: { host: string; port: number }[] | undefined
  REDIS_SENTINEL_NAME: string
  REDIS_CLUSTER: 'yes' | 'no'
  DATA_DIR: string
}

/** Which store the settings name, and where it is, for people. */
export const storeOf = ({ REDIS_URL: url, DATA_DIR: folder = '' }: Partial<StoreSettings>) =>
  url === undefined
    ? { name: 'SQLite', place: `in ${resolve(folder)}` }
    : { name: 'Redis', place: `at ${new URL(url).host}` }

/**
 * @param isServer a server is the only one on a DATA_DIR; commands read and write beside it
 * @throws {FolderInUse}
 */
export function openStore(settings: StoreSettings, log: ConnectionLog, isServer = false): Store {
  if (settings.REDIS_URL === undefined) return openFolder(settings.DATA_DIR, log, isServer)
  const { REDIS_PREFIX: prefix } = settings
  const redis = connectRedis(settings.REDIS_URL, log, topologyOf(settings), prefix)
  return {
    records: createRedisRecords(redis, prefix),
    redis: { client: redis, prefix },
    keepsOrder: settings.REDIS_CLUSTER !== 'yes',
    close: async () => redis.destroy(),
  }
}

function openFolder(folder: string, log: ConnectionLog, isServer: boolean): Store {
  const hold = isServer ? holdFolder(folder) : undefined
  const records = createSqliteRecords(folder)
  if (records.openToOthers.length > 0)
    log.warn(
      { paths: records.openToOthers },
      'other users of this machine can read or change what is in DATA_DIR: take their rights away with chmod go-rwx',
    )
  return {
    records,
    redis: undefined,
    keepsOrder: true,
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
