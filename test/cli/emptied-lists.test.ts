// Runs of `onramp keep` while the service lists nothing for a part of the people, such as one department.
import { expect, it } from 'vitest'
import { listPeople, parsePeopleQuery } from '../../src/admin/filters.ts'
import { describeActionItems } from '../../src/admin/overview.ts'
import { personPage } from '../../src/admin/person-history.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import type { RunDeps } from '../../src/campaigns/delivery.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { ProgressRecorder } from '../../src/onboarding/progress-recorder.ts'
import { newWalk } from '../../src/onboarding/walk.ts'
import { createDelistings } from '../../src/people/delistings.ts'
import { appsOf } from '../../src/people/person.ts'
import { setUpSendRuns, unconnectedApps as slack } from '../campaigns/run-fixture.ts'
import { summaries, toArray, withAppStates } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'
import { DAY, HOUR, setUpInstallation, monday, twelve } from './installation.ts'

const [ONE, TWO] = [['slack_1'], ['jira_1', 'slack_1']]
const people = (count: number) => Array.from({ length: count }, (_, index) => `q${index}@acme.example`)

/** Everyone has these apps left; a day later the first `emptied` of them have none. */
async function runWithEmptied(emptied: number, { list = twelve, apps = TWO, confirm = {} } = {}) {
  const installation = setUpInstallation()
  const { run, unconnectedApps, conditions } = installation
  for (const email of list) unconnectedApps.set(email, apps)
  await run(list)
  for (const email of list.slice(0, emptied)) unconnectedApps.set(email, [])
  conditions.now = monday + DAY
  installation.checkedEmails.length = 0
  const result = await run(list, confirm)
  const everyone = await Promise.all(
    list.map(async (email) => appsOf((await installation.people.get(email))!)),
  )
  const isConnected = (all: { state: string }[]) => all.every(({ state }) => state === 'connected')
  const connected = everyone.filter((all) => all.length > 0 && isConnected(all)).length
  return { ...installation, ...result, connected }
}

it.each<[title: string, connected: number, emptied: number, Parameters<typeof runWithEmptied>[1]?]>([
  ['three of twelve people', 3, 3],
  ['four of twelve people', 0, 4],
  ['a tenth of forty people', 4, 4, { list: people(40) }],
  ['more than a tenth of forty people', 0, 5, { list: people(40) }],
  ['four people who had one app', 4, 4, { apps: ONE }],
  ['everyone, which the sweep evaluates', 12, 12],
])('of empty lists of %s, %i count as connected', async (_title, connected, emptied, options) => {
  expect(await runWithEmptied(emptied, options)).toMatchObject({ connected })
})

it('an outage of one department is said, and leaves no trace once it is over', async () => {
  const { run, runForTwelve, exit, err, people: store, sentEmails } = await runWithEmptied(6)
  const need = 'The search service lists nothing for 6 people at once, who had apps left.'
  expect([exit, err]).toEqual([3, expect.stringContaining(need)])

  const after = await runForTwelve(TWO, monday + 2 * DAY)
  await run(twelve)
  expect([after.exit, after.err.includes(need)]).toEqual([0, false])
  expect(sentEmails.map(({ subject }) => subject)).not.toContainEqual(expect.stringMatching(/OK again|lost/))
  const { accessEvents, campaigns } = (await store.get(twelve[0]!))!
  expect([accessEvents, campaigns.map(({ name }) => name)]).toEqual([undefined, ['onboarding']])
})

it('apps that an operator confirmed as withdrawn weren’t connected, and are new once back', async () => {
  const { run, runForTwelve, people: store } = await runWithEmptied(4, { confirm: { confirm: true } })
  const withdrawn = (await store.get(twelve[0]!))!
  expect([appsOf(withdrawn), withdrawn.finishedAt]).toEqual([[], undefined])

  await runForTwelve(TWO, monday + 2 * DAY)
  await run(twelve)
  const back = (await store.get(twelve[0]!))!
  expect(appsOf(back)).toMatchObject(
    TWO.map(() => ({ state: 'unconnected', newAt: expect.any(Number) as number })),
  )
  expect([back.accessEvents, appsOf(back).filter(({ lapsedAt }) => lapsedAt)]).toEqual([undefined, []])
})

it('the item about empty lists leads to these people, and names their one department', async () => {
  const { people: store, conditions, keepState } = await runWithEmptied(6)
  const reportNow = async () => {
    const state = await keepState.load()
    const report = await createReport(summarizeAll(store.all(), state), conditions.now)
    const context = { ...neutralCompany, t, now: conditions.now }
    return { report, item: describeActionItems(report, state, context)[0] }
  }
  const mixed = await reportNow()
  for (const email of twelve.slice(0, 6))
    await store.change(email, (person) => ({ ...person, group: 'Support' }))
  const ofSupport = await reportNow()

  expect(mixed.item).toMatchObject({ href: '/admin/people?show=emptied', count: 6 })
  expect([mixed.item?.title, ofSupport.item?.title]).toEqual([
    expect.stringMatching(/who had apps left$/),
    expect.stringMatching(/who had apps left · Department: Support$/),
  ])
  const lists = await listPeople(
    summaries(...(await toArray(store.all()))),
    parsePeopleQuery({ show: 'emptied' }, 0),
  )
  expect(lists.people.map(({ person }) => person.email).toSorted()).toEqual(twelve.slice(0, 6).toSorted())
})

