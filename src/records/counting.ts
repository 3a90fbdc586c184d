// Counting in a window of time, for limits. In Redis for all processes together; while Redis is away each process counts
// for itself, so that a limit is never off and never an error.
import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible'
import type { RedisCommands } from './redis-clients.ts'

/** Redis, and what every key there begins with (REDIS_PREFIX). */
export type SharedRedis = { client: RedisCommands; prefix: string }

export type CounterOptions = {
  /** Undefined where the store is embedded: then there is one process to count in. */
  redis: SharedRedis | undefined
  name: string
  /** How many there may be in a window. */
  points: number
  windowSeconds: number
}

export type Counter = {
  /** Counts so many. @returns the seconds until the window ends, when that is more than there may be */
  take(key: string, points?: number): Promise<number | undefined>
  /** Takes a count back. */
  giveBack(key: string, points: number): Promise<void>
}

const DEADLINE_MS = 500

/** The library's own, but with TTL in the place of PTTL: one command fewer to allow (redisAccess). */
const COUNT = `redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
local ttl = redis.call('ttl', KEYS[1])
if ttl == -1 then
  redis.call('expire', KEYS[1], ARGV[2])
  ttl = ARGV[2]
end
return {consumed, 1000 * ttl}`

export function createCounter({ redis, name, points, windowSeconds }: CounterOptions): Counter {
  const options = { points, duration: windowSeconds }
  const local = new RateLimiterMemory(options)
  const shared =
    redis === undefined
      ? undefined
      : new RateLimiterRedis({
          ...options,
          keyPrefix: `${redis.prefix}limit:${name}`,
          storeClient: redis.client,
          useRedisPackage: true,
          customIncrTtlLuaScript: COUNT,
        })

  const counted = <T>(count: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> =>
    shared === undefined
      ? count(local)
      : Promise.race([count(shared), late()]).catch((error: unknown) => {
          // A refusal is an answer; everything else means that Redis gave none.
          if (error instanceof RateLimiterRes) throw error
          return count(local)
        })

  return {
    take: (key, wanted = 1) => refusalOf(counted((limiter) => limiter.consume(key, wanted))),
    async giveBack(key, returned) {
      await counted((limiter) => limiter.reward(key, returned))
    },
  }
}

export type SeldomShared = Pick<Counter, 'take'> & {
  /** Takes a count back, in this process: the store's never gets smaller within a window. */
  giveBack: (key: string, points?: number) => Promise<void>
}

export type SeldomSharedOptions = CounterOptions & {
  /** So many are counted in this process alone. */
  alone: number
  /** So many are taken from the common count at once. */
  piece?: number
}

/**
 * Counts the first in this process alone: few make more, so that a page costs no question to the store, and requests from
 * addresses without end leave no records there. From then on all processes count together. With P processes there may so
 * be P times `alone` more.
 */
export function createSeldomShared({ alone, piece = 1, ...options }: SeldomSharedOptions): SeldomShared {
  const own = createCounter({ ...options, redis: undefined, points: alone })
  const together = createCounter({ ...options, points: options.points - alone })
  const asking = new Map<string, Promise<number | undefined>>()

  /** Counted together instead: otherwise what is given back would only make up for this. */
  async function more(key: string, points: number): Promise<number | undefined> {
    const seconds = await together.take(key, points)
    if (seconds === undefined) await own.giveBack(key, points)
    return seconds
  }

  /** One piece at a time, for all who wait: with one for each, a rush would take all there are and leave them unused. */
  function anotherPiece(key: string): Promise<number | undefined> {
    const asked = asking.get(key) ?? more(key, piece).finally(() => asking.delete(key))
    asking.set(key, asked)
    return asked
  }

  return {
    async take(key, points = 1) {
      for (;;) {
        if ((await own.take(key, points)) === undefined) return undefined
        await own.giveBack(key, points)
        const isShared = points < piece
        const seconds = await (isShared ? anotherPiece(key) : together.take(key, points))
        if (seconds !== undefined || !isShared) return seconds
      }
    },
    giveBack: (key, points = 1) => own.giveBack(key, points),
  }
}

const secondsOf = (state: RateLimiterRes) => Math.max(1, Math.ceil(state.msBeforeNext / 1000))

async function refusalOf(counting: Promise<unknown>): Promise<number | undefined> {
  try {
    await counting
    return undefined
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return secondsOf(refused)
    throw refused
  }
}

const late = () =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the store took too long to count')), DEADLINE_MS).unref()
  })
