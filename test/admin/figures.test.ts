// Every figure opens the list of exactly the people that it counts, for random companies.
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { listPeople, FILTER_GROUPS, parsePeopleQuery } from '../../src/admin/filters.ts'
import { overviewPage } from '../../src/admin/overview.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { appTable, groupTable } from '../../src/admin/sorted-table.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { PROGRESS_STATES } from '../../src/people/keep-state.ts'
import { newPerson, withCheck, withIntents, withMilestone, type Person } from '../../src/people/person.ts'
import { figuresIn } from '../helpers/figures.ts'
import { t } from '../helpers/texts.ts'

const DAY = 86_400_000
const start = Date.parse('2026-11-02T09:00:00Z')
const now = start + 12 * DAY
const context = { ...neutralCompany, now, since: '' }

const APPS = ['slack_1', 'slack_2', 'jira_1', 'box_1'].map((instance) => ({
  instance,
  name: instance.replace(/_\d/, ''),
}))

const status = fc.constantFrom('awaiting', 'awaiting', 'stale', 'disabled', 'attention', undefined)
const kind = fc.constantFrom('skipped', 'blocked', 'unconfirmed', undefined)
const day = fc.integer({ min: 0, max: 11 })

type Change = (person: Person, at: number) => Person
const change: fc.Arbitrary<Change> = fc.oneof(
  fc
    .record({
      reminder: fc.integer({ min: 0, max: 4 }),
      state: fc.constantFrom('sent', 'sent', 'deferred', 'failed', 'unknown'),
    })
    .map(
      (email): Change =>
        (person, at) =>
          withEmail(person, { campaign: 'onboarding', ...email, now: at }),
    ),
  fc.constantFrom('openedAt', 'signedInAt', 'signedInAt', 'optedOutAt').map(
    (what): Change =>
      (person, at) =>
        withMilestone(person, what, at),
  ),
  fc
    .tuple(fc.tuple(status, status, status, status), fc.boolean())
    .map(([all, isRun]): Change => (person, at) => {
      const unconnected = APPS.flatMap((app, index) => {
        const known = all[index]
        return known === undefined ? [] : [{ ...app, status: known } as const]
      })
      return withCheck(person, { checkedAt: at, unconnected, ...(isRun && { delisted: new Set() }) }, at)
    }),
  // Slack is lost, then it moves.
  fc.constant<Change>((person, at) =>
    [['slack_1'], [], ['slack_1'], ['slack_2']].reduce((before, listed) => {
      const unconnected = APPS.filter(({ instance }) => listed.includes(instance))
      const response = unconnected.map((app) => ({ ...app, status: 'awaiting' as const }))
      return withCheck(before, { checkedAt: at, unconnected: response }, at)
    }, person),
  ),
  fc.tuple(kind, kind, kind, kind).map((all): Change => (person, at) => {
    const intents = APPS.flatMap(({ instance }, index) => {
      const intent = all[index]
      return intent === undefined ? [] : [{ instance, kind: intent, since: at }]
    })
    return withIntents(person, at, intents, at)
  }),
)

const someone = fc
  .record({
    changes: fc.array(fc.tuple(day, change), { maxLength: 8 }),
    group: fc.constantFrom('Sales', 'Law & Order', undefined),
    gone: fc.constantFrom('leftAt', 'unknownAt', ...Array.from({ length: 8 }, () => undefined)),
  })
  .map(({ changes, group, gone }) => (index: number): Person => {
    const unchanged = newPerson(`person-${index}@acme.example`, start)
    const person = changes
      .toSorted(([one], [other]) => one - other)
      .reduce((before, [days, next]) => next(before, start + days * DAY), unchanged)
    return { ...person, ...(group !== undefined && { group }), ...(gone !== undefined && { [gone]: now }) }
  })
const company = fc
  .array(someone, { minLength: 1, maxLength: 40 })
  .map((all) => all.map((one, index) => one(index)))

const lostHold = { ...APPS[0]!, noticedAt: now, since: start + 6 * DAY, lapsed: 0, had: 10 }
const movedHold = { ...lostHold, ...APPS[3]!, movedTo: 'slack_2' }
const removedApp = { ...APPS[2]!, noticedAt: now, since: start + 3 * DAY, people: 9 }
const keepState = { massDisconnects: [lostHold, movedHold], delistedApps: [removedApp], zones: {}, days: [] }
const counted = (people: readonly Person[]) => summarizeAll(Readable.from(people), keepState)

const sumOf = <T>(all: readonly T[], count: (one: T) => number) =>
  all.reduce((sum, one) => sum + count(one), 0)

const rowsOf = async (people: readonly Person[], query: URLSearchParams) =>
  await listPeople(counted(people), parsePeopleQuery(Object.fromEntries(query), now))

