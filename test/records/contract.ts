// The contract of `Records`, run on every store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Records } from '../../src/records/records.ts'

export type Opened = {
  records: Records
  /** Advances the time by so many milliseconds. */
  pass(milliseconds: number): Promise<void> | void
  close(): Promise<void> | void
}

let number = 0
const newKey = () => `key:${++number}`
const winners = (results: unknown[]) => results.filter((result) => result !== false)

export function describeRecords(name: string, open: () => Promise<Opened>): void {
  describe(`records in ${name}`, () => {
    itKeepsRecords(open)
  })
}

function itKeepsRecords(open: () => Promise<Opened>): void {
  let records: Records
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
    records = opened.records
  })
  afterAll(() => opened.close())

  it('a record that was never written is absent', async () => {
    expect(await records.get(newKey())).toBeUndefined()
    await records.remove(newKey())
  })

  it('a record is read unchanged, whatever its content', async () => {
    const key = newKey()
    for (const value of ['', '{"a":1}', 'é 👩‍👩‍👧‍👦 \u0000 \' " \\', 'x'.repeat(500_000)]) {
      await records.put(key, value, 60)
      expect(await records.get(key)).toBe(value)
    }
  })

  it('many records are read at once, in the order of their keys', async () => {
    const [one, none, other] = [newKey(), newKey(), newKey()]
    await records.put(one, 'a', 60)
    await records.put(other, 'b', 60)

    const values = await records.getAll([other, none, one])

    expect(values).toEqual(['b', undefined, 'a'])
  })

  it('an expired record is absent, also for compare-and-set', async () => {
    const keys = [newKey(), newKey()] as const
    for (const key of keys) await records.put(key, 'b', 1)
    expect(await records.compareAndSet(keys[0], 'b', 'a', 1)).toBe(true)
    expect(await records.get(keys[0])).toBe('a')
    await opened.pass(1_100)
    expect(await records.get(keys[0])).toBeUndefined()
    expect(await records.compareAndSet(keys[1], 'b', 'a', 60)).toBe(false)
    expect(await records.compareAndSet(keys[1], undefined, 'b', 60)).toBe(true)
  })

  it('a write renews the expiry of a record', async () => {
    const [put, set] = [newKey(), newKey()]
    await records.put(put, 'a', 1)
    await records.put(set, 'a', 1)
    await records.put(put, 'b', 60)
    await records.compareAndSet(set, 'a', 'b', 60)
    await opened.pass(1_100)
    expect([await records.get(put), await records.get(set)]).toEqual(['b', 'b'])
  })

  it('one of several writers with the same expected value succeeds', async () => {
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

  it('a compare-and-set fails if the record has changed, is missing, or already exists', async () => {
    const key = newKey()
    expect(await records.compareAndSet(key, 'a', 'b', 60)).toBe(false)
    await records.put(key, 'a', 60)
    expect(await records.compareAndSet(key, 'A', 'b', 60)).toBe(false)
    expect(await records.compareAndSet(key, undefined, 'b', 60)).toBe(false)
    expect(await records.get(key)).toBe('a')
  })

  it('a removed record is absent, and compareAndRemove keeps a record that has changed', async () => {
    const key = newKey()
    await records.put(key, 'a', 60)
    await records.remove(key)
    expect(await records.get(key)).toBeUndefined()
    await records.compareAndRemove(key, 'a')
    await records.put(key, 'a', 60)
    await records.compareAndRemove(key, 'A')
    expect(await records.get(key)).toBe('a')
    await records.compareAndRemove(key, 'a')
    expect(await records.get(key)).toBeUndefined()
  })

  it('keys with a prefix are listed once each, in batches of about a thousand', async () => {
    const prefix = `list*[a-z]?\\${newKey()}:`
    const names = Array.from({ length: 2_500 }, (_, index) => `${prefix}${index}-ü`)
    for (const name of names) await records.put(name, 'a', 60)
    await records.put(`${prefix}over`, 'a', 1)
    await records.put(`${prefix.replace('*', 'x')}other`, 'a', 60)
    await records.put(`${prefix.toUpperCase()}other`, 'a', 60)
    await opened.pass(1_100)
    const batches: string[][] = []

    for await (const batch of records.keys(prefix)) batches.push(batch)

    expect(batches.flat().toSorted()).toEqual(names.toSorted())
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(1_250)
    for await (const batch of records.keys(`none:${prefix}`)) expect(batch).toEqual([])
  })

  it('other work has a turn between the batches of listed keys', async () => {
    const prefix = `slices:${newKey()}:`
    for (let index = 0; index < 2_500; index++) await records.put(prefix + index, 'a', 60)
    let turns = 0
    const turn = () => void (turns++, (next = setImmediate(turn)))
    let next = setImmediate(turn)
    const turnsAtBatches: number[] = []
    for await (const _batch of records.keys(prefix)) turnsAtBatches.push(turns)
    clearImmediate(next)
    expect(turnsAtBatches.length).toBeGreaterThan(1)
    expect(new Set(turnsAtBatches).size).toBe(turnsAtBatches.length)
  })
}
