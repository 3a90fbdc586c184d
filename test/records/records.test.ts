// The contract of records on the embedded store and on the commands of Redis; redis.test.ts has it on a real Redis.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'
import { describeRecords } from './contract.ts'

describeRecords('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-records-'))
  let now = Date.now()
  const records = createSqliteRecords(join(folder, 'data'), () => now)
  return {
    records,
    pass: (milliseconds) => void (now += milliseconds),
    close() {
      records.close()
      rmSync(folder, { recursive: true })
    },
  }
})

describeRecords('the commands of Redis', async () => {
  const redis = memoryRedis()
  return { records: createRedisRecords(redis.commands), pass: redis.pass, close: () => {} }
})

describe('the embedded store', () => {
  it('keeps what was written over a restart, in a folder that only its owner may read', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'onramp-records-')), 'a', 'b')
    const first = createSqliteRecords(folder)
    await first.put('key', 'value', 60)
    first.close()
    const second = createSqliteRecords(folder)
    expect(await second.get('key')).toBe('value')
    second.close()
    expect(statSync(folder).mode & 0o077).toBe(0)
    rmSync(join(folder, '..', '..'), { recursive: true })
  })

  it('is swept every minute of what is over, and of nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'onramp-records-'))
    let now = 1_000
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const records = createSqliteRecords(folder, () => now)
    try {
      await records.put('over', 'a', 59)
      await records.put('living', 'b', 61)
      now += 60_000
      vi.advanceTimersByTime(60_000)
      const database = new DatabaseSync(join(folder, 'onramp.sqlite'))
      const rows = database.prepare('SELECT key FROM records').all()
      database.close()
      expect(rows.map(({ key }) => key)).toEqual(['living'])
    } finally {
      records.close()
      expect(vi.getTimerCount()).toBe(0)
      vi.useRealTimers()
      rmSync(folder, { recursive: true })
    }
  })

  it('that is closed is an outage, not a crash', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'onramp-records-'))
    const records = createSqliteRecords(folder)
    records.close()
    await expect(records.get('key')).rejects.toBeInstanceOf(StoreUnavailable)
    rmSync(folder, { recursive: true })
  })
})
