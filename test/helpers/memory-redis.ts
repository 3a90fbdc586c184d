// The few Redis commands that onramp sends, in memory, with a clock that tests move. It knows no Lua: it tells scripts apart by
// a word in each, so only tests on a real Redis prove the scripts themselves.
import type { RedisCommands } from '../../src/records/redis-clients.ts'

type Kept = { value: string; ends: number }

export function memoryRedis() {
  let now = 0
  const kept = new Map<string, Kept>()
  const found = (key: string) => {
    const one = kept.get(key)
    if (one !== undefined && one.ends <= now) kept.delete(key)
    return kept.get(key)
  }
  const write = (key: string, value: string, seconds: number) =>
    void kept.set(key, { value, ends: now + 1000 * seconds })
  const valueOf = (key: string) => found(key)?.value ?? null
  const life = (key: string) => Math.ceil(((found(key)?.ends ?? now) - now) / 1000)

  const scripts: Record<string, (key: string, args: string[]) => unknown> = {
    "'DEL'": (key, [expected]) => (valueOf(key) === expected ? Number(kept.delete(key)) : 0),
    "'SET'"(key, [expected, value = '', seconds]) {
      if (valueOf(key) !== expected) return 0
      write(key, value, Number(seconds))
      return 1
    },
  }

  const commands: RedisCommands = {
    get: async (key) => valueOf(key),
    async set(key, value, { expiration, condition }) {
      if (condition === 'NX' && found(key) !== undefined) return null
      write(key, value, expiration.value)
      return 'OK'
    },
    del: async (key) => Number(kept.delete(key)),
    async *scan(pattern) {
      const beginning = pattern.slice(0, -1).replaceAll(/\\(.)/g, '$1')
      const keys = [...kept.keys()].filter((key) => key.startsWith(beginning) && found(key) !== undefined)
      // SCAN may return a key twice.
      yield keys
      await new Promise((answered) => setImmediate(answered))
      yield keys.slice(0, 1)
    },
    async eval(script, { keys: [key = ''], arguments: args }) {
      const known = Object.entries(scripts).find(([word]) => script.includes(word))
      if (known === undefined) throw new Error('ERR a script that is not known here')
      return known[1](key, args)
    },
  }

  return {
    commands,
    now: () => now,
    pass: (milliseconds: number) => void (now += milliseconds),
    dump: () => new Map([...kept].map(([key, { value }]) => [key, value])),
    /** Seconds that each key has left to live. */
    lives: () => new Map([...kept.keys()].map((key) => [key, life(key)])),
    /** Overwrites a value and keeps its expiry. */
    damage: (key: string, value: string) => void Object.assign(kept.get(key) ?? {}, { value }),
  }
}
