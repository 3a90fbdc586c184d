// The overview for admins: its action items, and what it says about states of people and an app in question.
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { listPeople, parsePeopleQuery } from '../../src/admin/filters.ts'
import { overviewPage } from '../../src/admin/overview.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { neutralCompany } from '../../src/company/company.ts'
import type { DelistedApp, KeepState } from '../../src/people/keep-state.ts'
import { newPerson, withMilestone, withCheck, type PersonApp, type Person } from '../../src/people/person.ts'
import { newKeepState, withAppStates, withEachApp, withEmailState, summaries } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.UTC(2026, 10, 2, 9)
const DAY = 86_400_000
const context = { ...neutralCompany, now: NOW, since: '' }
const reportOf = (...people: Person[]) => createReport(summaries(...people), NOW)
const withApps = (person: Person, states: Parameters<typeof withAppStates>[1]) =>
  withAppStates(person, states, NOW)
const person = newPerson('ada@acme.example', NOW)
const signedIn = withMilestone(person, 'signedInAt', NOW)

const withQuestion = (answer: Partial<DelistedApp> = {}): KeepState => ({
  ...newKeepState(),
  delistedApps: [{ instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 9, ...answer }],
})

it.each([
  ['no one', [], false],
  ['someone who has connected another one', [{ jira_1: 'connected' }], true],
] as const)(
  'the overview has figures while the only apps left are those of %s',
  async (_title, others, has) => {
    const state = withQuestion()
    const lost = withEachApp(withApps(person, { slack_1: 'connected' }), { delistedAt: NOW })
    const all = [lost, ...others.map((apps) => withApps(person, apps))]
    const report = await createReport(summarizeAll(Readable.from(all), state), NOW, { state })
    expect(report.isNoneLeft).toBe(true)
    expect(overviewPage(report, state, t, context).hasFigures).toBe(has)
  },
)

it.each([
  ['in question is named', {}, ['0 of 0 done', 'Not counted until you answer: Slack']],
  ['whose question was answered isn’t named', { markedRemovedAt: NOW }, ['0 of 0 done']],
])('an app %s beside the first figure of /admin', async (_title, answer, details) => {
  const report = await createReport(summaries(), NOW)
  const { stats } = overviewPage(report, withQuestion(answer), t, context)
  expect(stats[0]).toMatchObject({ state: 'ready', details })
})

const waitingFor = (app: string, state: PersonApp['state'] | 'unconfirmed' = 'blocked') =>
  withApps(signedIn, { [`${app}_1`]: state })
const pageOf = async (...people: Person[]) =>
  overviewPage(await reportOf(...people), newKeepState(), t, context)
const actionItemsOf = async (...people: Person[]) =>
  (await pageOf(...people)).needs.map(({ title, href }) => [title, href])

it.each<[string, Person[]]>([
  ['no one is on the list', []],
  ['everyone is ready', [waitingFor('slack', 'connected')]],
  ['everyone has skipped their apps', [waitingFor('slack', 'skipped')]],
  ['everyone was just emailed', [withEmailState(person, 'sent', { now: NOW - 60_000 })]],
])('there is no action item if %s', async (_title, people) => {
  expect(await actionItemsOf(...people)).toEqual([])
})

it('action items start with the most awaited approvals, then consents, then emails', async () => {
  const jira = [waitingFor('jira'), waitingFor('jira'), waitingFor('jira', 'unconnected')]
  const people = [waitingFor('slack'), ...jira, waitingFor('slack', 'unconfirmed')]
  const emails = (['failed', 'deferred', 'unknown'] as const).map((state) =>
    withEmailState(person, state, { now: NOW }),
  )
  expect(await actionItemsOf(...people, person, ...emails)).toEqual([
    ['2 people are waiting for you to approve jira', '/admin/people?show=blocked&app=jira_1'],
    ['1 person is waiting for you to approve slack', '/admin/people?show=blocked&app=slack_1'],
    ['Help 1 person whose connection wasn’t confirmed', '/admin/people?show=unconfirmed'],
    ['Email 2 people who haven’t started', '/admin/people?show=due'],
    ['Fix 1 bounced email', '/admin/people?show=failed'],
    ['Send 1 delayed email again', '/admin/people?show=deferred'],
    ['Check 1 uncertain delivery', '/admin/people?show=uncertain'],
  ])
})

it('where runs of keep send emails, no action item asks to send them', async () => {
  const all = [person, withEmailState(person, 'deferred', { now: NOW })]
  const { needs } = overviewPage(await reportOf(...all), { ...newKeepState(), lastRunAt: NOW }, t, context)
  expect(needs).toEqual([])
})

