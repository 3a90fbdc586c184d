// The report: states of people, funnel, apps, departments, days and the limit of emails.
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { listPeople, parsePeopleQuery } from '../../src/admin/filters.ts'
import { createPlot } from '../../src/admin/plot.ts'
import { overviewPage } from '../../src/admin/overview.ts'
import { CRITERIA, summarize, summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport, type Report } from '../../src/admin/report.ts'
import type { KeepState, MassDisconnect } from '../../src/people/keep-state.ts'
import { newPerson, withMilestone, withCheck, type Person } from '../../src/people/person.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { crowdOf } from '../helpers/crowd.ts'
import { newKeepState, withAppStates, withEachApp, withEmailState, summaries } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.UTC(2026, 10, 2, 9)
const DAY = 86_400_000
const context = { ...neutralCompany, now: NOW, since: '' }
const reportOf = (...people: Person[]) => createReport(summaries(...people), NOW)

const withApps = (person: Person, states: Parameters<typeof withAppStates>[1], at = NOW) =>
  withAppStates(person, states, at)
const person = newPerson('ada@acme.example', NOW)
const signedIn = withMilestone(person, 'signedInAt', NOW)
const invited = withEmailState(person, 'sent', { now: NOW })
const bounced = withEmailState(person, 'failed', { now: NOW })
const signedInAfterBounce = withMilestone(bounced, 'signedInAt', NOW)

/** The person had connected Slack, and it is listed again. */
const lostApp = (one: Person, lapsedAt: number): Person =>
  withEachApp(withApps(one, { slack_1: 'unconnected' }), { lapsedAt })

const PROGRESS = ['ready', 'inProgress', 'notStarted', 'stuck', 'fellBack'] as const

it.each<[string, Person, (typeof PROGRESS)[number]]>([
  ['not started before they sign in', person, 'notStarted'],
  ['not started, also once they are invited', withApps(invited, { a_1: 'unconnected' }), 'notStarted'],
  [
    'in progress while an app is unconnected',
    withApps(signedIn, { a_1: 'unconnected', b_1: 'connected' }),
    'inProgress',
  ],
  ['in progress where an app was set aside', withApps(signedIn, { a_1: 'skipped' }), 'inProgress'],
  ['ready where everything is connected', withApps(signedIn, { a_1: 'connected' }), 'ready'],
  ['ready where there is nothing to connect', withApps(person, {}), 'ready'],
  ['ready where every unconnected app is switched off', withApps(signedIn, { a_1: 'off' }), 'ready'],
  ['stuck where an app waits for an admin', withApps(signedIn, { a_1: 'blocked' }), 'stuck'],
  ['stuck where a consent never showed', withApps(signedIn, { a_1: 'unconfirmed' }), 'stuck'],
  ['stuck where the newest email bounced', bounced, 'stuck'],
  ['not stuck once a later email has left', withEmailState(bounced, 'sent', { now: NOW + 1 }), 'notStarted'],
  ['not stuck once they sign in', withApps(signedInAfterBounce, { a_1: 'unconnected' }), 'inProgress'],
])('the progress of a person is %s', (_title, ada, progress) => {
  const summary = summarize(ada)
  expect(PROGRESS.filter((fact) => CRITERIA[fact](summary))).toEqual([progress])
})

it('each person is in exactly one state, and the counts add up to everyone', async () => {
  const hasLostAccess = lostApp({ ...signedIn, finishedAt: NOW - 9 * DAY }, NOW - DAY)
  const report = await reportOf(...crowdOf(500, NOW), hasLostAccess)
  const { ready, inProgress, notStarted, stuck, fellBack } = report
  expect(ready + inProgress + notStarted + stuck + fellBack).toBe(report.people)
  for (const progress of PROGRESS) expect(report[progress]).toBeGreaterThan(0)
})

const finished = { ...signedIn, finishedAt: NOW - 9 * DAY }
const withNewApp = withApps(finished, { a_1: 'unconnected' })
const fallenBack = lostApp(finished, NOW - DAY)

it('a person whose app is listed again is no longer ready', async () => {
  const report = await reportOf(withNewApp, fallenBack)
  expect(report).toMatchObject({ ready: 0, finished: 0, inProgress: 1, fellBack: 1 })
  expect(createPlot(report, [], NOW)?.lines.find(({ what }) => what === 'ready')?.total).toBe(0)
})

