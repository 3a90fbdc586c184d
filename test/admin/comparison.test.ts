// The comparison of the admins’ overview with an earlier day, and its reasons why fewer people are ready.
import { expect, it } from 'vitest'
import { compareSince, describeComparison } from '../../src/admin/comparison.ts'
import type { Report } from '../../src/admin/report.ts'
import type { DailyCounts, KeepState } from '../../src/people/keep-state.ts'
import { t } from '../helpers/texts.ts'
import { newKeepState } from '../helpers/people.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

const day = (date: string, finished: number, fellBack = 0) => {
  const zeros = { invited: 0, signedIn: 0, left: 0, returned: 0, newApp: 0, reminded: 0 }
  return { day: date, ...zeros, finished, fellBack }
}
const counts = { people: 9, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0, gone: 0 }
const rowOf = (date: string, ready: number): DailyCounts => ({ ...counts, day: date, ready })

const rows = ['2026-11-02', '2026-11-13', '2026-11-21'].map(rowOf)
const changeCounts = { returned: 3, reminded: 7 }
const rowBefore = { ...day('2026-11-13', 0, 5), ...changeCounts }
const report = {
  ready: 7,
  finished: 5,
  datasources: [],
  days: [rowBefore, { ...day('2026-11-14', 3, 2), ...changeCounts }],
}
const rowDayFor = (requestedDay?: unknown, days = rows) =>
  compareSince(report, { ...newKeepState(), days }, now, requestedDay)?.row.day

it('a comparison uses the newest row up to its day, or else the oldest', () => {
  expect(rowDayFor()).toBe('2026-11-13')
  expect(rowDayFor('2026-11-12')).toBe('2026-11-02')
  expect(rowDayFor('2026-10-01')).toBe('2026-11-02')
  for (const odd of ['9999-99-99', 'soon', ['2026-11-02'], '']) expect(rowDayFor(odd)).toBe('2026-11-13')
  expect(rowDayFor(undefined, rows.slice(2))).toBeUndefined()
})

it('a comparison counts who lost access, came back, and emails, after that day', () => {
  const compared = compareSince(report, { ...newKeepState(), days: rows }, now)
  expect(compared).toMatchObject({ moreReady: 6, fellBack: 2, returned: 3, reminded: 7 })
  expect(compared && describeComparison(compared, t)).toEqual([
    'Since the end of November 13, 2026: 6 more people ready, 2 people who had connected everything lost access',
    '3 people have access again',
    'We sent 7 emails about apps left to connect',
  ])
})

it('a comparison excludes people with nothing to connect if its row counted them', () => {
  const days = [{ ...rowOf('2026-11-13', 3), nothing: 2 }]
  const compared = compareSince(report, { ...newKeepState(), days }, now)
  expect(compared?.moreReady).toBe(4)
})

it('counts of one use the singular, and counts of zero are left out', () => {
  const counted = { moreReady: -1, fellBack: 1, left: 1, returned: 1, newApp: 0, reminded: 1 }
  const one = {
    row: rowOf('2026-11-13', 0),
    before: undefined,
    newApps: [],
    removed: [],
    resumed: [],
    newForSome: [],
    ...counted,
  }
  expect(describeComparison(one, t)).toEqual([
    'Since the end of November 13, 2026: 1 fewer person ready, 1 person who had connected everything lost access, 1 person who had connected everything is off the list or unknown to search',
    '1 person has access again',
    'We sent 1 email about apps left to connect',
  ])
})

const notion = { instance: 'notion_1', name: 'notion_1', since: 0, people: 103 }
const figma = { ...notion, instance: 'figma_1', name: 'Figma', people: 60 }
const found = (...apps: (typeof notion)[]) =>
  apps.map((app) => ({ ...app, noticedAt: Date.parse('2026-11-14T00:00:00Z') }))
const newestAt = '2026-11-14T10:00:00.000Z'
const rowCounts = { waiting: 69, connected: 5, skipped: 2, blocked: 1, off: 9 }
const named = [{ instance: 'notion_1', name: 'Notion', newestAt, counts: rowCounts }] as Report['datasources']

it('fewer ready people name the app that has moved for some of them', () => {
  const moved = [{ instance: 'slack_2', name: 'Slack', newestAt, isMoved: true }] as Report['datasources']
  const [row, none] = [rowOf('2026-11-13', 0), { fellBack: 0, left: 0, returned: 0, reminded: 0 }]
  const compared = (datasources: Report['datasources']) =>
    describeComparison(
      {
        row,
        before: undefined,
        newApps: [],
        removed: [],
        resumed: [],
        newForSome: datasources,
        moreReady: -7,
        newApp: 7,
        ...none,
      },
      t,
    )[0]
  expect(compared(moved)).toContain('7 fewer ready: Slack has moved')
  expect(compared([...moved, ...named])).toContain('7 fewer ready: Slack has moved, Notion is new')
})

