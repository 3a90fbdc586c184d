// The connection to Redis that is kept for ever. What surprises: a client that failed is not revived but replaced by a
// new one, opened beside it, because only that finds a new primary, leaves a dead network path, and forgets commands
// that no one waits for now. While there is none, every command fails at once.
import { setTimeout as pause } from 'node:timers/promises'
import { TooSlow } from '../within.ts'
import { StoreUnavailable, STORE_DEADLINE_MS, withinDeadline } from './records.ts'
import {
  commandsOf,
  createRedisOpener,
  type OpenedRedis,
  type OpenRedis,
  type RedisCommands,
  type RedisTopology,
} from './redis-clients.ts'
import { describeStoreError } from './store-error.ts'

/** Every command throws StoreUnavailable while Redis cannot be reached, is too slow, or refuses it. */
type RedisConnection = RedisCommands & { readonly isReady: boolean; destroy(): void }

export type ConnectionLog = {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** Between tries, with jitter so that replicas do not come back in step. */
const retryIn = () => 250 * (0.5 + Math.random())

/** Connects in the background and reconnects for ever. @param url may hold credentials, which are never logged */
export const connectRedis = (
  url: string,
  log: ConnectionLog,
  topology: RedisTopology = { kind: 'standalone' },
  prefix?: string,
): RedisConnection => connectBy(createRedisOpener(url, topology, prefix), log)

/** The same with whatever opens a client. */
export function connectBy(open: OpenRedis, log: ConnectionLog): RedisConnection {
  const ending = new AbortController()
  const outages = createOutageLog(log)
  let current: OpenedRedis | undefined
  let isRenewing = false
  /** Settles when the first connection was made, or has failed: who comes before that waits for it. */
  const first = Promise.withResolvers<void>()

  async function openOne(): Promise<OpenedRedis> {
    let opened: OpenedRedis | undefined
    opened = await open((error) => {
      if (opened !== undefined && opened === current) void renew(error)
    })
    return opened
  }

  /** @param reason why the current client is of no use; undefined at the start */
  async function renew(reason?: unknown): Promise<void> {
    if (isRenewing) return
    isRenewing = true
    const before = current
    if (reason !== undefined) {
      outages.away(reason)
      await pause(retryIn())
    }
    while (!ending.signal.aborted && current === before)
      try {
        current = await openOne()
        outages.over()
      } catch (error) {
        outages.away(error)
        first.resolve()
        await pause(retryIn())
      }
    first.resolve()
    isRenewing = false
    // What is under way on it has its time to end: not every node of a cluster is gone.
    setTimeout(() => before?.close(), STORE_DEADLINE_MS).unref()
    if (ending.signal.aborted) current?.close()
  }

  /** What a failed command says about the client that it was given to. */
  function judge(client: OpenedRedis, reason: unknown): void {
    if (client !== current || isOwnTrouble(reason)) return
    if (reason instanceof TooSlow) {
      // Commands fail at once until a new client has answered.
      current = undefined
      client.close()
    }
    void renew(reason)
  }

  async function run<T>(command: (redis: RedisCommands) => Promise<T>): Promise<T> {
    if (current === undefined) await withinDeadline(() => first.promise)
    const client = current
    if (client === undefined) throw new StoreUnavailable(outages.reason())
    try {
      return await withinDeadline(() => command(client.commands))
    } catch (error) {
      judge(client, error instanceof StoreUnavailable ? error.cause : error)
      throw error
    }
  }

  async function* scan(pattern: string): AsyncGenerator<string[]> {
    let batches: AsyncGenerator<string[]> | undefined
    for (;;) {
      const batch = await run((redis) => (batches ??= redis.scan(pattern)).next())
      if (batch.done === true) return
      yield batch.value
    }
  }

  void renew()
  return {
    ...commandsOf(run, scan),
    get isReady() {
      return current !== undefined && !isRenewing
    },
    destroy() {
      ending.abort()
      current?.close()
    },
  }
}

/** Replies that any client would get (full, loading, cluster down). Others, such as READONLY, mean another server. */
const isOwnTrouble = (error: unknown) =>
  error instanceof Error &&
  /^(OOM|LOADING|CLUSTERDOWN|TRYAGAIN|BUSY|MISCONF|NOREPLICAS|MASTERDOWN|WRONGTYPE|NOPERM|ERR)\b/.test(
    error.message,
  )

/** One line for each reason why Redis is away, however long that lasts, and one when it is back. */
function createOutageLog(log: ConnectionLog) {
  const logged = new Set<string>()
  let last: unknown
  return {
    reason: () => last ?? new Error('not connected yet'),
    away(error: unknown) {
      last = error
      const { code, words, isRefusal } = describeStoreError(error)
      const what = isRefusal
        ? `Redis refuses onramp: ${words} (${code})`
        : `Redis cannot be reached (${code})`
      if (!logged.has(code)) log.warn({ err: error }, `${what}: trying again until it can`)
      logged.add(code)
    },
    over() {
      if (logged.size > 0) log.info({}, 'Redis is reached again')
      logged.clear()
    },
  }
}
