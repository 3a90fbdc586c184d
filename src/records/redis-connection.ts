// The connection to Redis that is kept for ever. What surprises: a client that failed is not revived but replaced by a
// new one, opened beside it, because only that finds a new primary, leaves a dead network path, and forgets commands
// that no one waits for now. While there is none, every command fails at once.
import { setTimeout as pause } from 'node:timers/promises'
import { createPatience, type Patience } from './patience.ts'
import { StoreUnavailable, STORE_DEADLINE_MS, TooSlow, withinDeadline } from './records.ts'
import { storeTrouble } from './store-trouble.ts'
import {
  openerOf,
  type OpenedRedis,
  type OpenRedis,
  type RedisCommands,
  type RedisTopology,
} from './redis-clients.ts'

/** Every command throws StoreUnavailable while Redis cannot be reached, is too slow, or refuses it. */
export type RedisConnection = RedisCommands & { readonly isReady: boolean; destroy(): void }

export type ConnectionLog = {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

const MAX_RETRY_MS = 1_000
/** A client that lived so long was good: the next one need not wait. */
const GOOD_LIFE_MS = 5_000
/** One that opens and fails soon, as on a server that takes no writes, is not replaced faster than after so many tries. */
const TRIES_AFTER_SHORT_LIFE = 3

/** Grows from 25 ms to a second, with jitter so that replicas do not come back in step. */
const retryIn = (tries: number) =>
  Math.min(25 * 2 ** Math.min(tries, 10), MAX_RETRY_MS) * (0.75 + Math.random() / 2)

/**
 * Starts connecting in the background and keeps at it for ever.
 * @param url redis:// or rediss://; may carry a user name and a password, which are never logged
 * @param prefix REDIS_PREFIX
 */
export const connectRedis = (
  url: string,
  log: ConnectionLog,
  topology: RedisTopology = { kind: 'standalone' },
  prefix?: string,
): RedisConnection => connectBy(openerOf(url, topology, prefix), log)

/** The same with whatever opens a client. */
export function connectBy(open: OpenRedis, log: ConnectionLog): RedisConnection {
  const kept = keepOpen(open, log)
  return {
    get: (key) => kept.run((redis) => redis.get(key)),
    set: (key, value, options) => kept.run((redis) => redis.set(key, value, options)),
    del: (keys) => kept.run((redis) => redis.del(keys)),
    expire: (key, seconds) => kept.run((redis) => redis.expire(key, seconds)),
    eval: (script, options) => kept.run((redis) => redis.eval(script, options)),
    async *scan(pattern) {
      let batches: AsyncGenerator<string[]> | undefined
      for (;;) {
        const batch = await kept.run((redis) => (batches ??= redis.scan(pattern)).next())
        if (batch.done === true) return
        yield batch.value
      }
    },
    get isReady() {
      return kept.isOpen()
    },
    destroy: () => kept.end(),
  }
}

type Current = OpenedRedis & { patience: Patience; openedAt: number }

/** A request that comes while the very first connection is being made waits so long for it. */
const FIRST_WAIT_MS = 500

function keepOpen(open: OpenRedis, log: ConnectionLog) {
  const ending = new AbortController()
  const tell = teller(log)
  let current: Current | undefined
  const retiring = new Set<Current>()
  let renewing = false
  let tries = 0
  /** Settles when the first connection was made, or has failed: who comes before that waits a moment for it. */
  const first = Promise.withResolvers<void>()

  async function openOne(): Promise<Current> {
    let opened: OpenedRedis | undefined
    const lost = (error: Error) => {
      if (opened !== undefined && opened.commands === current?.commands) renew(error)
    }
    opened = await open(lost)
    return { ...opened, patience: createPatience(STORE_DEADLINE_MS), openedAt: performance.now() }
  }

  /** What is under way on a client that was replaced has its time to end: not every node of it is gone. */
  function retire(client: Current): void {
    retiring.add(client)
    setTimeout(() => {
      if (retiring.delete(client)) client.close()
    }, STORE_DEADLINE_MS).unref()
  }

  async function replace(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(retryIn(tries++), undefined, { signal: ending.signal })
      try {
        const next = await openOne()
        if (current !== undefined) retire(current)
        current = next
        tries = Math.min(tries, TRIES_AFTER_SHORT_LIFE)
        tell.reached()
        break
      } catch (error) {
        tell.away(error)
      } finally {
        first.resolve()
      }
    }
    if (ending.signal.aborted) current?.close()
  }

  function renew(reason?: unknown): void {
    if (renewing || ending.signal.aborted) return
    if (reason !== undefined) tell.away(reason)
    if (current !== undefined && performance.now() - current.openedAt > GOOD_LIFE_MS) tries = 0
    renewing = true
    replace()
      .catch(() => {})
      .finally(() => {
        renewing = false
      })
  }

  /** What a failed command says about the client that it was given to. */
  function judge(client: Current, error: unknown): void {
    if (client !== current) return
    if (error instanceof TooSlow) {
      // Commands fail at once until a new client has answered.
      current = undefined
      client.close()
      renew(error)
    } else if (!isOwnTrouble(error)) renew(error)
  }

  renew()

  return {
    async run<T>(command: (redis: RedisCommands) => Promise<T>): Promise<T> {
      if (current === undefined && tries <= 1)
        await Promise.race([first.promise, pause(FIRST_WAIT_MS, undefined, { ref: false })])
      const client = current
      if (client === undefined) throw new StoreUnavailable(tell.reason())
      const startedAt = performance.now()
      try {
        const result = await withinDeadline(() => command(client.commands), client.patience.left())
        client.patience.answered(startedAt)
        return result
      } catch (error) {
        judge(client, error instanceof StoreUnavailable ? error.cause : error)
        throw error
      }
    },
    isOpen: () => current !== undefined && !renewing,
    end() {
      ending.abort()
      for (const client of retiring) client.close()
      retiring.clear()
      current?.close()
    },
  }
}

/**
 * Replies that another client would get as well (full, loading, cluster down). Others, READONLY above all, mean that this is
 * no longer the server to ask.
 */
const isOwnTrouble = (error: unknown) =>
  error instanceof Error &&
  /^(OOM|LOADING|CLUSTERDOWN|TRYAGAIN|BUSY|MISCONF|NOREPLICAS|MASTERDOWN|WRONGTYPE|NOPERM|ERR)\b/.test(
    error.message,
  )

/** One line for each reason why Redis is away, however long that lasts, and one when it is back. */
function teller(log: ConnectionLog) {
  const told = new Set<string>()
  let last: unknown
  return {
    reason: () => last ?? new Error('not connected yet'),
    away(error: unknown) {
      last = error
      const words = error instanceof Error ? error.message : String(error)
      const { code, words: why, isRefusal } = storeTrouble(error)
      const what = isRefusal ? `Redis refuses onramp: ${why} (${code})` : `Redis cannot be reached (${code})`
      if (!told.has(words)) log.warn({ err: error }, `${what}: trying again until it can`)
      told.add(words)
    },
    reached() {
      if (told.size > 0) log.info({}, 'Redis is reached again')
      told.clear()
    },
  }
}
