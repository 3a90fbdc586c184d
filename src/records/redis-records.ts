// Records in Redis. Compare-and-set is a script of one key, so it is atomic on a cluster too.
import type { Records } from './records.ts'
import { STANDARD_PREFIX, type RedisCommands } from './redis-clients.ts'

const COMPARE_AND_SET = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
  return 1
end
return 0`

const COMPARE_AND_REMOVE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

const expiry = (seconds: number) => ({
  expiration: { type: 'EX' as const, value: Math.max(1, Math.ceil(seconds)) },
})

/**
 * @param prefix REDIS_PREFIX: what every key begins with, so that several installations may share a Redis
 * @throws {StoreUnavailable} from every operation while Redis cannot be reached or does not answer in time
 */
export function createRedisRecords(redis: RedisCommands, prefix: string = STANDARD_PREFIX): Records {
  return {
    get: async (key) => (await redis.get(prefix + key)) ?? undefined,
    async put(key, value, seconds) {
      await redis.set(prefix + key, value, expiry(seconds))
    },
    async compareAndSet(key, expected, value, seconds) {
      if (expected === undefined)
        return (await redis.set(prefix + key, value, { ...expiry(seconds), condition: 'NX' })) !== null
      const life = String(Math.max(1, Math.ceil(seconds)))
      const args = { keys: [prefix + key], arguments: [expected, value, life] }
      return (await redis.eval(COMPARE_AND_SET, args)) === 1
    },
    async remove(key) {
      await redis.del(prefix + key)
    },
    async compareAndRemove(key, expected) {
      await redis.eval(COMPARE_AND_REMOVE, { keys: [prefix + key], arguments: [expected] })
    },
  }
}
