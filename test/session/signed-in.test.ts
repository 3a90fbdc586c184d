// Sign-ins on the embedded store and on the commands of Redis; signed-in-redis.test.ts has the same on a real Redis.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { sessionTextsOn } from '../../src/session/sealed-texts.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'
import { describeSignIns } from './sign-ins.ts'

describeSignIns('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-sessions-'))
  let now = Date.now()
  const records = createSqliteRecords(folder, () => now)
  const raw = new DatabaseSync(join(folder, 'onramp.sqlite'))
  const all = raw.prepare('SELECT key, value FROM records')
  const change = raw.prepare('UPDATE records SET value = ? WHERE key = ?')
  return {
    texts: sessionTextsOn({ records, redis: undefined }),
    records,
    dump: async () => new Map(all.all().map(({ key, value }) => [String(key), String(value)])),
    damage: async (key, value) => void change.run(value, key),
    now: () => now,
    pass: (milliseconds) => void (now += milliseconds),
    close() {
      raw.close()
      records.close()
      rmSync(folder, { recursive: true })
    },
  }
})

describeSignIns('the commands of Redis', async () => {
  const { commands, dump, damage, now, pass } = memoryRedis()
  const records = createRedisRecords(commands)
  return {
    texts: sessionTextsOn({ records, redis: { client: commands, prefix: 'onramp:' } }),
    records,
    dump: async () => dump(),
    damage: async (key, value) => damage(key, value),
    now,
    pass,
    close: () => {},
  }
})
