// Reading one value ahead of its consumer, who may end early or meet a failure.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readAhead } from '../../src/records/read-ahead.ts'

async function* counting(reads: number[], failsAt = Infinity) {
  for (let number = 1; number <= 4; number++) {
    reads.push(number)
    await nextTurn()
    if (number === failsAt) throw new Error('the store is down')
    yield number
  }
}

it('one value is read ahead, no more', async () => {
  const reads: number[] = []

  const readsAtEach: number[] = []
  for await (const _value of readAhead(counting(reads))) {
    for (let turns = 0; turns < 5; turns++) await nextTurn()
    readsAtEach.push(reads.length)
  }

  expect(readsAtEach).toEqual([2, 3, 4, 4])
})

it('a consumer that stops early ends the reads, and misses a failure ahead', async () => {
  const reads: number[] = []

  for await (const value of readAhead(counting(reads, 2))) {
    expect(value).toBe(1)
    break
  }

  for (let turns = 0; turns < 5; turns++) await nextTurn()
  expect(reads).toEqual([1, 2])
})

it('a failed read reaches the consumer after the values before it', async () => {
  const values: number[] = []
  const reading = (async () => {
    for await (const value of readAhead(counting([], 3))) values.push(value)
  })()

  await expect(reading).rejects.toThrow('the store is down')
  expect(values).toEqual([1, 2])
})
