// What is told of a person's apps, by processes in any order and by the service: the later word counts.
import { describe, expect, it } from 'vitest'
import { newPerson, type Person, type SourceState } from '../../src/people/person.ts'
import { stampOf, withLeft, withSources } from '../../src/people/sources.ts'

const AT = Date.parse('2026-11-02T09:00:00Z')
const named = { instance: 'slack_1', name: 'Slack' }
const slack = { ...named, status: 'awaiting' as const }
const own = { person: 'ada', startedAt: AT }
const unknown = newPerson('ada@acme.example', AT)

type Tell = {
  state: SourceState
  at: number
  revisedAt?: number
  person?: string
  isAsked?: boolean
  isLate?: boolean
}

/** Told late: at once it would be the newest. */
const told = (
  arrival: Person,
  { state, at, revisedAt = at, person = 'ada', isAsked = true, isLate = true }: Tell,
) =>
  withSources(arrival, [{ ...named, state, at: AT }], AT + at, { ...own, person, revisedAt, isAsked, isLate })

const states = ({ sources }: Person) => sources.map(({ instance, state }) => `${instance} ${state}`)

describe('a walk that is told of', () => {
  const waiting = told(unknown, { state: 'waiting', at: 1 })
  const skipped = told(waiting, { state: 'skipped', at: 2 })

  it('counts with its last change, in whatever order it is told', () => {
    expect(states(skipped)).toEqual(['slack_1 skipped'])
    expect(told(skipped, { state: 'waiting', at: 1 })).toBe(skipped)
    expect(told(skipped, { state: 'waiting', at: 60_000, revisedAt: 1 })).toBe(skipped)
    expect(states(told(skipped, { state: 'waiting', at: 3 }))).toEqual(['slack_1 waiting'])
  })

  it('counts also where the process that told before has a clock that is ahead', () => {
    const ahead = told(waiting, { state: 'connected', at: 100, revisedAt: 2 })
    const behind = told(ahead, { state: 'waiting', at: 50, revisedAt: 3 })
    expect(states(behind)).toEqual(['slack_1 waiting'])
    expect(behind.asOf).toBe(AT + 100)
  })

  it('changes nothing when it is told again', () => {
    expect(told(skipped, { state: 'skipped', at: 60_000, revisedAt: 2 })).toBe(skipped)
  })

  it('is told again where it does not speak of an app that is known to wait: it is not listed', () => {
    const again = withSources(skipped, [], AT + 60_000, { ...own, revisedAt: 2, isAsked: true })
    expect(states(again)).toEqual(['slack_1 connected'])
    expect(withSources(again, [], AT + 60_001, { ...own, revisedAt: 2, isAsked: true })).toBe(again)
  })

  it('of someone who has nothing to connect is written down once', () => {
    const nothing = withSources(unknown, [], AT, { ...own, revisedAt: 0, isAsked: true })
    expect(nothing).toMatchObject({ asOf: AT, walked: { ada: 0 } })
    expect(withSources(nothing, [], AT + 60_000, { ...own, revisedAt: 0, isAsked: true })).toBe(nothing)
  })

  it('counts where the walk was lost, and begins anew in a process whose clock is behind', () => {
    const anew = { ...own, startedAt: AT - 300, revisedAt: 1, isAsked: true }
    const lost = withSources(skipped, [{ ...named, state: 'waiting', at: AT }], AT - 200, anew)
    expect(states(lost)).toEqual(['slack_1 waiting'])
  })

  it('is held against that person’s own walk where two share an address', () => {
    const other = told(skipped, { state: 'waiting', at: 50, person: 'eve' })
    expect(told(other, { state: 'skipped', at: 60_000, revisedAt: 2 })).toBe(other)
    expect(told(other, { state: 'waiting', at: 60_000, revisedAt: 50, person: 'eve' })).toBe(other)
    expect(states(told(other, { state: 'blocked', at: 30 }))).toEqual(['slack_1 blocked'])
  })

  it('makes nothing of what only the other one has, where it is the same as before', () => {
    const both = [slack, { ...slack, instance: 'jira_1', name: 'Jira' }].map(({ instance, name }) => ({
      instance,
      name,
      state: 'waiting' as const,
      at: AT,
    }))
    const other = withSources(skipped, both, AT + 3, { ...own, person: 'eve', revisedAt: 90, isAsked: true })
    expect(states(other)).toEqual(['slack_1 waiting', 'jira_1 waiting'])
    expect(told(other, { state: 'skipped', at: 60_000, revisedAt: 2, isLate: false })).toBe(other)
  })

  it('is kept of ten people at most, those who were told of last', () => {
    let arrival = unknown
    for (let number = 0; number < 12; number++)
      arrival = told(arrival, { state: 'waiting', at: number + 1, person: `p${number}` })
    arrival = told(arrival, { state: 'waiting', at: 20, person: 'p5' })
    const people = ['p2', 'p3', 'p4', 'p6', 'p7', 'p8', 'p9', 'p10', 'p11', 'p5']
    expect(Object.keys(arrival.walked ?? {})).toEqual(people)
  })
})

