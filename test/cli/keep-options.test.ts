// What the options of `onramp keep` change in its state, and what they refuse.
import { expect, it } from 'vitest'
import { applyOptions, type StateOptions } from '../../src/cli/keep-options.ts'
import type { KeepState, RemovedApp } from '../../src/people/keep-state.ts'
import { DAY, monday } from './installation.ts'

const NOTHING: KeepState = { massDisconnects: [], zones: {}, days: [] }
const midnight = Date.parse('2027-01-18')

const REFUSED = /that day is over|there is no pause to end|are held back|gone from many lists/

/** Or the words of the refusal. */
function resultOf<T>(work: () => T): T | string | undefined {
  try {
    return work()
  } catch (error) {
    return REFUSED.exec(String(error))?.[0]
  }
}

it.each([
  [1, '2027-01-17', 'that day is over'],
  [1, '2027-01-18', undefined],
  [0, '2027-01-17', 'that day is over'],
  [0, '2027-01-18', 'there is no pause to end'],
  [undefined, '2027-01-18', 'there is no pause to end'],
  [undefined, '2027-01-19', midnight + DAY],
  [2, '2027-01-19', midnight + DAY],
])(
  'a pause for %s more days becomes, by --pause-until %s on January 18: %s',
  (days, pauseUntil, expected) => {
    const state = { ...NOTHING, ...(days !== undefined && { pausedUntil: midnight + days * DAY }) }
    const answer = resultOf(() => applyOptions(state, { pauseUntil }, monday).pausedUntil)
    expect(answer).toBe(expected)
  },
)

const gone = { instance: 'jira_1', name: 'Jira', noticedAt: 1, since: 1, people: 12 }
const figma = { ...gone, instance: 'figma_1', markedRemovedAt: 5 }
const held = { ...gone, instance: 'slack_1', lapsed: 9, had: 9 }
const NOW = monday

it.each<[Partial<RemovedApp>, StateOptions, Partial<RemovedApp> | string]>([
  [{}, { removed: ['jira_1'] }, { markedRemovedAt: NOW }],
  [{}, { release: ['jira_1'] }, { markedConnectedAt: NOW }],
  [{}, { release: ['all'] }, { markedConnectedAt: NOW }],
  [{}, { release: ['all'], removed: ['jira_1'] }, { markedRemovedAt: NOW }],
  [{ markedRemovedAt: 7 }, { removed: ['jira_1'] }, { markedRemovedAt: 7 }],
  [{ markedRemovedAt: 7 }, { release: ['jira_1'] }, { markedConnectedAt: NOW }],
  [{ markedRemovedAt: 7 }, { release: ['all'] }, 'are held back'],
  [{ markedConnectedAt: 7 }, { removed: ['jira_1'] }, { markedRemovedAt: NOW }],
  [{ markedConnectedAt: 7 }, { release: ['jira_1'] }, 'are held back'],
  [{}, { removed: ['notion_1'] }, 'gone from many lists'],
])('the question about an app with %j, by %j, becomes %j', (before, answers, after) => {
  const state = { ...NOTHING, removedApps: [{ ...gone, ...before }, figma] }
  const answer = resultOf(() => applyOptions(state, answers, NOW).removedApps)
  expect(answer).toEqual(typeof after === 'string' ? after : [{ ...gone, ...after }, figma])
})

it('--release all releases what is on hold, and every open question', () => {
  const state = { ...NOTHING, massDisconnects: [held], removedApps: [gone] }
  const { massDisconnects, removedApps } = applyOptions(state, { release: ['all'] }, NOW)
  expect([massDisconnects, removedApps]).toMatchObject([[{ resumedAt: NOW }], [{ markedConnectedAt: NOW }]])
})
