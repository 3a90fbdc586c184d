// A record that is changed by compare-and-set, within one process.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createChanges } from '../../src/records/change.ts'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { memoryRecords } from '../helpers/memory-records.ts'

function inMemory() {
  const texts = new Map<string, string>()
  const records: Pick<Records, 'get' | 'compareAndSet'> = {
    get: async (key) => texts.get(key),
    async compareAndSet(key, expected, value) {
      if (texts.get(key) !== expected) return false
      texts.set(key, value)
      return true
    },
  }
  return { texts, records }
}

const append = (letter: string) => (text: string | undefined) => ({
  text: (text ?? '') + letter,
  seconds: 60,
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a change of a record', () => {
  it('comes after the one before, and sees what that wrote', async () => {
    const { texts, records } = inMemory()
    const change = createChanges(records)
    await Promise.all(['a', 'b', 'c'].map((letter) => change({ key: 'key', next: append(letter) })))
    expect(texts.get('key')).toBe('abc')
  })

  it('is made though the one before it failed', async () => {
    const { texts, records } = inMemory()
    const change = createChanges(records)
    const fail = () => {
      throw new Error('no')
    }
    const results = await Promise.allSettled([
      change({ key: 'key', next: fail }),
      change({ key: 'key', next: append('a') }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(texts.get('key')).toBe('a')
  })

  it('reads the record where the guess was wrong', async () => {
    const { texts, records } = inMemory()
    texts.set('key', 'a')
    await createChanges(records)({ key: 'key', next: append('b'), guess: { text: undefined } })
    expect(texts.get('key')).toBe('ab')
  })

  it('tries again at once, then after pauses that grow, and fails as an outage does when others are always faster', async () => {
    vi.useFakeTimers({ fakeNodeBuiltins: true })
    vi.spyOn(Math, 'random').mockReturnValue(0.75)
    const began = performance.now()
    const tried: number[] = []
    const records = { get: async () => 'a', compareAndSet: async () => tried.push(performance.now()) === 0 }
    const changed = createChanges(records)({ key: 'key', next: append('b') }).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(await changed).toBeInstanceOf(StoreUnavailable)
    expect(await changed).toMatchObject({
      cause: { message: 'a record was changed by others 50 times in a row' },
    })
    expect(tried.slice(0, 5).map((at) => at - began)).toEqual([0, 0, 3, 9, 18])
    expect(tried).toHaveLength(50)
    expect(Math.random).toHaveBeenCalledTimes(49)
  })

  it('asks the store no question where the guess was right, and writes nothing where there is nothing to change', async () => {
    let reads = 0
    let writes = 0
    const records = {
      get: async () => (reads++, 'a'),
      compareAndSet: async () => (writes++, true),
    }
    const change = createChanges(records)
    await change({ key: 'key', next: append('b'), guess: { text: 'a' } })
    expect([reads, writes]).toEqual([0, 1])
    await change({ key: 'key', next: () => undefined })
    expect([reads, writes]).toEqual([1, 1])
  })

  it('waits for one that waits, too, so that a process never loses against itself', async () => {
    const { values, records } = memoryRecords()
    const won: boolean[] = []
    const change = createChanges({
      ...records,
      async compareAndSet(...change) {
        won.push(await records.compareAndSet(...change))
        return won.at(-1) === true
      },
    })
    const first = change({ key: 'key', next: append('a') })
    const second = change({ key: 'key', next: append('b') })
    await first
    await Promise.all([second, change({ key: 'key', next: append('c') })])
    expect(values.get('key')).toBe('abc')
    expect(won).toEqual([true, true, true])
  })
})