describe('a walk and what the service said', () => {
  const connected = withLeft(told(unknown, { state: 'waiting', at: 1 }), [], AT + 100)

  it('is told again where the service lists again what it had not, and the walk has not changed', () => {
    expect(states(connected)).toEqual(['slack_1 connected'])
    const again = told(connected, { state: 'waiting', at: 101, revisedAt: 1 })
    expect(states(again)).toEqual(['slack_1 waiting'])
    expect(told(again, { state: 'waiting', at: 102, revisedAt: 1 })).toBe(again)
  })

  it('is not told again as it was before the service was asked', () => {
    expect(told(connected, { state: 'waiting', at: 100, revisedAt: 1 })).toBe(connected)
  })

  it('keeps what the service said since, when a change is told late, and takes in the rest', () => {
    const jira = { instance: 'jira_1', name: 'Jira', status: 'awaiting' as const }
    const asked = withLeft(told(unknown, { state: 'waiting', at: 1 }), [jira], AT + 100)
    const late = withSources(
      asked,
      [
        { ...named, state: 'skipped', at: AT + 50 },
        { instance: 'github_1', name: 'GitHub', state: 'skipped', at: AT + 50 },
      ],
      AT + 50,
      { ...own, revisedAt: 50, isAsked: true, isLate: true },
    )
    expect(states(late).toSorted()).toEqual(['github_1 skipped', 'jira_1 waiting', 'slack_1 connected'])
    expect(late.asOf).toBe(AT + 100)
    // The service may still know better, so the walk is taken in once more.
    expect(states(told(late, { state: 'waiting', at: 101, revisedAt: 50 }))).toContain('slack_1 waiting')
  })

  it('keeps since when it waits and that a consent never showed, while it is listed', () => {
    const source = { ...named, state: 'waiting' as const, at: AT, unconfirmed: true as const }
    const listed = withLeft({ ...unknown, sources: [source] }, [slack], AT + 100)
    expect(listed.sources).toStrictEqual([source])
    const off = withLeft(listed, [{ ...slack, status: 'disabled' }], AT + 200)
    expect(off.sources[0]).not.toHaveProperty('unconfirmed')
  })

  it('leaves what has long been connected as it was', () => {
    const later = withLeft(connected, [slack, { ...slack, instance: 'jira_1' }], AT + 200)
    const jira = withLeft(withLeft(later, [], AT + 300), [slack], AT + 400)
    expect(jira.sources).toContainEqual({
      instance: 'jira_1',
      name: 'Slack',
      state: 'connected',
      at: AT + 300,
    })
  })

  it('does not take an answer from before the walk was told of', () => {
    const skipped = told(unknown, { state: 'skipped', at: 10 })
    const before = { at: AT + 15, known: stampOf(unknown) }
    expect(withLeft(skipped, [], AT + 20, before)).toBe(skipped)
    const other = { ...skipped, sources: connected.sources }
    expect(withLeft(skipped, [], AT + 20, { at: AT + 15, known: stampOf(other) })).toBe(skipped)
    const words = told(skipped, { state: 'waiting', at: 11, isAsked: false })
    expect(withLeft(words, [], AT + 20, { at: AT + 15, known: stampOf(skipped) })).toBe(words)
    const when = { at: AT + 5, known: stampOf(skipped) }
    expect(withLeft(skipped, [], AT + 20, when)).toMatchObject({
      asOf: AT + 5,
      sources: [{ state: 'connected' }],
    })
    expect(states(withLeft(skipped, [slack], AT + 20, when))).toEqual(['slack_1 skipped'])
  })
})