it('a person whose app is listed again keeps the day of finishing', async () => {
  const report = await reportOf(withNewApp, fallenBack)
  expect(report.days.map((row) => [row.day, row.finished, row.fellBack])).toEqual([
    ['2026-10-24', 2, 0],
    ['2026-11-01', 0, 1],
    ['2026-11-02', 0, 0],
  ])
})

it('every email about apps left to connect counts on its day, whatever came after', async () => {
  type Sent = [campaign: string, reminder: number, state: 'sent' | 'unknown' | 'failed', day: number]
  const emailed = (email: string, ...sent: Sent[]) =>
    sent.reduce(
      (one, [campaign, reminder, state, day]) =>
        withEmail(one, { campaign, reminder, state, now: NOW - day * DAY }),
      { ...withNewApp, email },
    )
  const twice = emailed('ada@acme.example', ['c', 0, 'sent', 9], ['c', 1, 'sent', 4], ['c', 2, 'sent', 1])
  const hasConnected = withCheck(twice, { checkedAt: NOW + 1, unconnected: [] }, NOW + 1)
  const others = emailed('bob@acme.example', ['lapses', 0, 'sent', 4], ['new-apps', 0, 'unknown', 1])
  const none = emailed('eve@acme.example', ['c', 1, 'failed', 4], ['approvals', 1, 'sent', 4])

  const people = [hasConnected, { ...twice, email: 'dan@acme.example' }, others, none]
  const all = await reportOf(...people)
  const later = await createReport(summaries(...people), NOW, { since: NOW - 4 * DAY })

  const remindedIn = (report: Report) =>
    report.days.flatMap(({ day, reminded }) => (reminded > 0 ? [[day, reminded]] : []))
  const lastDay = ['2026-11-01', 3]
  expect(remindedIn(all)).toEqual([['2026-10-29', 3], lastDay])
  expect(remindedIn(later), 'No email of that moment itself').toEqual([lastDay])
})

it('a person signed in on a day in UTC, wherever the server is', async () => {
  const someone = withApps(person, { a_1: 'unconnected' })
  const evening = { ...someone, signedInAt: Date.parse('2026-11-02T15:00:00Z') }
  expect(new Date(evening.signedInAt).getDate()).toBe(3)
  expect((await reportOf(evening)).days.map(({ day }) => day)).toEqual(['2026-11-02'])
})

it('a person off the list, or unknown to the service, is counted separately', async () => {
  const left = { email: 'left@acme.example', leftAt: NOW }
  const formerPerson = { ...withApps(signedIn, { a_1: 'blocked' }), ...left }
  const report = await reportOf(formerPerson, { ...bounced, unknownAt: NOW }, person)
  expect(report).toMatchObject({ people: 1, notStarted: 1, stuck: 0, failed: 0, gone: 2 })
  const shown = async (show: string, q = '') =>
    (await listPeople(summaries(formerPerson, person), parsePeopleQuery({ show, q }, NOW))).total
  expect(await shown('all')).toBe(1)
  expect(await shown('all', formerPerson.email)).toBe(1)
  expect(await shown('blocked', formerPerson.email)).toBe(0)
  expect(await shown('blocked')).toBe(0)
  expect(await shown('gone')).toBe(1)
})

it('a day counts people who had connected everything and were gone on it', async () => {
  const ready = withApps(signedIn, { a_1: 'connected', b_1: 'off' }, NOW - 9 * DAY)
  const open = withApps(signedIn, { a_1: 'connected', b_1: 'unconnected' }, NOW - 9 * DAY)
  const [leftAt, unknownAt] = [NOW - DAY, NOW - 4 * DAY]
  const emailed = withEmail(
    { ...ready, leftAt },
    { campaign: 'lapses', reminder: 0, state: 'sent', now: NOW },
  )
  const lapsedBeforeLeaving = { ...open, finishedAt: unknownAt, leftAt }
  const others = [{ ...open, leftAt }, { ...person, leftAt }, ready]
  const people = [emailed, { ...ready, unknownAt }, lapsedBeforeLeaving, ...others]

  const [all, later] = await Promise.all([
    reportOf(...people),
    createReport(summaries(...people), NOW, { since: unknownAt }),
  ])

  const changesIn = ({ days }: typeof all) =>
    days.flatMap(({ day, left, reminded }) => (left + reminded ? [[day, left, reminded]] : []))
  const lastDay = ['2026-11-01', 2, 0]
  expect(changesIn(all)).toEqual([['2026-10-29', 1, 0], lastDay])
  expect(changesIn(later)).toEqual([lastDay])
})

