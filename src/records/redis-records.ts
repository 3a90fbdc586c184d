// Records in Redis. Compare-and-set is a script of one key, so it is atomic on a cluster too.
import type { RedisConnection } from './redis-connection.ts'
import { withinDeadline, type Records } from './records.ts'

const COMPARE_AND_SET = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
  return 1
end
return 0`

const COMPARE_AND_REMOVE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

const PREFIX = 'onramp:'

const expiry = (seconds: number) => ({
  expiration: { type: 'EX' as const, value: Math.max(1, Math.ceil(seconds)) },
})

/** @throws {StoreUnavailable} from every operation while Redis cannot be reached or does not answer in time */
export function createRedisRecords(redis: RedisConnection): Records {
  return {
    get: (key) => withinDeadline(async () => (await redis.get(PREFIX + key)) ?? undefined),
    put: (key, value, seconds) =>
      withinDeadline(async () => {
        await redis.set(PREFIX + key, value, expiry(seconds))
      }),
    take: (key) => withinDeadline(async () => (await redis.getDel(PREFIX + key)) ?? undefined),
    compareAndSet: (key, expected, value, seconds) =>
      withinDeadline(async () => {
        if (expected === undefined)
          return (await redis.set(PREFIX + key, value, { ...expiry(seconds), condition: 'NX' })) !== null
        const life = String(Math.max(1, Math.ceil(seconds)))
        const args = { keys: [PREFIX + key], arguments: [expected, value, life] }
        return (await redis.eval(COMPARE_AND_SET, args)) === 1
      }),
    remove: (key) =>
      withinDeadline(async () => {
        await redis.del(PREFIX + key)
      }),
    compareAndRemove: (key, expected) =>
      withinDeadline(async () => {
        await redis.eval(COMPARE_AND_REMOVE, { keys: [PREFIX + key], arguments: [expected] })
      }),
  }
}
