// How long a slow store is waited for, decided without one.
import { describe, expect, it } from 'vitest'
import { createPatience } from '../../src/records/patience.ts'

const MOST = 1_500

function clockwork() {
  let moment = 10_000
  const patience = createPatience(MOST, () => moment)
  const pass = (milliseconds: number) => (moment += milliseconds)
  /** An operation that was answered after so long. */
  const answer = (milliseconds: number) => {
    const startedAt = moment
    pass(milliseconds)
    patience.answered(startedAt)
  }
  return { patience, pass, answer }
}

describe('patience with the store', () => {
  it('is whole at first, and after any number of quick answers', () => {
    const { patience, answer } = clockwork()
    expect(patience.left()).toBe(MOST)
    for (let count = 0; count < 100; count++) answer(200)
    expect(patience.left()).toBe(MOST)
  })

  it('is used up by slow answers in a row: together they last no longer than one may', () => {
    const { patience, answer } = clockwork()
    answer(700)
    expect(patience.left()).toBe(800)
    answer(700)
    expect(patience.left()).toBe(100)
    answer(700)
    expect(patience.left()).toBe(0)
  })

  it('is used up by answers that take longer than a stretch may pause, asked for one after another', () => {
    const { patience, answer, pass } = clockwork()
    answer(700)
    pass(900)
    answer(1_200)
    expect(patience.left()).toBe(0)
  })

  it('is whole again after one quick answer', () => {
    const { patience, answer } = clockwork()
    answer(700)
    answer(5)
    expect(patience.left()).toBe(MOST)
    answer(700)
    expect(patience.left()).toBe(800)
  })

  it('is whole again when no one asked for a while', () => {
    const { patience, answer, pass } = clockwork()
    answer(700)
    pass(1_001)
    expect(patience.left()).toBe(MOST)
    answer(700)
    expect(patience.left()).toBe(800)
  })

  it('counts a stretch of parallel answers from the first question', () => {
    const { patience, pass } = clockwork()
    const started = pass(0)
    pass(100)
    const later = pass(0)
    pass(500)
    patience.answered(started)
    patience.answered(later)
    expect(patience.left()).toBe(900)
  })

  it('counts an answer of 300 ms as slow, and one stretch up to a pause of a second', () => {
    const { patience, answer, pass } = clockwork()
    answer(299)
    expect(patience.left()).toBe(MOST)
    answer(300)
    expect(patience.left()).toBe(1_200)
    pass(1_000)
    expect(patience.left()).toBe(200)
    answer(300)
    expect(patience.left()).toBe(0)
  })

  it('goes by a clock of its own where none is given', () => {
    const patience = createPatience(MOST)
    patience.answered(performance.now() - 700)
    expect(patience.left()).toBeLessThanOrEqual(800)
  })
})