describe('what the person said, where the service was not asked', () => {
  const said = (arrival: Person, tell: Omit<Tell, 'isAsked'>) => told(arrival, { ...tell, isAsked: false })
  const listed = (state: SourceState) => told(unknown, { state, at: 1 })

  it.each<[SourceState, SourceState, SourceState]>([
    ['waiting', 'skipped', 'skipped'],
    ['waiting', 'blocked', 'blocked'],
    ['skipped', 'waiting', 'waiting'],
    ['blocked', 'skipped', 'skipped'],
    ['waiting', 'connected', 'waiting'],
    ['skipped', 'connected', 'skipped'],
    ['connected', 'waiting', 'connected'],
    ['connected', 'skipped', 'connected'],
    ['off', 'waiting', 'off'],
    ['off', 'connected', 'off'],
  ])('of an app that is known as %s is taken in: %s, which makes it %s', (known, tells, state) => {
    const after = said(listed(known), { state: tells, at: 2 })
    expect(states(after)).toEqual([`slack_1 ${state}`])
    expect(after.asOf).toBe(AT + 1)
  })

  it('is kept for when an app is switched on again', () => {
    const { sources } = said(listed('off'), { state: 'skipped', at: 2 })
    expect(sources).toMatchObject([{ state: 'off', word: { state: 'skipped', at: AT } }])
  })

  it('is taken back to since when the app has been waiting, and says whether its consent never showed', () => {
    const tell = (arrival: Person, unconfirmed?: true) => {
      const slack = { ...named, state: 'waiting' as const, at: AT - 5 }
      const stand = { ...own, revisedAt: 2, isAsked: false }
      return withSources(arrival, [{ ...slack, ...(unconfirmed && { unconfirmed }) }], AT + 2, stand)
        .sources[0]
    }
    expect(tell(listed('skipped'))).toStrictEqual({ ...named, state: 'waiting', at: AT - 5 })
    expect(tell(listed('waiting'), true)).toMatchObject({ at: AT, unconfirmed: true })
  })

  it('makes nothing of apps that it does not speak of, and adds those that are not known', () => {
    const jira = { instance: 'jira_1', name: 'Jira', state: 'skipped' as const, at: AT }
    const stand = { ...own, revisedAt: 2, isAsked: false }
    expect(states(withSources(listed('waiting'), [jira], AT + 2, stand))).toEqual([
      'slack_1 waiting',
      'jira_1 skipped',
    ])
  })

  it('gives way to what was told of the same walk with the service’s answer, and to what is newer', () => {
    const words = said(listed('waiting'), { state: 'skipped', at: 2 })
    const whole = told(words, { state: 'connected', at: 3, revisedAt: 2 })
    expect(states(whole)).toEqual(['slack_1 connected'])
    expect(said(whole, { state: 'skipped', at: 4, revisedAt: 2 })).toBe(whole)
    // Nothing more is to be written where the page says the same.
    expect(told(words, { state: 'skipped', at: 4, revisedAt: 2, isLate: false })).toBe(words)
    expect(said(whole, { state: 'skipped', at: 5, revisedAt: 1 })).toBe(whole)
  })

  it('is all that is known where nothing was before', () => {
    expect(said(unknown, { state: 'skipped', at: 2 })).toMatchObject({ asOf: AT + 2, walked: { ada: 2 } })
  })

  it('does not come back late over what the person said since', () => {
    const back = said(said(listed('waiting'), { state: 'skipped', at: 3 }), { state: 'waiting', at: 4 })
    expect(said(back, { state: 'skipped', at: 3 })).toBe(back)
  })

  it('counts no app as connected that the service listed again, though the walk is told late', () => {
    const again = withLeft(told(unknown, { state: 'connected', at: 1 }), [slack], AT + 100)
    expect(states(told(again, { state: 'connected', at: 50 }))).toEqual(['slack_1 waiting'])
  })
})

describe('what the service said for the walk just then', () => {
  const now = (arrival: Person, tell: Tell) => told(arrival, { ...tell, isLate: false })

  it('is the newest, whatever the clock of whoever asked before', () => {
    const asked = withLeft(told(unknown, { state: 'waiting', at: 1 }), [slack], AT + 100)
    const connected = now(asked, { state: 'connected', at: 50 })
    expect(connected).toMatchObject({ asOf: AT + 100, sources: [{ state: 'connected' }] })
    const other = now(connected, { state: 'waiting', at: 40, person: 'eve' })
    expect(states(other)).toEqual(['slack_1 waiting'])
  })

  it('is taken in again where a process that hides an app told the same walk without it', () => {
    const jira = { instance: 'jira_1', name: 'Jira', state: 'waiting' as const, at: AT }
    const stand = { ...own, revisedAt: 1, isAsked: true }
    const hidden = withSources(unknown, [jira], AT + 1, stand)
    const shown = now(hidden, { state: 'waiting', at: 2, revisedAt: 1 })
    expect(states(shown)).toEqual(['jira_1 connected', 'slack_1 waiting'])
    expect(now(shown, { state: 'waiting', at: 3, revisedAt: 1 })).toBe(shown)
  })
})
