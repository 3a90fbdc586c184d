// Events of an app that a run records, from the states before and after it.
import { expect, it } from 'vitest'
import { withAppEvents } from '../../src/people/app-events.ts'
import type { KeepState } from '../../src/people/keep-state.ts'
import { newKeepState } from '../helpers/people.ts'

type AppEvent = NonNullable<KeepState['appEvents']>[number]

const AT = Date.parse('2027-01-18T10:00:00Z')
const app = { instance: 'slack_1', name: 'Slack', noticedAt: 5, since: 3 }
const isNew = (people: number, since = 3): Partial<KeepState> => ({ newApps: [{ ...app, since, people }] })
const held = { ...app, lapsed: 6, had: 30 }
const holds = (...massDisconnects: KeepState['massDisconnects']): Partial<KeepState> => ({ massDisconnects })
const gone = (marks: { markedRemovedAt?: number; markedConnectedAt?: number } = {}): Partial<KeepState> => ({
  delistedApps: [{ ...app, people: 12, ...marks }],
})

it.each<[string, Partial<KeepState>, Partial<KeepState>, string[]]>([
  ['an app that is new', {}, isNew(45), ['new 45']],
  ['an app that is new for more people', isNew(45), isNew(60), ['new 15']],
  ['an app that is new for no one else', isNew(60), isNew(60), []],
  ['an app of which some turned out to have moved', isNew(60), isNew(50), []],
  ['an app that is new again much later', isNew(60), isNew(10, 4), ['new 10']],
  ['a hold that begins', {}, holds(held), []],
  ['a hold that goes on', holds(held), holds({ ...held, lapsed: 9 }), []],
  ['a hold that an operator released', holds(held), holds({ ...held, resumedAt: 9 }), ['released 6 of 30']],
  ['a hold that most have again', holds(held), {}, ['restored 6 of 30']],
  [
    'a hold that ended, with another one of the same app',
    holds(held),
    holds({ ...held, since: 8 }),
    ['restored 6 of 30'],
  ],
  ['a released hold that is forgotten', holds({ ...held, resumedAt: 9 }), {}, []],
  ['a question that arises', {}, gone(), []],
  ['an app that was removed', gone(), gone({ markedRemovedAt: AT }), ['removed 12']],
  ['an app that was removed before', gone({ markedRemovedAt: 1 }), gone({ markedRemovedAt: 1 }), []],
  ['an app that people have connected', gone(), gone({ markedConnectedAt: AT }), []],
])('the events of %s', (_what, before, after, expected) => {
  const earlier: AppEvent = { ...app, what: 'removed', people: 1, at: 1 }
  const state = { ...newKeepState(), ...after, appEvents: [earlier] }
  const { appEvents } = withAppEvents({ ...newKeepState(), ...before }, state, AT)
  expect(appEvents[0]).toBe(earlier)
  expect(
    appEvents.slice(1).map(({ what, people, had }) => `${what} ${people}${had ? ` of ${had}` : ''}`),
  ).toEqual(expected)
  expect(appEvents.slice(1).every((event) => event.at === AT && event.instance === 'slack_1')).toBe(true)
})

it('two hundred events are kept, the newest ones', () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ ...app, what: 'removed' as const, people: 1, at }))
  const { appEvents } = withAppEvents(newKeepState(), { ...newKeepState(), ...isNew(5), appEvents: many }, AT)
  expect([appEvents.length, appEvents[0]?.at, appEvents.at(-1)?.at]).toEqual([200, 1, AT])
})
