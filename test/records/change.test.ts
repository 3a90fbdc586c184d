// Changes of a record by compare-and-set.
import { afterEach, expect, it, vi } from 'vitest'
import { changeRecord } from '../../src/records/change.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { memoryRecords } from '../helpers/memory-records.ts'

type Change = Parameters<typeof changeRecord>[1]

const append = (letter: string) => (text: string | undefined) => ({
  text: (text ?? '') + letter,
  seconds: 60,
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('concurrent changes of a record lose nothing', async () => {
  const { values, records } = memoryRecords()
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
  await Promise.all(letters.map((letter) => changeRecord(records, { key: 'key', next: append(letter) })))
  expect(values.get('key')?.split('').sort()).toEqual(letters)
})

it('a change of a record succeeds after the failure of another one', async () => {
  const { values, records } = memoryRecords()
  const change = (next: Change['next']) => changeRecord(records, { key: 'key', next })
  const fail = () => {
    throw new Error('no')
  }
  const both = [change(fail), change(append('a'))]
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(values.get('key')).toBe('a')
})

it('a change of a record reads it only if the loaded text is outdated', async () => {
  const { values, records } = memoryRecords()
  const get = vi.fn(records.get)
  const change = (given: Omit<Change, 'key'>) => changeRecord({ ...records, get }, { key: 'key', ...given })
  await change({ next: append('a'), loaded: { text: undefined } })
  expect(get).not.toHaveBeenCalled()
  await change({ next: append('b'), loaded: { text: undefined } })
  expect([values.get('key'), get.mock.calls.length]).toEqual(['ab', 1])
  await change({ next: () => undefined })
  expect(values.get('key')).toBe('ab')
})

it('a change of a record is retried with growing pauses, then fails as an outage', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  vi.spyOn(Math, 'random').mockReturnValue(0.75)
  const began = performance.now()
  const tried: number[] = []
  const records = { get: async () => 'a', compareAndSet: async () => tried.push(performance.now()) === 0 }
  const changed = changeRecord(records, { key: 'key', next: append('b') }).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  expect(await changed).toBeInstanceOf(StoreUnavailable)
  expect(tried.slice(0, 4).map((at) => at - began)).toEqual([0, 0, 3, 9])
  expect(tried).toHaveLength(50)
})