it('the page of someone whose list is empty like many others says so', async () => {
  const { run, people: store, conditions, unconnectedApps, keepState } = await runWithEmptied(6)
  const textNow = async () => {
    const [state, person] = [await keepState.load(), (await store.get(twelve[0]!))!]
    return personPage(person, state, neutralCompany, { t, now: conditions.now }).help.text
  }
  const during = await textNow()
  for (const email of twelve) unconnectedApps.set(email, TWO)
  conditions.now += 6 * HOUR
  await run(twelve)

  expect(during).toMatch(/^Their list was empty on Jan 19, 2027, .* We didn’t record it\./)
  expect(await textNow()).not.toContain('was empty')
})

it('empty lists stay in question until a check of everyone finds none', async () => {
  const { run, unconnectedApps, conditions } = await runWithEmptied(4)
  const hourLater = await run(twelve)
  expect([hourLater.exit, hourLater.err]).toEqual([
    3,
    expect.stringContaining('nothing for 4 people at once'),
  ])
  for (const email of twelve) unconnectedApps.set(email, TWO)
  conditions.now += 6 * HOUR
  expect((await run(twelve)).exit).toBe(0)
})

it('someone with an empty list and a due reminder is checked once', async () => {
  const installation = setUpInstallation()
  await installation.runForTwelve(TWO, monday)
  installation.checkedEmails.length = 0
  for (const email of twelve.slice(0, 6)) installation.unconnectedApps.set(email, [])
  installation.conditions.now = monday + 7 * DAY
  await installation.run(twelve)
  expect(installation.checkedEmails.toSorted()).toEqual(twelve.toSorted())
})

it('a confirmation of empty lists is audited once', async () => {
  const { keepState } = await runWithEmptied(4, { confirm: { confirm: true } })
  expect((await keepState.load()).actions?.map(({ what }) => what)).toEqual(['confirmed'])
})

it('reminders between two checks of everyone don’t count empty lists as connected', async () => {
  const { run, runForTwelve, people: store } = setUpInstallation()
  await runForTwelve(TWO, monday)
  await runForTwelve(TWO, monday + 7 * DAY - 3 * HOUR)
  const { err } = await runForTwelve([], monday + 7 * DAY)
  expect(err).toContain('lists nothing for 12 people at once')
  await runForTwelve(TWO, monday + 7 * DAY + HOUR)
  await run(twelve)
  expect((await store.get(twelve[0]!))?.accessEvents).toBeUndefined()
})

const LEFT = { slack_1: 'unconnected', jira_1: 'unconnected' } as const
const OFF = { slack_1: 'off', jira_1: 'off' } as const

/** Six people have these apps; the service lists nothing for the first `emptied` of them. */
async function sendWithEmptied(
  emptied: number,
  states: Parameters<typeof withAppStates>[1],
  overrides: Partial<RunDeps> = {},
) {
  const { run, peopleStore } = setUpSendRuns()
  const list = people(6)
  for (const email of list) await peopleStore.change(email, (person) => withAppStates(person, states, 0))
  const isEmpty = (email: string) => list.indexOf(email) < emptied
  const { tally } = await run({
    people: list,
    check: (email) => ({ kind: 'checked', unconnected: isEmpty(email) ? [] : slack }),
    overrideDeps: () => overrides,
  })
  return { tally, first: (await peopleStore.get(list[0]!))! }
}

it.each<[title: string, emptied: number, counts: object, Partial<RunDeps>?]>([
  ['a run', 4, { emptied: 4, sent: 2 }],
  ['a dry run', 3, { emptied: 0, sent: 3 }, { send: undefined }],
])('%s of invite send doesn’t record %i empty lists', async (_title, emptied, counts, overrides) => {
  const { tally, first } = await sendWithEmptied(emptied, LEFT, overrides)
  expect(tally).toMatchObject(counts)
  expect(appsOf(first).map(({ state }) => state)).toEqual(['unconnected', 'unconnected'])
})

it('empty lists of people whose apps were all off are recorded', async () => {
  const { tally, first } = await sendWithEmptied(4, OFF)
  expect(tally.emptied).toBe(0)
  expect(appsOf(first).map(({ state }) => state)).toEqual(['connected', 'connected'])
})

it('a page in an outage of one department leaves no trace once it is over', async () => {
  const {
    run,
    runForTwelve,
    unconnectedApps,
    conditions,
    people: store,
    keepState,
    sentEmails,
  } = setUpInstallation()
  const now = () => conditions.now
  await runForTwelve(TWO, monday)
  for (const email of twelve.slice(0, 6)) unconnectedApps.set(email, [])
  conditions.now = monday + 5 * HOUR
  const progress = new ProgressRecorder(store, createDelistings(keepState, now), { warn: () => {} }, now)
  const visitor = { issuer: 'https://as.example', subject: '0', email: twelve[0]!, emailVerified: true }
  await progress.recordProgress(visitor, newWalk(now()), now())
  conditions.now = monday + 6 * HOUR
  expect((await run(twelve)).err).toContain('lists nothing for 6 people at once')

  await runForTwelve(TWO, monday + DAY)
  await run(twelve)
  const { accessEvents, signedInAt } = (await store.get(twelve[0]!))!
  expect([accessEvents, signedInAt]).toEqual([undefined, monday + 5 * HOUR])
  expect(sentEmails.map(({ subject }) => subject)).not.toContainEqual(expect.stringMatching(/OK again|lost/))
})