it.each<[string, number, number, NonNullable<KeepState['newApps']>, string[]]>([
  ['a new app', 78, 78, found(notion), ['78 fewer ready: Notion is new', 'Notion is new for 103 people']],
  [
    'new apps',
    70,
    65,
    found(notion, figma),
    [
      '70 fewer ready: Notion and Figma are new',
      'Notion is new for 103 people',
      'Figma is new for 60 people',
    ],
  ],
  [
    'an app that has moved',
    37,
    37,
    found(notion).map((app) => ({ ...app, isMoved: true })),
    ['37 fewer ready: Notion has moved', 'Notion has moved for 103 people'],
  ],
  [
    'two apps that have moved',
    42,
    42,
    found(notion, figma).map((app) => ({ ...app, isMoved: true })),
    [
      '42 fewer ready: Notion and Figma have moved',
      'Notion has moved for 103 people',
      'Figma has moved for 60 people',
    ],
  ],
  [
    'an app that has moved, and a new one',
    42,
    42,
    [...found(notion), ...found(figma).map((app) => ({ ...app, isMoved: true }))],
    [
      '42 fewer ready: Figma has moved, Notion is new',
      'Notion is new for 103 people',
      'Figma has moved for 60 people',
    ],
  ],
  ['apps that are new for a few', 3, 3, [], ['3 fewer ready: new apps for 3 people: Notion']],
  ['a new app for half of them', 4, 2, [], ['4 fewer ready: new apps for 2 people: Notion']],
  ['other causes, and a new app for one person', 4, 1, [], ['4 fewer people ready']],
  ['no one', 0, 0, [], ['as many people ready as before']],
  ['nothing new', 4, 0, [], ['4 fewer people ready']],
  ['an app that was new before that day', 5, 0, [{ ...notion, noticedAt: 1 }], ['5 fewer people ready']],
])('a fall by %s names its cause', (_cause, fewer, newApp, newApps, words) => {
  const fallen = {
    ready: 100 - fewer,
    finished: 0,
    datasources: named,
    days: [{ ...day('2026-11-14', 0), newApp }],
  }
  const state = { ...newKeepState(), days: [rowOf('2026-11-13', 100)], newApps }
  const comparison = compareSince(fallen, state, now)
  const [since = '', ...rest] = comparison === undefined ? [] : describeComparison(comparison, t)
  expect([since.replace(/^.*2026: /, ''), ...rest]).toEqual(words)
})

it('a comparison counts people due for the email about a new app', () => {
  const datasources = [{ ...named[0], emailed: 53, limited: 67 }] as Report['datasources']
  const jira = { ...figma, instance: 'jira_1', name: 'Jira', noticedAt: 0, markedRemovedAt: now }
  const delistedApps = [jira, { ...jira, name: 'Box', markedRemovedAt: 1 }, { ...found(figma)[0]! }]
  const state = { ...newKeepState(), days: rows, newApps: found(notion), delistedApps }
  const comparison = compareSince({ ...report, datasources }, state, now)
  expect(comparison && describeComparison(comparison, t).slice(1, 4)).toEqual([
    'Notion is new for 103 people',
    'Notion: 53 emailed about it, 67 waiting (four emails a quarter at most)',
    'Jira was removed',
  ])
})

it('a comparison says when the emails about a lost app were released', () => {
  const lostApp = { instance: 'notion_1', name: 'notion_1', since: 0, noticedAt: 1, lapsed: 38, had: 38 }
  const releasedAt = (...times: (number | undefined)[]) =>
    times.map((resumedAt) => ({ ...lostApp, ...(resumedAt !== undefined && { resumedAt }) }))
  const state = { ...newKeepState(), days: rows, massDisconnects: releasedAt(now, 1, undefined) }

  const datasources = named.map((app) => ({ ...app, emailed: 21, lapsedLimited: 17 }))
  const comparison = compareSince({ ...report, datasources }, state, now)

  const lines = comparison === undefined ? [] : describeComparison(comparison, t)
  expect(lines.filter((line) => /38 of 38|waiting/.test(line))).toEqual([
    'Emails about Notion were released on November 21, 2026: 38 of 38 people had lost access',
    'Notion: 21 emailed about it, 17 waiting (four emails a quarter at most)',
  ])
})
