// The contract of records on the embedded store and on the commands of Redis; redis.journey.test.ts has it on a real
// Redis.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { useFolder } from '../helpers/folder.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'
import { describeRecords } from './contract.ts'

const folder = useFolder()

describeRecords('SQLite', async () => {
  let now = Date.now()
  const records = createSqliteRecords(join(folder, 'data'), () => now)
  return { records, pass: (milliseconds) => void (now += milliseconds), close: () => records.close() }
})

describeRecords('the commands of Redis', async () => {
  const redis = memoryRedis()
  return { records: createRedisRecords(redis.commands, 'acme:'), pass: redis.pass, close: () => {} }
})

it('many operations of the embedded store in a row let others have a turn', async () => {
  const records = createSqliteRecords(folder)
  const others = { turns: 0 }
  void (async () => {
    for (; others.turns < 3; others.turns++) await nextTurn()
  })()
  for (const until = performance.now() + 5_000; others.turns < 3 && performance.now() < until;)
    await records.get('none')
  records.close()
  expect(others.turns).toBe(3)
})

it('the embedded store deletes expired records every minute, and no others', async () => {
  let now = 1_000
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const records = createSqliteRecords(folder, () => now)

  try {
    // More than two batches.
    for (let number = 0; number < 2_500; number++) await records.put(`over ${number}`, 'a', 59)
    await records.put('living', 'b', 61)
    now += 60_000
    vi.advanceTimersByTime(60_000)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    const database = new DatabaseSync(join(folder, 'onramp.sqlite'))
    const rows = database.prepare('SELECT key FROM records').all()
    database.close()
    expect(rows.map(({ key }) => key)).toEqual(['living'])
  } finally {
    records.close()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  }
})
