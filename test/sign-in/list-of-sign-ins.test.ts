// A person's sign-ins as one list: what is on it, what is marked, and what is remembered of logouts.
import { describe, expect, it } from 'vitest'
import {
  deviceOf,
  emptyList,
  endedBy,
  isOver,
  living,
  united,
  withEnding,
  without,
  withSession,
  type SignedInSession,
  type SignInList,
} from '../../src/sign-in/sessions/list.ts'

const HOUR = 3_600_000
const session = (number: number, sid?: string): SignedInSession => ({
  name: `n${number}`,
  sid,
  signedInAt: number,
  device: '',
})
const sessions = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => session(from + index))
const listOf = (...of: SignedInSession[]): SignInList => ({ sessions: of, ended: [] })
const namesOf = ({ sessions: all }: SignInList) =>
  all.map(({ name, ending }) => (ending ? `${name} ends` : name))
const words = (count: number, from = 0) => Array.from({ length: count }, (_, index) => ({ at: from + index }))

describe('the list', () => {
  it('keeps what lasts, and logouts of the last hour, of which there are not too many', () => {
    const list = { sessions: [session(0), session(1)], ended: words(60) }
    expect(namesOf(living(list, 10_000, 10))).toEqual(['n1'])
    expect(living(list, HOUR + 5, 10).ended).toEqual(words(50, 10))
    expect(living({ ...list, ended: words(3) }, HOUR + 1, 10).ended).toEqual([{ at: 2 }])
  })

  it('gets one more, in the place of one of the same name', () => {
    expect(withSession(emptyList, session(1), 0)).toEqual(listOf(session(1)))
    const renewed = { ...session(1), device: 'Firefox' }
    expect(withSession(listOf(session(1), session(2)), renewed, 0)).toEqual(listOf(session(2), renewed))
  })

  it('has room for a hundred: the earliest beyond are marked', () => {
    const full = listOf(...sessions(100))
    const one = withSession(full, session(100), 0) ?? emptyList
    expect(namesOf(one).slice(0, 2)).toEqual(['n0 ends', 'n1'])
    expect(namesOf(one).filter((name) => name.endsWith('ends'))).toHaveLength(1)
    expect(namesOf(withSession(one, session(101), 0) ?? emptyList).slice(0, 3)).toEqual([
      'n0 ends',
      'n1 ends',
      'n2',
    ])
    expect(namesOf(withSession(listOf(...sessions(99)), session(99), 0) ?? emptyList)[0]).toBe('n0')
  })

  it('marks those that match, once, and remembers the logout', () => {
    const list = listOf(session(1), session(2))
    const marked = withEnding(list, ({ name }) => name === 'n1', { at: 7, sid: 's' })
    expect(namesOf(marked)).toEqual(['n1 ends', 'n2'])
    expect(marked.ended).toEqual([{ at: 7, sid: 's' }])
    expect(withEnding(marked, () => false, undefined)).toEqual(marked)
    expect(withEnding({ ...list, ended: words(50) }, () => false, { at: 50 }).ended).toEqual(words(50, 1))
  })

  it('loses those that are named', () => {
    const list = { ...listOf(session(1), session(2)), ended: words(1) }
    expect(without(list, new Set(['n1']))).toEqual({ ...list, sessions: [session(2)] })
  })

  it('is one with another: each once, the earliest first, a hundred at most', () => {
    const marked = withEnding(listOf(session(5), session(1)), ({ name }) => name === 'n5', { at: 1 })
    const both = united(marked, { sessions: [session(3), session(5)], ended: [{ at: 0 }] })
    expect(namesOf(both)).toEqual(['n1', 'n3', 'n5 ends'])
    expect(both.ended).toEqual([{ at: 0 }, { at: 1 }])
    const many = united(listOf(...sessions(60, 60)), listOf(...sessions(60)))
    expect(namesOf(many).filter((name) => name.endsWith('ends'))).toHaveLength(20)
    expect(namesOf(many)[19]).toBe('n19 ends')
    expect(united({ sessions: [], ended: words(30, 30) }, { sessions: [], ended: words(30) }).ended).toEqual(
      words(50, 10),
    )
  })
})

describe('a logout', () => {
  it.each([
    [undefined, 's', true],
    ['s', undefined, true],
    ['s', 's', true],
    ['s', 't', false],
  ])('of %j ends a sign-in of %j: %s', (named, sid, ends) => {
    expect(endedBy(named)(session(1, sid))).toBe(ends)
  })

  it('ends a sign-in that began before it, or with it', () => {
    const list = { sessions: [], ended: [{ at: 5, sid: 's' }] }
    expect([4, 5, 6].map((startedAt) => isOver(list, session(1, 's'), startedAt))).toEqual([
      true,
      true,
      false,
    ])
    expect(isOver(list, session(1, 't'), 4)).toBe(false)
    expect(withSession(list, session(1, 's'), 5)).toBeUndefined()
  })
})

describe('a device', () => {
  const linux = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)'
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
  it.each([
    [`${linux} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`${linux} Chromium/140.0`, 'Chrome on Linux'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [`${windows} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
    ['Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36 EdgA/140.0', 'Edge on Android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) EdgiOS/140.0 Safari/604.1', 'Edge on iPhone'],
    [`${windows} Chrome/140.0.0.0 Safari/537.36 OPR/120.0`, 'Opera on Windows'],
    ['Opera/9.80 (Windows NT 6.1)', 'Opera on Windows'],
    [
      'Mozilla/5.0 (Linux; Android 15) SamsungBrowser/28.0 Chrome/130.0 Safari/537.36',
      'Samsung Internet on Android',
    ],
    ['Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) FxiOS/140.0 Safari/605.1.15', 'Firefox on iPad'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140.0 Safari/604.1', 'Chrome on iPhone'],
    [`${mac} Version/18.0 Safari/605.1.15`, 'Safari on Mac'],
    ['Mozilla/5.0 (Macintosh) Safari/605', 'Safari on Mac'],
    ['Mozilla/5.0 (X11; CrOS x86_64 16000) Chrome/140.0 Safari/537.36', 'Chrome on ChromeOS'],
    ['curl/8.0', ''],
    ['Chrome/140', 'Chrome'],
    ['Linux', 'Linux'],
    [undefined, ''],
    [`${'x'.repeat(495)} Linux`, ''],
    [`${'x'.repeat(490)} Linux`, 'Linux'],
  ])('%j is called %j', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device)
  })
})