it('an action item names an app without a usable address, and its people', async () => {
  const unusable = (instance: string) => ({ instance, name: instance, status: 'attention' }) as const
  const broken = (...all: string[]) =>
    withCheck(signedIn, { checkedAt: NOW, unconnected: all.map(unusable) }, NOW)
  expect(await actionItemsOf(broken('evil_1'), broken('evil_1', 'box_1'), waitingFor('jira'))).toEqual([
    ['1 person is waiting for you to approve jira', '/admin/people?show=blocked&app=jira_1'],
    ['Fix evil_1: 2 people can’t connect it', '/admin/people?show=noAddress&app=evil_1'],
    ['Fix box_1: 1 person can’t connect it', '/admin/people?show=noAddress&app=box_1'],
  ])
})

it('an action item names up to four apps, and counts the others', async () => {
  const apps = ['a', 'b', 'c', 'd', 'e'].map((app) => waitingFor(app))
  expect((await actionItemsOf(...apps.slice(0, 4))).map(([title]) => title)).toEqual(
    ['a', 'b', 'c', 'd'].map((app) => `1 person is waiting for you to approve ${app}`),
  )
  expect((await actionItemsOf(...apps)).at(-1)).toMatchObject([
    'Approve 2 more apps',
    '/admin/apps?sort=stuck',
  ])
})

it('the overview names the app where at least half of the stuck people are', async () => {
  const few = ['a', 'b', 'c'].map((app) => waitingFor(app))
  const detailsOf = async (...people: Person[]) => {
    const { stats } = await pageOf(...people)
    return stats.find(({ state: what }) => what === 'stuck')?.details
  }
  expect(await detailsOf(...few)).toEqual([])
  expect(await detailsOf(...few, waitingFor('a'))).toEqual([t('admin.mostly', { app: 'a' })])
  expect(await detailsOf(...few.slice(1))).toEqual([])
})

it('the overview names the app most often lost by people who fell back', async () => {
  const hadFinished = { ...waitingFor('slack', 'unconnected'), finishedAt: NOW - DAY }
  const { stats } = await pageOf(
    withEachApp(hadFinished, { lapsedAt: NOW }),
    waitingFor('jira'),
    waitingFor('jira'),
  )
  expect(stats.find(({ state: what }) => what === 'fellBack')?.details).toEqual([
    t('admin.mostly', { app: 'slack' }),
  ])
})

/** Where keep has run. */
const kept = { ...newKeepState(), lastRunAt: NOW }
const sentAt = (at: number, apps: string[] = []) => ({ state: 'sent' as const, at, reminder: 0, apps })
/** At the limit of emails, and without one about Slack, which is new for them. */
const untold = {
  ...withEachApp(waitingFor('slack', 'unconnected'), { newAt: NOW }),
  campaigns: [{ name: 'onboarding', emails: Array.from({ length: 4 }, () => sentAt(NOW - DAY)) }],
}
const informed = { ...untold, campaigns: [{ name: 'new-apps', emails: [sentAt(NOW, ['slack_1'])] }] }
const manyOf = (count: number, one: Person) => Array.from({ length: count }, () => one)

it.each([
  { unaware: 4, aware: 0, isItem: false },
  { unaware: 5, aware: 0, isItem: true },
  { unaware: 5, aware: 20, isItem: true },
  { unaware: 5, aware: 21, isItem: false },
  { unaware: 50, aware: 201, isItem: true },
])(
  'an app that $unaware people don’t know of, but $aware do, is an item: $isItem',
  async ({ unaware, aware, isItem }) => {
    const report = await reportOf(...manyOf(unaware, untold), ...manyOf(aware, informed))
    const items = overviewPage(report, kept, t, context).needs.map(({ title, href }) => [title, href])
    const title = `slack: ${unaware} people don’t know that they have to connect it`
    expect(items).toEqual(isItem ? [[title, '/admin/people?show=limited&app=slack_1']] : [])
  },
)

it('the item about people at the limit opens exactly these people', async () => {
  const knowing = { ...untold, campaigns: [...untold.campaigns, ...informed.campaigns] }
  const others = [informed, knowing, { ...untold, optedOutAt: NOW }, { ...untold, leftAt: NOW }]
  const people = [
    ...others,
    ...manyOf(5, untold),
    withApps(untold, { slack_1: 'connected', box_1: 'skipped' }),
  ]
  const [item] = overviewPage(await reportOf(...people), kept, t, context).needs
  const query = Object.fromEntries(new URLSearchParams(item?.href.split('?')[1]))
  const { total } = await listPeople(summaries(...people), parsePeopleQuery(query, NOW))
  expect([item?.count, total]).toEqual([5, 5])
})

it('an app on hold isn’t announced to people at the limit', async () => {
  const state = {
    ...kept,
    massDisconnects: [{ instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, lapsed: 5, had: 5 }],
  }
  const lost = manyOf(5, withEachApp(untold, { lapsedAt: NOW }))
  const report = await createReport(summarizeAll(Readable.from(lost), state), NOW)
  const { needs } = overviewPage(report, state, t, context)
  expect(needs.map(({ kind }) => kind)).toEqual(['massDisconnect'])
})
