// The comparison of the admins’ overview with an earlier day, and its reasons why fewer people are ready.
import { expect, it } from 'vitest'
import { compareSince, describeComparison } from '../../src/admin/comparison.ts'
import { CHANGES, zeros, type Report } from '../../src/admin/report.ts'
import type { DailyCounts, KeepState } from '../../src/people/keep-state.ts'
import { t } from '../helpers/texts.ts'
import { newKeepState } from '../helpers/people.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

const day = (date: string, finished: number, fellBack = 0) => ({
  ...zeros([...CHANGES, 'signedIn', 'acted'] as const),
  day: date,
  finished,
  fellBack,
})
const counts = { people: 9, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0, gone: 0 }
const rowOf = (date: string, ready: number): DailyCounts => ({ ...counts, day: date, ready })

const rows = ['2026-11-02', '2026-11-13', '2026-11-21'].map(rowOf)
const changeCounts = { returned: 3, reminded: 7 }
const rowBefore = { ...day('2026-11-13', 0, 5), ...changeCounts }
const report = {
  ready: 7,
  finished: 5,
  datasources: [],
  lostByDay: [],
  newByDay: [],
  days: [rowBefore, { ...day('2026-11-14', 3, 2), ...changeCounts }],
}
/** Sentences of a comparison with the newest row up to a week ago. */
const linesOf = (state: Partial<KeepState>, given: Parameters<typeof compareSince>[0] = report) => {
  const comparison = compareSince(given, { ...newKeepState(), days: rows, ...state }, now)
  return comparison === undefined ? [] : describeComparison(comparison, t)
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

it('a comparison counts what has changed since the end of its day', () => {
  expect(linesOf({})).toEqual([
    'Since the end of November 13, 2026: 6 more people ready, 2 people who had connected everything lost access',
    '3 people have access again',
    'We sent 7 emails about apps left to connect',
  ])
})

it('a comparison counts people added, gone and invited since its day', () => {
  const days = ['2026-11-13', '2026-11-14'].map((date) => ({
    ...day(date, 0),
    added: 5,
    gone: 1,
    invited: 4,
  }))
  expect(linesOf({}, { ...report, days })[1]).toBe(
    '5 people were added to the list, 1 person is off the list or unknown to search, 4 people were invited by email',
  )
})

it.each([
  [
    'names the app most often lost since its day',
    { slack_1: 2, drive_1: 1 },
    ['Access was lost most often to Slack'],
  ],
  ['names no app that was only lost before its day', {}, []],
  ['names none of two apps that were lost equally often', { slack_1: 1, drive_1: 1 }, []],
])('a comparison %s', (_title, lost, sentences) => {
  const apps = [
    { instance: 'slack_1', name: 'Slack' },
    { instance: 'drive_1', name: 'Drive', lapsed: 20 },
  ] as Report['datasources']
  const lostByDay = [
    ...Object.entries(lost).map(([instance, count]) => ({ day: '2026-11-14', instance, count })),
    { day: '2026-11-13', instance: 'drive_1', count: 20 },
  ]
  const lines = linesOf({}, { ...report, datasources: apps, lostByDay })
  expect(lines.filter((sentence) => sentence.startsWith('Access was lost'))).toEqual(sentences)
})

it('a comparison excludes people with nothing to connect if its row counted them', () => {
  expect(linesOf({ days: [{ ...rowOf('2026-11-13', 3), nothing: 2 }] })[0]).toContain(': 4 more people ready')
})

/** A comparison in which nothing has happened. */
const nothing: Parameters<typeof describeComparison>[0] = {
  ...zeros([...CHANGES, 'moreReady'] as const),
  row: rowOf('2026-11-13', 0),
  before: undefined,
  lostApp: undefined,
  newApps: [],
  events: [],
  inQuestion: [],
  movedForSome: [],
  causes: [],
}

it('counts of one use the singular, and counts of zero are left out', () => {
  const counted = { moreReady: -1, fellBack: 1, left: 1, returned: 1, reminded: 1 }
  expect(describeComparison({ ...nothing, ...counted }, t)).toEqual([
    'Since the end of November 13, 2026: 1 fewer person ready, 1 person who had connected everything lost access, 1 person who had connected everything is off the list or unknown to search',
    '1 person has access again',
    'We sent 1 email about apps left to connect',
  ])
})

const notion = { instance: 'notion_1', name: 'notion_1', since: 0, noticedAt: 0, people: 103 }
const figma = { ...notion, instance: 'figma_1', name: 'Figma', people: 60 }
/** As new on November 14. */
const found = (...apps: NonNullable<KeepState['newApps']>): Partial<KeepState> => ({
  newApps: apps,
  appEvents: apps.map(({ instance, name, people }) => {
    const at = Date.parse('2026-11-14T00:00:00Z')
    return { what: 'new', instance, name, people, at }
  }),
})
const newestAt = '2026-11-14T10:00:00.000Z'
const rowCounts = { waiting: 69, connected: 5, skipped: 2, blocked: 1, off: 9 }
const namedApps = [
  { instance: 'notion_1', name: 'Notion', newestAt, counts: rowCounts },
] as Report['datasources']

const NOTION_IS_NEW = 'Notion is new for 103 people'
const hasMoved = (app: string) => `${app} has moved. Those for whom it has moved have to connect it again`

type Fall = { fewer: number; left?: number; isMoved?: boolean; new?: Record<string, number> }

/**
 * A comparison with a day when all of a hundred people were ready. @param fall `new`: people who are no longer ready
 * because of each new app, which `isMoved` if it isn't Notion
 */
function linesAfterFall(
  { fewer, left = 0, isMoved, new: people = {} }: Fall,
  state: Partial<KeepState> = {},
) {
  const apps = Object.keys(people).map((instance) => ({
    instance,
    name: instance.replace(/^./, (first) => first.toUpperCase()).replace(/_\d$/, ''),
    newestAt,
    counts: rowCounts,
    ...(isMoved && instance !== 'notion_1' && { isMoved }),
  }))
  const newByDay = ['2026-11-14', '2026-11-13'].flatMap((when) =>
    Object.entries(people).map(([instance, count]) => ({ day: when, instance, count })),
  )
  const newApp = Math.max(0, ...Object.values(people))
  const fallen = {
    ready: 100 - fewer,
    finished: 0,
    datasources: (apps.length > 0 ? apps : namedApps) as Report['datasources'],
    lostByDay: [],
    newByDay,
    days: [{ ...day('2026-11-14', 0), newApp, left }],
  }
  const [since = '', ...rest] = linesOf({ days: [rowOf('2026-11-13', 100)], ...state }, fallen)
  return [since.replace(/^.*2026: /, ''), ...rest]
}

const asMoved = (app: typeof notion) => ({ ...app, isMoved: true })

it.each<[string, Fall, Partial<KeepState>, string[]]>([
  [
    'a new app',
    { fewer: 78, new: { notion_1: 78 } },
    found(notion),
    ['78 fewer ready: Notion is new', NOTION_IS_NEW],
  ],
  [
    'a new app alone if others became ready',
    { fewer: 20, new: { notion_1: 21 } },
    found(notion),
    ['20 fewer ready: Notion is new', NOTION_IS_NEW],
  ],
  [
    'an app that is new for few people, of whom one became ready',
    { fewer: 2, new: { notion_1: 3 } },
    {},
    ['2 fewer ready: Notion is new'],
  ],
  [
    'two apps if others became ready',
    { fewer: 40, new: { notion_1: 42, figma_1: 40 }, isMoved: true },
    found(asMoved(notion), asMoved(figma)),
    ['40 fewer ready: Notion and Figma have moved', hasMoved('Notion'), hasMoved('Figma')],
  ],
  [
    'a new app, and people who left',
    { fewer: 40, left: 5, new: { notion_1: 35 } },
    found(notion),
    [
      '40 fewer ready: Notion (35) is new, 5 people who had connected everything are off the list or unknown to search',
      NOTION_IS_NEW,
    ],
  ],
  [
    'new apps',
    { fewer: 70, new: { figma_1: 25, notion_1: 65 } },
    found(notion, figma),
    ['70 fewer ready: Notion (65) and Figma (25) are new', NOTION_IS_NEW, 'Figma is new for 60 people'],
  ],
  [
    'an app that has moved for many',
    { fewer: 37, new: { notion_1: 37 } },
    found(asMoved(notion)),
    ['37 fewer ready: Notion has moved', hasMoved('Notion')],
  ],
  [
    'two apps that have moved for many',
    { fewer: 42, new: { notion_1: 42, figma_1: 40 }, isMoved: true },
    found(asMoved(notion), asMoved(figma)),
    ['42 fewer ready: Notion (42) and Figma (40) have moved', hasMoved('Notion'), hasMoved('Figma')],
  ],
  [
    'an app that has moved for many, and one for some',
    { fewer: 14, new: { notion_1: 14, jira_1: 12 }, isMoved: true },
    found(asMoved(notion)),
    ['14 fewer ready: Notion (14) and Jira (12) have moved', hasMoved('Notion'), hasMoved('Jira')],
  ],
  [
    'an app that has moved for some',
    { fewer: 7, new: { jira_1: 7 }, isMoved: true },
    {},
    ['7 fewer ready: Jira has moved', hasMoved('Jira')],
  ],
  [
    'an app that has moved for some, and a new one',
    { fewer: 7, new: { jira_1: 5, notion_1: 2 }, isMoved: true },
    {},
    ['7 fewer ready: Jira (5) has moved, Notion (2) is new', hasMoved('Jira')],
  ],
  [
    'an app that has moved for many, and a new one',
    { fewer: 42, new: { notion_1: 40, figma_1: 2 } },
    found(notion, asMoved(figma)),
    ['42 fewer ready: Figma (2) has moved, Notion (40) is new', NOTION_IS_NEW, hasMoved('Figma')],
  ],
  [
    'three apps that have moved',
    { fewer: 9, new: { box_1: 9, jira_1: 8, slack_1: 7 }, isMoved: true },
    {},
    [
      '9 fewer ready: 3 apps have moved: Box (9), Jira (8), Slack (7)',
      ...['Box', 'Jira', 'Slack'].map(hasMoved),
    ],
  ],
  [
    'five new apps, one of them for many',
    { fewer: 9, new: { notion_1: 9, jira_1: 8, slack_1: 7, box_1: 6, figma_1: 5 } },
    found(notion),
    ['9 fewer ready: 5 new apps: Notion (9), Jira (8), Slack (7), and 2 more', NOTION_IS_NEW],
  ],
  [
    'an app that is new for few people',
    { fewer: 3, new: { notion_1: 3 } },
    {},
    ['3 fewer ready: new apps for 3 people: Notion'],
  ],
  [
    'apps that are new for few people',
    { fewer: 3, new: { notion_1: 3, box_1: 1 } },
    {},
    ['3 fewer ready: new apps for 3 people: Notion (3), Box (1)'],
  ],
  [
    'a new app for one of them',
    { fewer: 4, new: { notion_1: 1 } },
    {},
    ['4 fewer ready: new apps for 1 person: Notion'],
  ],
])('a comparison explains fewer ready people by %s', (_title, fall, state, lines) => {
  expect(linesAfterFall(fall, state)).toEqual(lines)
})

it.each<[string, Fall, Partial<KeepState>?]>([
  ['no one has a new app', { fewer: 4 }],
  [
    'the app was new before that day',
    { fewer: 5 },
    { newApps: [notion], appEvents: [{ ...notion, what: 'new', at: 1 }] },
  ],
])('a comparison leaves fewer ready people unexplained if %s', (_title, fall, state) => {
  expect(linesAfterFall(fall, state)).toEqual([`${fall.fewer} fewer people ready`])
})

it.each([
  ['on the next day is named', '2026-11-14T00:00:00.000Z', [hasMoved('Notion')]],
  ['on the compared day isn’t named', '2026-11-13T23:59:59.999Z', []],
])('a move of an app for a few people %s', (_title, movedAt, lines) => {
  const datasources = namedApps.map((app) => ({ ...app, isMoved: true, newestAt: movedAt }))
  const described = linesOf({}, { ...report, datasources })
  expect(described.filter((line) => line.includes('moved'))).toEqual(lines)
})

it('a comparison finds as many people ready as before', () => {
  expect(linesAfterFall({ fewer: 0, new: { notion_1: 1 } })).toEqual(['as many people ready as before'])
})

it('a new app counts the people of the period alone', () => {
  const added = { what: 'new', instance: 'notion_1', name: 'notion_1' } as const
  const appEvents = [
    { ...added, people: 45, at: Date.parse('2026-11-12T10:00:00Z') },
    { ...added, people: 10, at: Date.parse('2026-11-16T10:00:00Z') },
    { ...added, people: 5, at: Date.parse('2026-11-18T10:00:00Z') },
  ]
  const lines = linesOf(
    { newApps: [{ ...notion, people: 60 }], appEvents },
    { ...report, datasources: namedApps },
  )
  expect(lines[1]).toBe('Notion is new for 15 people')
})

/** An app that the operator called removed, or hid. */
const answeredApp = (instance: string, answer: { markedRemovedAt?: number } = { markedRemovedAt: now }) => ({
  instance,
  name: instance,
  people: 30,
  noticedAt: 1,
  since: 1,
  ...answer,
})

it('a comparison tells the number of an app from that of its people', () => {
  const github_2 = { ...namedApps[0], instance: 'github_2', name: 'GitHub (2)', isMoved: true }
  const newByDay = [{ day: '2026-11-14', instance: 'github_2', count: 26 }]
  const fallen = { ...report, ready: 73, datasources: [github_2] as Report['datasources'], newByDay }
  const lines = linesOf({ days: [rowOf('2026-11-13', 100)] }, { ...fallen, days: [day('2026-11-14', 0)] })
  expect(lines[0]).toContain('27 fewer ready: GitHub (2) (26 people) has moved')
})

it('a comparison counts people due for the email about a new app', () => {
  const datasources = [{ ...namedApps[0], emailed: 53, limited: 67, unsent: 28 }] as Report['datasources']
  const removed = { what: 'removed', instance: 'jira_1', name: 'Jira', people: 30, at: now } as const
  const appEvents = [...(found(notion).appEvents ?? []), removed, { ...removed, name: 'Box', at: 1 }]
  const state = { appEvents, delistedApps: [answeredApp('jira_1')] }
  expect(linesOf(state, { ...report, datasources }).slice(1, 4)).toEqual([
    NOTION_IS_NEW,
    'Notion, so far: 53 emailed about it, 67 waiting (four emails a quarter at most), 28 neither (due later, opted out, or bounced)',
    'Jira was removed',
  ])
})

it.each<[string, NonNullable<KeepState['delistedApps']>, boolean]>([
  ['is named while it is in force', [answeredApp('jira_1')], true],
  [
    'isn’t named once it was corrected',
    [{ ...answeredApp('jira_1', {}), markedConnectedAt: now + 1 }],
    false,
  ],
  ['isn’t named once the app is back', [], false],
])('the removal of an app %s', (_title, delistedApps, isNamed) => {
  const appEvents = [{ instance: 'jira_1', name: 'Jira', people: 30, what: 'removed' as const, at: now }]
  expect(linesOf({ appEvents, delistedApps }).includes('Jira was removed')).toBe(isNamed)
})

it('a comparison has each end of a hold', () => {
  const ended = { instance: 'notion_1', name: 'notion_1', people: 38, had: 40 }
  const appEvents: KeepState['appEvents'] = [
    { ...ended, what: 'released', at: 1 },
    { ...ended, what: 'released', at: Date.parse('2026-11-16T10:00:00Z') },
    { ...ended, what: 'restored', people: 12, at: Date.parse('2026-11-18T10:00:00Z') },
    { ...ended, what: 'released', people: 9, had: 20, at: now },
    { ...ended, what: 'ended', people: 3, at: now },
    { ...ended, what: 'listed', at: now },
  ]
  const datasources = namedApps.map((app) => ({
    ...app,
    emailed: 50,
    releasedEmailed: 21,
    releasedLimited: 17,
    releasedUnsent: 0,
  }))

  const lines = linesOf({ appEvents }, { ...report, datasources })

  expect(lines.filter((line) => line.includes('Notion'))).toEqual([
    'Emails about Notion were released on November 16, 2026: 38 of 40 people had lost access',
    'Notion is back for most of the 12 people who had lost it (November 18, 2026). Emails to the others are no longer on hold',
    'Emails about Notion were released on November 21, 2026: 9 of 20 people had lost access',
    'Notion, so far: 21 emailed about it, 17 waiting (four emails a quarter at most)',
    'Emails about Notion are no longer on hold (November 21, 2026): most of those who had lost it have it again, have another instance, or left the list',
    'Notion is back on lists that it had left (November 21, 2026)',
  ])
})

it.each<[string, NonNullable<KeepState['appEvents']>[number]['what'][], boolean, string[]]>([
  ['new', ['new'], false, ['Notion is new for 38 people']],
  ['new, then hidden', ['new', 'hidden'], true, ['Notion was hidden']],
  ['new, then removed', ['new', 'removed'], true, ['Notion was removed']],
  ['hidden, shown, and hidden again', ['hidden', 'hidden'], true, ['Notion was hidden']],
  ['hidden, then shown', ['hidden', 'shown'], false, ['Notion is shown again']],
  [
    'hidden, then shown as new',
    ['hidden', 'shown', 'new'],
    false,
    ['Notion is new for 38 people', 'Notion is shown again'],
  ],
  ['removed, then back as new', ['removed', 'listed', 'new'], false, ['Notion is new for 38 people']],
  ['called connected', ['connected'], false, ['Notion counts as connected for 38 people']],
  ['new, hidden and new again', ['new', 'hidden', 'new'], false, ['Notion is new for 38 people']],
])('a comparison describes the last state of an app that was %s', (_title, events, isAnswered, lines) => {
  const event = { instance: 'notion_1', name: 'notion_1', people: 38 }
  const appEvents = events.map((what, index) => ({ ...event, what, at: now + index }))
  const delistedApps = isAnswered ? [answeredApp('notion_1')] : []
  const described = linesOf({ appEvents, delistedApps }, { ...report, datasources: namedApps })
  expect(described.filter((line) => line.includes('Notion'))).toEqual(lines)
})

it.each([
  ['names an app in question, because no figure counts it', {}, ['Not counted until you answer: notion_1']],
  ['doesn’t name an app whose question was answered', { markedRemovedAt: 1 }, []],
])('a comparison %s', (_title, answer, lines) => {
  const question = { instance: 'notion_1', name: 'notion_1', noticedAt: 1, since: 1, people: 9, ...answer }
  expect(linesOf({ delistedApps: [question] }).filter((line) => line.includes('notion_1'))).toEqual(lines)
})

it('fewer ready people name a new app, and those whose list lost another one', () => {
  const causes = [{ name: 'Notion', people: 7, hasMoved: false }]
  const changed = { moreReady: -3, newApp: 7, causes, delisted: 4 }
  expect(describeComparison({ ...nothing, ...changed }, t)[0]).toMatch(
    /3 fewer ready: .*Notion.*, 4 are ready because an app is gone from their lists$/,
  )
})

it('more ready people name those whose list lost an app', () => {
  const days = [{ ...day('2026-11-14', 0), delisted: 4 }]
  expect(linesOf({}, { ...report, days })[0]).toContain(
    '6 more people ready, 4 are ready because an app is gone from their lists',
  )
})
