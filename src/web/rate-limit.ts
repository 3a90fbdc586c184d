// How often an address, and a browser, may start or end a sign-in. Counted in Redis for all processes together; while
// it is away each process counts for itself, so the limit is never off and never an error.
import { isIPv6 } from 'node:net'
import type { Request, RequestHandler } from 'express'
import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible'
import { Problem } from '../problem.ts'
import type { Note } from './audit.ts'

export type Limits = {
  /** By address; in front of the session. */
  byAddress: RequestHandler
  /** By browser; behind the session. */
  byBrowser: RequestHandler
}

export type LimitOptions = {
  /** The Redis client, or undefined where the store is embedded: then there is one process to count in. */
  redis: unknown
  perAddress: number
  perBrowser: number
  note: Note
}

const WINDOW_SECONDS = 60
const DEADLINE_MS = 500

/** A household has a /64 and may use any address of it. */
const networkOf = (address: string) => (isIPv6(address) ? address.split(':').slice(0, 4).join(':') : address)

export function createLimits({ redis, perAddress, perBrowser, note }: LimitOptions): Limits {
  const address = limiter(redis, 'address', perAddress)
  const browser = limiter(redis, 'browser', perBrowser)

  async function consume(counted: Counted, key: string, what: string): Promise<void> {
    const exceeded = await counted(key)
    if (exceeded === undefined) return
    note({ event: 'limited', what })
    throw new Problem(429, 'too_many', { detail: `too many sign-ins from one ${what}`, retryAfter: exceeded })
  }

  const limited = (
    counted: Counted,
    keyOf: (req: Request) => string | undefined,
    what: string,
  ): RequestHandler => {
    return async (req, _res, next) => {
      const key = LIMITED.test(req.baseUrl + req.path) ? keyOf(req) : undefined
      if (key !== undefined) await consume(counted, key, what)
      next()
    }
  }

  return {
    byAddress: limited(address, (req) => networkOf(req.ip ?? ''), 'address'),
    byBrowser: limited(browser, (req) => (req as Partial<Request>).session?.browser, 'browser'),
  }
}

const LIMITED = /^\/(sign-in|invite)(\/|$)/

/** The library's own, but with TTL in the place of PTTL: one command fewer to allow (records/redis-access.ts). */
const COUNT = `redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
local ttl = redis.call('ttl', KEYS[1])
if ttl == -1 then
  redis.call('expire', KEYS[1], ARGV[2])
  ttl = ARGV[2]
end
return {consumed, 1000 * ttl}`

/** @returns the seconds to wait, or undefined while the limit is not reached */
type Counted = (key: string) => Promise<number | undefined>

function limiter(redis: unknown, name: string, points: number): Counted {
  const options = { keyPrefix: `onramp:limit:${name}`, points, duration: WINDOW_SECONDS }
  const local = new RateLimiterMemory(options)
  if (redis === undefined) return (key) => consumed(local, key)
  const shared = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    useRedisPackage: true,
    customIncrTtlLuaScript: COUNT,
  })
  return (key) => Promise.race([consumed(shared, key), late()]).catch(() => consumed(local, key))
}

async function consumed(from: RateLimiterAbstract, key: string): Promise<number | undefined> {
  try {
    await from.consume(key)
    return undefined
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
    throw refused
  }
}

const late = () =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the store took too long to count')), DEADLINE_MS).unref()
  })