it('a day counts everyone added to the list on it, or first gone', async () => {
  const added = { ...person, listedAt: NOW - 4 * DAY }
  const unknown = { ...added, unknownAt: NOW - 4 * DAY }
  const { days } = await reportOf(
    added,
    unknown,
    { ...unknown, leftAt: NOW },
    { ...added, leftAt: NOW - DAY },
  )
  expect(days).toMatchObject([
    { day: '2026-10-29', added: 4, gone: 2, left: 0 },
    { day: '2026-11-01', added: 0, gone: 1, left: 0 },
  ])
})

it('the report counts each person in every step that they reached', async () => {
  const ada = { ...withApps(invited, { slack_1: 'unconnected' }), signedInAt: NOW + DAY }
  const invitedBob = withEmailState(newPerson('bob@acme.example', NOW), 'sent', { now: NOW + DAY })
  const bob = withApps(invitedBob, { slack_1: 'connected' }, NOW + DAY)
  const report = await reportOf(ada, bob)
  expect(report).toMatchObject({ people: 2, invited: 2, signedIn: 1, finished: 1, uncertain: 0 })
  expect(report.asOf).toBe(new Date(NOW).toISOString())
  expect(report.datasources).toMatchObject([{ instance: 'slack_1', counts: { waiting: 1, connected: 1 } }])
  expect(report.days).toMatchObject([
    { day: '2026-11-02', invited: 1, signedIn: 0, finished: 0 },
    { day: '2026-11-03', invited: 1, signedIn: 1, finished: 1 },
  ])
})

it('the report counts people with nothing to connect separately', async () => {
  const done = withApps(newPerson('bob@acme.example', NOW), { slack_1: 'connected' })
  const report = await reportOf(withApps(invited, {}), { ...done, signedInAt: NOW })
  expect(report).toMatchObject({ nothing: 1, finished: 1, ready: 2, invited: 1, signedIn: 1 })
  expect(report.ofInvited).toEqual({ opened: 0, signedIn: 0, finished: 0, nothing: 1, ready: 1 })
})

it('the report counts the outcome of the newest email to each person', async () => {
  const late = withEmailState(invited, 'deferred', { reminder: 1, now: NOW + DAY })
  const refused = withEmailState(invited, 'failed', { reminder: 1, now: NOW + DAY })
  const arrived = withEmailState(refused, 'sent', { campaign: 'd', now: NOW + 2 * DAY })
  const counts = { people: 3, invited: 3, reminded: 0, deferred: 1, failed: 1 }
  expect(await reportOf(late, refused, arrived)).toMatchObject(counts)
})

it('the report lists the most awaited apps first, and counts unconfirmed consents', async () => {
  const { datasources, ...report } = await reportOf(
    withApps(signedIn, { github_1: 'unconnected', slack_1: 'unconnected' }),
    withApps(signedIn, { slack_1: 'unconfirmed' }),
  )
  expect(datasources.map(({ instance, unconfirmed }) => [instance, unconfirmed])).toEqual([
    ['slack_1', 1],
    ['github_1', 0],
  ])
  expect(report).toMatchObject({ stuck: 1, unconfirmed: 1, inProgress: 1 })
})

it('the report counts people due for an email now, and the others with their date', async () => {
  const after = (days: number, reminder = 0) =>
    withEmailState(person, 'sent', { reminder, now: NOW - days * DAY })
  const optedOut = { ...after(30), optedOutAt: NOW }
  const unsure = withEmailState(person, 'unknown', { now: NOW - 30 * DAY })
  const started = withApps(signedIn, { a_1: 'unconnected' })
  const limited = [3, 8].map((days) => {
    const emails = [1, 1, 2, 2].map(
      (reminder) => ({ reminder, state: 'sent', at: NOW - days * DAY }) as const,
    )
    return { ...person, campaigns: [{ name: 'lapses', emails }] }
  })
  const onHold = withApps(after(7), { slack_1: 'unconnected', jira_1: 'connected' })
  const others = [after(30, 3), unsure, optedOut, started, onHold, ...limited]
  const mass = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, lapsed: 9, had: 10 }
  const all = summarizeAll(Readable.from([person, after(7), after(0), after(2), ...others]), {
    massDisconnects: [mass],
  })
  expect(await createReport(all, NOW)).toMatchObject({
    due: 2,
    dueLater: { count: 2, from: new Date(NOW + 5 * DAY).toISOString() },
  })
})

