// What was made of a text is made once, while the text stays the same: seen by how often it is made.
import { describe, expect, it } from 'vitest'
import { createRemembered } from '../../src/session/remembered.ts'

function counting(max?: number) {
  const remembered = createRemembered<string | undefined>(max)
  let made = 0
  const of = (key: string, text: string, value: string | undefined = text.toUpperCase()) => {
    const before = made
    const found = remembered.of(key, text, () => (made++, value))
    return { found, isMade: made > before }
  }
  return of
}

describe('what was read from a text', () => {
  it('is not made again while the text is the same, and is when it is another', () => {
    const of = counting()
    expect(of('key', 'one')).toEqual({ found: 'ONE', isMade: true })
    expect(of('key', 'one')).toEqual({ found: 'ONE', isMade: false })
    expect(of('key', 'two')).toEqual({ found: 'TWO', isMade: true })
    expect(of('key', 'one')).toEqual({ found: 'ONE', isMade: true })
    expect(of('other', 'one')).toEqual({ found: 'ONE', isMade: true })
  })

  it('is not remembered when it was nothing, and what was remembered before stays', () => {
    const remembered = createRemembered<string | undefined>()
    const nothing = () => remembered.of('key', 'bad', () => undefined)
    expect(remembered.of('key', 'good', () => 'value')).toBe('value')
    expect([nothing(), nothing()]).toEqual([undefined, undefined])
    expect(remembered.of('key', 'good', () => 'made again')).toBe('value')
    expect(remembered.of('key', 'bad', () => 'legible by now')).toBe('legible by now')
  })

  it('is let go when there is too much of it', () => {
    const of = counting(2)
    for (const key of ['a', 'b']) of(key, 'text')
    expect(['a', 'b'].map((key) => of(key, 'text').isMade)).toEqual([false, false])
    expect(of('c', 'text').isMade).toBe(true)
    expect(['c', 'a', 'b'].map((key) => of(key, 'text').isMade)).toEqual([false, true, true])
  })

  it('stays where it is used again and again, however much else comes', () => {
    const of = counting(4)
    of('mine', 'text')
    for (const key of 'abcdefghij') {
      expect(of(key, 'text').isMade).toBe(true)
      expect(of('mine', 'text').isMade).toBe(false)
    }
    expect(of('a', 'text').isMade).toBe(true)
  })

  it('never has a text of before in the place of a later one', () => {
    const of = counting(2)
    of('key', 'one')
    of('other', 'one')
    expect(of('key', 'two')).toEqual({ found: 'TWO', isMade: true })
    expect(of('key', 'two')).toEqual({ found: 'TWO', isMade: false })
  })

  it('stays until there is more of it than there may be, also where a text has changed', () => {
    const of = counting(4)
    for (const key of 'ab') of(key, 'text')
    of('a', 'other')
    for (const key of 'cd') of(key, 'text')
    expect(of('b', 'text').isMade).toBe(false)
  })
})