it('every figure equals the rows of the list that it opens', async () => {
  const filters = new Set<string>()

  await fc.assert(
    fc.asyncProperty(company, async (people) => {
      const report = await createReport(counted(people), now, { state: keepState })
      const view = { query: { page: '1' } }
      const overview = overviewPage(report, keepState, t, context)
      const figures = figuresIn([
        overview,
        groupTable(report.groups, view, t),
        appTable(report.datasources, view, t),
        { count: report.people, href: '/admin/people?show=all' },
        { count: report.gone, href: '/admin/people?show=gone' },
        { count: report.hadToConnect, href: '/admin/people?show=hadToConnect' },
      ])
      for (const { count, href } of figures) {
        const query = new URLSearchParams(href.split('?')[1])
        filters.add(query.get('show') ?? '')
        const { total, people: rows } = await rowsOf(people, query)
        expect(total, `the list ${href} has the people of its figure`).toBe(count)
        if (rows.some(({ apps }) => apps.some(({ lostAs }) => lostAs === query.get('app'))))
          filters.add('moved')
      }
      if (report.datasources.some(({ lapsed, onHold }) => lapsed > onHold && onHold > 0))
        filters.add('earlier')
      for (const { state, apart } of overview.stats)
        expect(
          apart.filter((one) => one.state !== state),
          'what is told apart is of its state',
        ).toEqual([])
      for (const stage of ['invited', 'signedIn'] as const)
        expect(
          sumOf(report.days, (row) => row[stage]),
          'the days add up',
        ).toBe(report.funnel[stage])
      const byNeed = report.hadToConnect + report.nothing + report.unchecked
      expect(byNeed, 'everyone had to connect, had nothing to, or is unchecked').toBe(report.people)
      const byProgress = sumOf(PROGRESS_STATES, (state) => report[state])
      expect(byProgress, 'everyone has one state of progress').toBe(report.people)
    }),
    { numRuns: 60 },
  )
  expect([...filters].toSorted()).toEqual(
    expect.arrayContaining([
      'connecting',
      'due',
      'earlier',
      'finished',
      'lapsed',
      'moved',
      'off',
      'onHold',
      'removed',
    ]),
  )
})

it('a hold is about the people who have lost the app since it began', async () => {
  const slack = { ...APPS[0]!, status: 'awaiting' as const }
  const people = [3, 5, 6, 9].map((days) =>
    [[slack], [], [slack]].reduce(
      (person, unconnected) => {
        const at = start + days * DAY
        return withCheck(person, { checkedAt: at, unconnected }, at)
      },
      newPerson(`person-${days}@acme.example`, start),
    ),
  )
  const state = { ...keepState, massDisconnects: [lostHold], delistedApps: [] }
  const reportOf = (hold: typeof lostHold & { resumedAt?: number }) =>
    createReport(summarizeAll(Readable.from(people), { massDisconnects: [hold] }), now)
  const report = await reportOf(lostHold)
  const released = await reportOf({ ...lostHold, resumedAt: now })
  const [item] = overviewPage(report, state, t, context).needs

  const href = '/admin/people?show=onHold&app=slack_1'
  expect(item).toMatchObject({ count: 2, action: 'View 2 people', href })
  expect(item?.title).toContain('slack: 2 of 10 people lost access')
  const counts = [report, released].map(({ datasources: [app] }) => [app?.lapsed, app?.onHold])
  expect(counts).toEqual([
    [4, 2],
    [4, 0],
  ])
})

it('the list counts the people of each filter within a search, app or department', async () => {
  const narrowed = fc.record({
    q: fc.constantFrom('', 'person-1', 'LAW'),
    app: fc.constantFrom('', 'slack_1'),
    group: fc.constantFrom('', 'Sales'),
  })

  await fc.assert(
    fc.asyncProperty(company, narrowed, async (people, within) => {
      const { counts } = await rowsOf(people, new URLSearchParams(within))
      for (const show of Object.values(FILTER_GROUPS).flat()) {
        const { total, people: first } = await rowsOf(people, new URLSearchParams({ ...within, show }))

        expect(total, show).toEqual(counts[show])
        expect(first.length, show).toEqual(Math.min(25, counts[show]))
      }
    }),
    { numRuns: 30 },
  )
})

it('every note of /admin stands beside the figure that it is about', async () => {
  const wanted = new Map([
    ['nothing', 'ready'],
    ['unchecked', 'ready'],
    ['notInvited', 'notStarted'],
  ])
  const met = new Set<string>()

  await fc.assert(
    fc.asyncProperty(company, async (people) => {
      const report = await createReport(counted(people), now)
      const { stats } = overviewPage(report, keepState, t, context)
      for (const { state, apart } of stats)
        for (const { href } of apart) {
          const filter = new URLSearchParams(href.split('?')[1]).get('show') ?? ''
          expect([filter, state]).toEqual([filter, wanted.get(filter)])
          met.add(filter)
        }
    }),
    // Other companies may meet fewer of the notes.
    { numRuns: 60, seed: 1 },
  )
  expect([...met].toSorted()).toEqual([...wanted.keys()].toSorted())
})