it('the funnel counts observed steps of people with apps to connect, so it may widen', async () => {
  const half = withApps(withEmailState(signedIn, 'sent', { now: NOW }), {
    slack_1: 'connected',
    github_1: 'unconnected',
  })
  // Connected elsewhere, without a sign-in here.
  const elsewhere = withApps(invited, { slack_1: 'connected' })

  const report = await reportOf(
    withApps(withMilestone(invited, 'openedAt', NOW), {}),
    half,
    elsewhere,
    person,
  )

  expect(report.funnel).toEqual({ invited: 2, opened: 0, signedIn: 1, connecting: 2, finished: 1 })
  expect(report).toMatchObject({ hadToConnect: 2, nothing: 1, unchecked: 1, opened: 1 })
  expect(report).toMatchObject({ notInvited: 1, inProgressApps: { all: 2, connected: 1 } })
  expect(report.lastEmailAt).toBe(new Date(NOW).toISOString())
})

it('someone who opted out before an invitation isn’t one to invite', async () => {
  const people = [undefined, NOW].map((at) => ({ ...person, ...(at && { optedOutAt: at }) }))
  expect(await reportOf(...people)).toMatchObject({ notStarted: 2, notInvited: 1 })
})

const question = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 9 }
const COUNTED = { isShown: true, all: 2, details: ['50% of the apps they were asked for are connected'] }
const NOT_COUNTED = { isShown: false, all: 1, details: [] }
// prettier-ignore
it.each<[string, Partial<KeepState>, typeof COUNTED]>([
  ['in question is in no figure', { delistedApps: [question] }, NOT_COUNTED],
  ['marked as removed is in no figure', { delistedApps: [{ ...question, markedRemovedAt: NOW }] }, NOT_COUNTED],
  ['marked as connected is counted', { delistedApps: [{ ...question, markedConnectedAt: NOW }] }, COUNTED],
  ['on hold is counted', { delistedApps: [question], massDisconnects: [{ ...question, lapsed: 9, had: 9 }] }, COUNTED],
])(
  'an app %s, also for people who still have it listed',
  async (_title, given, { isShown, all, details }) => {
    const half = withApps(signedIn, { slack_1: 'unconnected', jira_1: 'connected' })
    const state = { ...newKeepState(), ...given }
    const report = await createReport(summaries(half), NOW, { state })
    const { datasources, inProgressApps } = report

    expect(datasources.some(({ instance }) => instance === 'slack_1')).toBe(isShown)
    expect(inProgressApps).toEqual({ all, connected: 1 })
    const { stats } = overviewPage(report, state, t, context)
    expect(stats[1]).toMatchObject({ state: 'inProgress', count: 1, details })
  },
)

// prettier-ignore
it.each([
  { what: 'as new', campaign: 'new-apps', state: 'connected', change: {}, count: 1 },
  { what: 'as lost, and it is connected again', campaign: 'lapses', state: 'connected', change: {}, count: 0 },
  { what: 'as lost', campaign: 'lapses', state: 'unconnected', change: { lapsedAt: NOW - DAY }, count: 1 },
  { what: 'as lost before they lost it once more', campaign: 'lapses', state: 'unconnected', change: { lapsedAt: NOW + 1 }, count: 0 },
  { what: 'as lost, and it is new since', campaign: 'lapses', state: 'unconnected', change: { newAt: NOW - DAY }, count: 0 },
] as const)('an app counts who was emailed about it $what', async ({ campaign, state, change, count }) => {
  const ada = withEachApp(withApps(invited, { slack_1: state }), change)
  const emailed = withEmail(ada, { campaign, reminder: 0, state: 'sent', now: NOW, apps: ['slack_1'] })
  expect((await reportOf(emailed)).datasources).toMatchObject([{ emailed: count }])
})

