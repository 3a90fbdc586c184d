// Sealed session records by name: connect-redis keeps them on Redis, records keep them on the embedded store.
import { RedisStore } from 'connect-redis'
import type { SessionData } from 'express-session'
import type { Records } from '../records/records.ts'
import { STANDARD_PREFIX, type RedisCommands } from '../records/redis-clients.ts'
import type { Store } from '../records/store.ts'

export type SealedTexts = {
  get(name: string): Promise<string | undefined>
  set(name: string, sealed: string, seconds: number): Promise<void>
  /** Lets it live `seconds` from now; does nothing where there is none, so nothing that was ended comes back. */
  touch(name: string, seconds: number): Promise<void>
  destroy(name: string): Promise<void>
}

const PREFIX = 'session:'

/**
 * Sessions as connect-redis keeps them. It passes text through as it is: the sealing is ours.
 * @param prefix REDIS_PREFIX
 */
export function redisSessionTexts(client: RedisCommands, prefix: string = STANDARD_PREFIX): SealedTexts {
  type Envelope = SessionData & { sealed: string; seconds: number }
  const store = new RedisStore({
    client,
    prefix: prefix + PREFIX,
    ttl: (envelope) => (envelope as Envelope).seconds,
    serializer: {
      stringify: (envelope) => (envelope as Envelope).sealed,
      parse: (sealed) => ({ sealed }) as Envelope,
    },
  })
  return {
    get: async (name) => ((await store.get(name)) as Envelope | null)?.sealed,
    set: (name, sealed, seconds) => store.set(name, { sealed, seconds } as Envelope),
    touch: (name, seconds) => store.touch(name, { seconds } as Envelope),
    destroy: (name) => store.destroy(name),
  }
}

/** The same on the embedded store. */
export const recordSessionTexts = (records: Records): SealedTexts => ({
  get: (name) => records.get(PREFIX + name),
  set: (name, sealed, seconds) => records.put(PREFIX + name, sealed, seconds),
  async touch(name, seconds) {
    const sealed = await records.get(PREFIX + name)
    if (sealed !== undefined) await records.compareAndSet(PREFIX + name, sealed, sealed, seconds)
  },
  destroy: (name) => records.remove(PREFIX + name),
})

export const sessionTextsOn = ({ records, redis }: Pick<Store, 'records' | 'redis'>): SealedTexts =>
  redis === undefined ? recordSessionTexts(records) : redisSessionTexts(redis.client, redis.prefix)
