// One contract for both kinds of store.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { startRedis } from '../helpers/redis.ts'

type Opened = { records: Records; close(): Promise<void> }
const silent = { warn: () => {}, info: () => {} }

const stores: Record<string, () => Promise<Opened>> = {
  async SQLite() {
    const folder = mkdtempSync(join(tmpdir(), 'onramp-records-'))
    const records = createSqliteRecords(join(folder, 'data'))
    return {
      records,
      async close() {
        records.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
  async Redis() {
    const redis = await startRedis()
    const client = connectRedis(redis.url, silent)
    while (!client.isReady) await sleep(5)
    return {
      records: createRedisRecords(client),
      async close() {
        client.destroy()
        await redis.close()
      },
    }
  },
}

let number = 0
const newKey = () => `key:${++number}`
const winners = (results: unknown[]) => results.filter((result) => result !== false)

describe.each(Object.entries(stores))('records in %s', (_name, open) => {
  let records: Records
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
    records = opened.records
  })
  afterAll(() => opened.close())

  it('a record that was never written is not there', async () => {
    expect(await records.get(newKey())).toBeUndefined()
    await records.remove(newKey())
  })

  it('a record is read as it was written, whatever is in it', async () => {
    const key = newKey()
    for (const value of ['', '{"a":1}', 'é 👩‍👩‍👧‍👦 \u0000 \' " \\', 'x'.repeat(500_000)]) {
      await records.put(key, value, 60)
      expect(await records.get(key)).toBe(value)
    }
  })

  it.concurrent('a record is gone when its time is over, also for comparers', async () => {
    const keys = [newKey(), newKey()] as const
    for (const key of keys) await records.put(key, 'a', 1)
    expect(await records.get(keys[0])).toBe('a')
    await sleep(1_100)
    expect(await records.get(keys[0])).toBeUndefined()
    expect(await records.compareAndSet(keys[1], 'a', 'b', 60)).toBe(false)
    expect(await records.compareAndSet(keys[1], undefined, 'b', 60)).toBe(true)
  })

  it.concurrent('writing again gives it new time', async () => {
    const [put, set] = [newKey(), newKey()]
    await records.put(put, 'a', 1)
    await records.put(set, 'a', 1)
    await records.put(put, 'b', 60)
    await records.compareAndSet(set, 'a', 'b', 60)
    await sleep(1_100)
    expect([await records.get(put), await records.get(set)]).toEqual(['b', 'b'])
  })

  it('of any number of writers who saw the same, one writes', async () => {
    const key = newKey()
    for (const expected of [undefined, 'first']) {
      const wrote = await Promise.all(
        Array.from({ length: 20 }, (_, writer) =>
          records.compareAndSet(key, expected, expected === undefined ? 'first' : `next ${writer}`, 60),
        ),
      )
      expect(winners(wrote)).toHaveLength(1)
      const winner = wrote.indexOf(true)
      expect(await records.get(key)).toBe(expected === undefined ? 'first' : `next ${winner}`)
    }
  })

  it('no one writes over what has changed, is not there, or is there', async () => {
    const key = newKey()
    expect(await records.compareAndSet(key, 'a', 'b', 60)).toBe(false)
    await records.put(key, 'a', 60)
    expect(await records.compareAndSet(key, 'A', 'b', 60)).toBe(false)
    expect(await records.compareAndSet(key, undefined, 'b', 60)).toBe(false)
    expect(await records.get(key)).toBe('a')
  })

  it('of any number of readers one takes the mark off a value, and all read it', async () => {
    const key = newKey()
    await records.put(key, 'mark.value é', 60)
    const taken = await Promise.all(Array.from({ length: 20 }, () => records.takeMark(key, 'mark.', 60)))
    expect(taken.filter((one) => one?.isTaken)).toEqual([{ value: 'mark.value é', isTaken: true }])
    expect(taken.filter((one) => one?.isTaken === false)).toEqual(
      Array.from({ length: 19 }, () => ({ value: 'value é', isTaken: false })),
    )
  })

  it.concurrent('a value without its mark lives for its new time, and no longer', async () => {
    const [longer, shorter] = [newKey(), newKey()]
    await records.put(longer, 'mark.value', 1)
    await records.put(shorter, 'mark.value', 60)
    await records.takeMark(longer, 'mark.', 60)
    await records.takeMark(shorter, 'mark.', 1)
    await sleep(1_100)
    expect([await records.get(longer), await records.get(shorter)]).toEqual(['value', undefined])
  })

  it('another mark takes nothing, nor does any where there is no record', async () => {
    const key = newKey()
    expect(await records.takeMark(key, 'mark.', 60)).toBeUndefined()
    await records.put(key, 'mark.value', 60)
    for (const other of ['other.', 'mark.value.', 'ark', 'MARK.'])
      expect(await records.takeMark(key, other, 60)).toEqual({ value: 'mark.value', isTaken: false })
    expect(await records.takeMark(key, 'mark.', 60)).toEqual({ value: 'mark.value', isTaken: true })
  })

  it('counting by many at once loses no count', async () => {
    const key = newKey()
    const addOne = async () => {
      for (;;) {
        const before = await records.get(key)
        if (await records.compareAndSet(key, before, String(Number(before ?? 0) + 1), 60)) return
      }
    }
    await Promise.all(Array.from({ length: 12 }, addOne))
    expect(await records.get(key)).toBe('12')
  })

  it('what is removed is gone', async () => {
    const key = newKey()
    await records.put(key, 'a', 60)
    await records.remove(key)
    expect(await records.get(key)).toBeUndefined()
  })
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