it('a person has returned once every lost app is connected again, on the last day', async () => {
  const answered = (days: number, ...instances: string[]) => ({
    checkedAt: NOW + days * DAY,
    unconnected: instances.map((instance) => ({ instance, name: instance, status: 'awaiting' as const })),
  })
  const walk = [
    answered(0, 'a_1', 'b_1'),
    answered(1),
    answered(2, 'a_1', 'b_1'),
    answered(3, 'b_1'),
    answered(4),
  ]
  const reports = walk.map((_, last) =>
    createReport(
      summaries(
        walk.slice(0, last + 1).reduce((one, check) => withCheck(one, check, check.checkedAt), person),
      ),
      NOW + 9 * DAY,
      { since: NOW + 3 * DAY },
    ),
  )

  const all = await Promise.all(reports)

  const returnedIn = ({ days }: Report) => days.reduce((sum, { returned }) => sum + returned, 0)
  expect(all.map(returnedIn)).toEqual([0, 0, 0, 0, 1])
  expect(all.at(-1)?.days.find(({ returned }) => returned > 0)?.day).toBe('2026-11-06')
})

const members = (group: string, count: number, member = person) =>
  Array.from({ length: count }, () => ({ ...member, group }))
const shownOf = async (...people: Person[]) => (await reportOf(...people)).groups

it('department figures combine departments of fewer than five people, to protect their identity', async () => {
  const five = members('Five', 5)
  expect(await shownOf(...members('Four', 4, signedIn), ...members('One', 1), ...five, person)).toMatchObject(
    [
      { name: 'Five', people: 5, notStarted: 5 },
      { name: undefined, people: 5, signedIn: 4, inProgress: 4, notStarted: 1 },
    ],
  )
  const groups = await shownOf(...five, ...members('Two', 2), ...members('One', 1))
  expect(groups.map(({ name }) => name)).toEqual(['Five'])
})

it('departments are sorted by the lowest share of finished people', async () => {
  const done = withApps(person, {})
  const half = [...members('Half', 3), ...members('Half', 3, done)]
  expect(
    (await shownOf(...members('Done', 6, done), ...members('Not begun', 6), ...half)).map(({ name }) => name),
  ).toEqual(['Not begun', 'Half', 'Done'])
})

it.each([
  [3, 'don’t wait', 0],
  [4, 'wait', 1],
])('people with %i emails this quarter %s for the limit', async (emails, _title, limited) => {
  const emailed = Array.from({ length: emails }).reduce<Person>(
    (before, _one, reminder) =>
      withEmail(before, { campaign: 'onboarding', reminder, state: 'sent', now: NOW - DAY }),
    person,
  )

  const open = withEachApp(withApps(emailed, { slack_1: 'unconnected' }), { newAt: NOW })
  const { datasources, ...report } = await reportOf(
    open,
    { ...open, signedInAt: NOW },
    { ...open, leftAt: NOW },
  )
  const { stats } = overviewPage({ ...report, datasources }, newKeepState(), t, context)

  expect(datasources).toMatchObject([{ instance: 'slack_1', limited: 2 * limited }])
  const waiting = stats.filter(({ details }) => details.includes('At the limit of four emails a quarter (1)'))
  expect(waiting.map(({ state }) => state)).toEqual(limited ? ['inProgress', 'notStarted'] : [])
})

it.each([
  { what: 'a new app', limited: 1, change: { newAt: NOW } },
  { what: 'a lost app', limited: 1, change: { lapsedAt: NOW } },
  { what: 'an app that was named before the loss', limited: 1, change: { lapsedAt: NOW }, invitedAt: NOW },
  { what: 'an app that no further email is about', limited: 0, change: {} },
  { what: 'a new app that they set aside', limited: 0, change: { newAt: NOW }, state: 'skipped' },
  { what: 'a new app that the invitation named', limited: 0, change: { newAt: NOW }, invitedAt: NOW },
] as const)(
  'someone at the limit with $what counts as $limited waiting',
  async ({ limited, change, invitedAt = NOW - DAY, state = 'unconnected' as const }) => {
    const sent = { state: 'sent' as const, at: invitedAt, reminder: 0, apps: ['slack_1'] }
    const campaigns = [{ name: 'onboarding', emails: Array.from({ length: 4 }, () => sent) }]
    const atLimit = withEachApp(withApps({ ...person, campaigns }, { slack_1: state }), change)
    expect((await reportOf(atLimit)).datasources).toMatchObject([{ limited }])
  },
)

