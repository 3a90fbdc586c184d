// An in-memory implementation of the Redis commands that onramp sends, with a test clock. It doesn't run Lua but
// recognizes each script by a word, so only tests on a real Redis verify the scripts.
import type { RedisCommands } from '../../src/records/redis-clients.ts'

type Entry = { value: string; ends: number }

export function memoryRedis() {
  let now = 0
  const entries = new Map<string, Entry>()
  const found = (key: string) => {
    const one = entries.get(key)
    if (one !== undefined && one.ends <= now) entries.delete(key)
    return entries.get(key)
  }
  const write = (key: string, value: string, seconds: number) =>
    void entries.set(key, { value, ends: now + 1000 * seconds })
  const valueOf = (key: string) => found(key)?.value ?? null
  const life = (key: string) => Math.ceil(((found(key)?.ends ?? now) - now) / 1000)

  const scripts: Record<string, (key: string, args: string[]) => unknown> = {
    "'DEL'": (key, [expected]) => (valueOf(key) === expected ? Number(entries.delete(key)) : 0),
    "'SET'"(key, [expected, value = '', seconds]) {
      if (valueOf(key) !== expected) return 0
      write(key, value, Number(seconds))
      return 1
    },
  }

  const commands: RedisCommands = {
    get: async (key) => valueOf(key),
    getAll: async (keys) => keys.map(valueOf),
    async set(key, value, { expiration, condition }) {
      if (condition === 'NX' && found(key) !== undefined) return null
      write(key, value, expiration.value)
      return 'OK'
    },
    del: async (key) => Number(entries.delete(key)),
    async *scan(pattern) {
      const beginning = pattern.slice(0, -1).replaceAll(/\\(.)/g, '$1')
      const keys = [...entries.keys()].filter((key) => key.startsWith(beginning) && found(key) !== undefined)
      // SCAN may return a key twice.
      for (let start = 0; start === 0 || start < keys.length; start += 1_000) {
        yield keys.slice(start, start + 1_001)
        await new Promise((answered) => setImmediate(answered))
      }
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
    dump: () => new Map([...entries].map(([key, { value }]) => [key, value])),
    /** Remaining seconds of each key. */
    lives: () => new Map([...entries.keys()].map((key) => [key, life(key)])),
    /** Overwrites a value and keeps its expiry. */
    damage: (key: string, value: string) => void Object.assign(entries.get(key) ?? {}, { value }),
  }
}
