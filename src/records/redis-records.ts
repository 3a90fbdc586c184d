// Records in Redis, and the permissions that onramp's user needs. Compare-and-set is a script, atomic on clusters, too.
import type { Records } from './records.ts'
import { STANDARD_PREFIX, type RedisCommands } from './redis-clients.ts'

const COMPARE_AND_SET = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
  return 1
end
return 0`

const COMPARE_AND_REMOVE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

const lifeOf = (seconds: number) => Math.max(1, Math.ceil(seconds))
const expiry = (seconds: number) => ({ expiration: { type: 'EX' as const, value: lifeOf(seconds) } })

/** A Redis pattern that matches only this text. */
const literally = (text: string) => text.replaceAll(/[*?[\]^\\]/g, '\\$&')

/** Every operation throws {StoreUnavailable}. @param prefix REDIS_PREFIX, because installations may share a Redis */
export function createRedisRecords(redis: RedisCommands, prefix: string = STANDARD_PREFIX): Records {
  return {
    get: async (key) => (await redis.get(prefix + key)) ?? undefined,
    getAll: async (keys) =>
      (await redis.getAll(keys.map((key) => prefix + key))).map((value) => value ?? undefined),
    async put(key, value, seconds) {
      await redis.set(prefix + key, value, expiry(seconds))
    },
    async compareAndSet(key, expected, value, seconds) {
      if (expected === undefined)
        return (await redis.set(prefix + key, value, { ...expiry(seconds), condition: 'NX' })) !== null
      const args = { keys: [prefix + key], arguments: [expected, value, String(lifeOf(seconds))] }
      return (await redis.eval(COMPARE_AND_SET, args)) === 1
    },
    async remove(key) {
      await redis.del(prefix + key)
    },
    async compareAndRemove(key, expected) {
      await redis.eval(COMPARE_AND_REMOVE, { keys: [prefix + key], arguments: [expected] })
    },
    async *keys(beginning) {
      // SCAN may return a key more than once.
      const seen = new Set<string>()
      for await (const keys of redis.scan(`${literally(prefix + beginning)}*`)) {
        const batch = [...new Set(keys)].filter((key) => !seen.has(key))
        for (const key of batch) seen.add(key)
        if (batch.length > 0) yield batch.map((key) => key.slice(prefix.length))
      }
    },
  }
}

const REDIS_COMMANDS = ['get', 'set', 'del', 'eval', 'scan', 'ping'] as const

/** Additional commands to find the primary, or a cluster's nodes. */
const BY_TOPOLOGY = { standalone: [], sentinel: ['role'], cluster: ['cluster|slots'] } as const

/** The minimal rules for ACL SETUSER. @param prefix REDIS_PREFIX @param url REDIS_URL */
export function redisAclRules(
  prefix: string,
  topology: keyof typeof BY_TOPOLOGY = 'standalone',
  url?: string,
): string[] {
  // With a database, a connection begins with SELECT. `info` is for the doctor.
  const databaseCommands = Number(URL.parse(url ?? '')?.pathname.slice(1)) > 0 ? ['select'] : []
  const commands = [...REDIS_COMMANDS, ...BY_TOPOLOGY[topology], ...databaseCommands, 'info']
  return [`~${prefix}*`, ...commands.map((command) => `+${command}`)]
}