const [heldSince, releasedAt] = [NOW - 3 * DAY, NOW - DAY]

// prettier-ignore
it.each<{ what: string; waiting: number; otherEmails: number; slackEmailAt?: number; hold: Partial<MassDisconnect> }>([
  { what: 'three emails', waiting: 0, otherEmails: 3, hold: { resumedAt: NOW } },
  { what: 'four emails', waiting: 1, otherEmails: 4, hold: { resumedAt: NOW } },
  { what: 'four emails, one of them about it', waiting: 0, otherEmails: 3, slackEmailAt: releasedAt, hold: { resumedAt: NOW } },
  { what: 'four emails, one of them about an earlier loss', waiting: 1, otherEmails: 3, slackEmailAt: releasedAt - 1, hold: { resumedAt: NOW } },
  { what: 'four emails, in a hold that goes on', waiting: 0, otherEmails: 4, hold: {} },
  { what: 'four emails, with a loss before the hold', waiting: 0, otherEmails: 4, hold: { resumedAt: NOW, since: releasedAt + 1 } },
  { what: 'four emails, with a loss after the release', waiting: 0, otherEmails: 4, hold: { resumedAt: releasedAt } },
])(
  'after $what, $waiting people of a released hold wait for the limit',
  async ({ waiting, otherEmails, slackEmailAt, hold }) => {
    const sent = (at: number, apps: string[] = []) => ({ state: 'sent' as const, at, reminder: 0, apps })
    const emails = Array.from({ length: otherEmails }, () => sent(NOW - 2 * DAY))
    const lapses = slackEmailAt === undefined ? [] : [sent(slackEmailAt, ['slack_1'])]
    const campaigns = [{ name: 'onboarding', emails }, { name: 'lapses', emails: lapses }]
    const adaWithoutSlack = lostApp({ ...signedIn, campaigns }, releasedAt)
    const slackHold = { instance: 'slack_1', name: 'Slack', lapsed: 9, had: 9, noticedAt: NOW - DAY, since: heldSince }
    const state = { ...newKeepState(), massDisconnects: [{ ...slackHold, ...hold }] }

    const { datasources } = await createReport(summarizeAll(Readable.from([adaWithoutSlack]), state), NOW)

    const isEmailed = Number(slackEmailAt === releasedAt)
    expect(datasources).toMatchObject([{ lapsed: 1, releasedLimited: waiting, releasedEmailed: isEmailed }])
  },
)

it.each<[title: string, emailedAt: number, hold: Partial<MassDisconnect>, releasedEmailed: number]>([
  ['after an email about its loss is one of the emailed people', releasedAt, { resumedAt: NOW }, 1],
  ['after an earlier email isn’t one of the emailed people', heldSince, { resumedAt: NOW }, 0],
  ['isn’t one of the emailed people during a hold', releasedAt, {}, 0],
])('someone who has Slack again %s', async (_title, at, hold, releasedEmailed) => {
  const emails = [{ state: 'sent' as const, at, reminder: 0, apps: ['slack_1'] }]
  const has = withApps({ ...signedIn, campaigns: [{ name: 'lapses', emails }] }, { slack_1: 'connected' })
  const hadLost = withEachApp(has, { previousLapsedAt: releasedAt })
  const slackHold = {
    instance: 'slack_1',
    name: 'Slack',
    lapsed: 9,
    had: 9,
    noticedAt: NOW - DAY,
    since: heldSince,
  }
  const state = { ...newKeepState(), massDisconnects: [{ ...slackHold, ...hold }] }

  const { datasources } = await createReport(summarizeAll(Readable.from([hadLost]), state), NOW)

  expect(datasources).toMatchObject([{ lapsed: 0, onHold: 0, releasedEmailed }])
})

it('a report has the newest rejected email', async () => {
  const failed = (email: string, at: number) => withEmailState({ ...person, email }, 'failed', { now: at })
  const sent = withEmailState({ ...person, email: 'eve@acme.example' }, 'sent', { now: NOW })
  const [ada, bob] = [failed('ada@acme.example', NOW - 1), failed('bob@acme.example', NOW - 2)]
  expect((await reportOf(bob, ada, sent)).lastFailed).toEqual({ at: NOW - 1, email: 'ada@acme.example' })
})
