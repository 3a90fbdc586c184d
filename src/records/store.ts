// Opens the store: Redis if REDIS_URL is set (one server, Sentinels or a cluster), else one SQLite file.
import { statfsSync } from 'node:fs'
import { resolve } from 'node:path'
import { inSpan } from '../trace/spans.ts'
import { createFormatCheck } from './data-key.ts'
import { createRedisOpener, topologyOf } from './redis-clients.ts'
import { RedisConnection, type ConnectionLog } from './redis-connection.ts'
import { createRedisRecords } from './redis-records.ts'
import type { Records } from './records.ts'
import { OperatorError } from '../problem.ts'
import { FolderUnusable, lockFolder, unsafeFileSystem } from './sqlite-folder.ts'
import { createSqliteRecords } from './sqlite-records.ts'

export type Store = { records: Records; isReachable(): boolean; close(): Promise<void> }

type StoreSettings = {
  REDIS_URL: string | undefined
  REDIS_PREFIX: string
  REDIS_SENTINELS: { host: string; port: number }[] | undefined
  REDIS_SENTINEL_NAME: string
  REDIS_CLUSTER: 'yes' | 'no'
  DATA_DIR: string
}

export const describeStore = ({ REDIS_URL: url, DATA_DIR: folder = '' }: Partial<StoreSettings>) =>
  url === undefined
    ? { name: 'SQLite', place: `in ${resolve(folder)}` }
    : { name: 'Redis', place: `at ${new URL(url).host}` }

type StoreOptions = {
  /** A server locks DATA_DIR; commands work beside it. */
  isServer?: boolean
  isAdopting?: boolean
  /** Called after every operation, without keys and values. Must not throw. */
  onOperation?: (operation: { operation: string; isDone: boolean; seconds: number }) => void
}

/** Operations throw {StoreUnreadable} if the format is another one. @throws {OperatorError} {FolderUnusable} */
export function openStore(settings: StoreSettings, log: ConnectionLog, options: StoreOptions = {}): Store {
  if (settings.REDIS_URL === undefined) return openFolder(settings.DATA_DIR, log, options)
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = settings
  const connection = new RedisConnection(createRedisOpener(url, topologyOf(settings), prefix), log)
  return {
    records: instrument(createRedisRecords(connection.commands, prefix), 'redis', options),
    isReachable: () => connection.isReady,
    close: async () => connection.destroy(),
  }
}

function openFolder(folder: string, log: ConnectionLog, options: StoreOptions): Store {
  let lock: { close(): void } | undefined
  try {
    lock = options.isServer ? lockFolder(folder) : undefined
    const records = createSqliteRecords(folder)
    if (records.readableByOthers.length > 0)
      log.warn(
        { paths: records.readableByOthers },
        'other users of this machine can read or change DATA_DIR: run chmod go-rwx on it',
      )
    const fileSystem = unsafeFileSystem(statfsSync(folder).type) ?? 'memory'
    if (fileSystem !== 'memory')
      log.warn(
        { fileSystem },
        "DATA_DIR is on a network file system, where SQLite's locks may not hold: use a disk of this machine, or set REDIS_URL",
      )
    return {
      records: instrument(records, 'sqlite', options),
      isReachable: () => true,
      async close() {
        records.close()
        lock?.close()
      },
    }
  } catch (error) {
    lock?.close()
    throw error instanceof OperatorError ? error : new FolderUnusable(folder, error)
  }
}

const OPERATIONS = ['get', 'getAll', 'put', 'compareAndSet', 'remove', 'compareAndRemove'] as const

function instrument(records: Records, system: 'redis' | 'sqlite', options: StoreOptions): Records {
  const { isAdopting, onOperation = () => {} } = options
  const checkFormat = createFormatCheck(records, isAdopting)
  const result: Records = {
    ...records,
    async *keys(prefix) {
      await checkFormat()
      yield* records.keys(prefix)
    },
  }
  for (const operation of OPERATIONS) {
    const operate = records[operation] as (...args: unknown[]) => Promise<unknown>
    const attributes = { 'db.system.name': system, 'db.operation.name': operation }
    const work = (args: unknown[]) => inSpan(`${operation} ${system}`, attributes, () => operate(...args))
    const measured = (...args: unknown[]) => {
      const startedAt = performance.now()
      const end = (isDone: boolean) => () =>
        onOperation({ operation, isDone, seconds: (performance.now() - startedAt) / 1000 })
      const outcome = checkFormat().then(() => work(args))
      void outcome.then(end(true), end(false))
      return outcome
    }
    Object.assign(result, { [operation]: measured })
  }
  return result
}
