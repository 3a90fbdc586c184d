// The intranet's question about a person, asked again a moment later, is one question.
import { describe, expect, it } from 'vitest'
import { createRecentChecks, personOf } from '../../src/onboarding/sparing.ts'
import { collected } from '../helpers/heap.ts'

function asking() {
  let moment = 1_000
  let asked = 0
  const checks = createRecentChecks(() => moment)
  return {
    pass: (milliseconds: number) => void (moment += milliseconds),
    forget: checks.forget,
    ask: (person: string, session: string, work: () => Promise<unknown> = async () => {}) =>
      checks.ask(person, session, () => (asked++, work())),
    asked: () => asked,
  }
}

describe('what was asked about a person', () => {
  it('is not asked again for three seconds after the answer, in any session', async () => {
    const { ask, asked, pass } = asking()
    await ask('ada', 's1')
    pass(2_999)
    await ask('ada', 's2')
    expect(asked()).toBe(1)
    pass(1)
    await ask('ada', 's1')
    expect(asked()).toBe(2)
    await ask('bob', 's1')
    expect(asked()).toBe(3)
  })

  it('is waited for while it is being asked in the same session, and asked for by itself in another', async () => {
    const { ask, asked } = asking()
    let answer = () => {}
    const slow = () => new Promise<void>((resolve) => (answer = resolve))
    let done = 0
    const both = ['s1', 's1'].map((session) => ask('ada', session, slow).then(() => done++))
    await ask('bob', 's1')
    expect([asked(), done]).toEqual([2, 0])
    answer()
    await Promise.all(both)
    const first = ask('eve', 's1', slow)
    await ask('eve', 's2')
    answer()
    await first
    expect(asked()).toBe(4)
  })

  it('is asked again after it failed, and after the walk was changed here', async () => {
    const { ask, asked, forget } = asking()
    await expect(ask('ada', 's1', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    await ask('ada', 's1')
    expect(asked()).toBe(2)
    forget('ada')
    await ask('ada', 's1')
    expect(asked()).toBe(3)
  })

  it('that failed late takes nothing from a newer answer', async () => {
    const { ask, asked } = asking()
    let fail: (error: Error) => void = () => {}
    const late = ask('ada', 's1', () => new Promise<void>((_, reject) => (fail = reject)))
    await ask('ada', 's2')
    fail(new Error('away'))
    await expect(late).rejects.toThrow('away')
    await ask('ada', 's1')
    expect(asked()).toBe(2)
  })

  it('is let go when it is too old to be of use, with what was answered', async () => {
    const { ask, pass } = asking()
    const answers: WeakRef<object>[] = []
    for (let person = 0; person < 3; person++)
      await ask(`${person}`, 's1', async () => {
        const answer = { person }
        answers.push(new WeakRef(answer))
        return answer
      })
    pass(3_000)
    await ask('one more', 's1')
    await collected()
    expect(answers.map((answer) => answer.deref())).toEqual([undefined, undefined, undefined])
  })

  it('is not let go before, nor while it is being asked, whoever else is asked about', async () => {
    const { ask, asked, pass } = asking()
    let answer = () => {}
    const slow = ask('ada', 's1', () => new Promise<void>((resolve) => (answer = resolve)))
    pass(60_000)
    await ask('bob', 's1')
    pass(2_999)
    await ask('eve', 's1')
    await ask('bob', 's1')
    const again = ask('ada', 's1')
    expect(asked()).toBe(3)
    answer()
    await Promise.all([slow, again])
  })

  it('is let go when it is of more than 10,000 people', async () => {
    const { ask, asked } = asking()
    for (let person = 0; person < 10_000; person++) await ask(`${person}`, 's1')
    await ask('0', 's1')
    expect(asked()).toBe(10_000)
    await ask('one more', 's1')
    await ask('0', 's1')
    expect(asked()).toBe(10_002)
  })

  it('is never another person’s: the same subject of two issuers is two people', () => {
    expect(personOf({ issuer: 'a', subject: 'x' })).not.toBe(personOf({ issuer: 'b', subject: 'x' }))
    expect(personOf({ issuer: 'a', subject: 'x' })).not.toBe(personOf({ issuer: 'a', subject: 'y' }))
  })
})
