// Runs of `onramp keep` after an operator answered that an app was removed, or hid it.
import { expect, it } from 'vitest'
import { compareSince, describeComparison } from '../../src/admin/comparison.ts'
import { withCompanyNames } from '../../src/admin/unique-names.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport, utcDay } from '../../src/admin/report.ts'
import { openPeople } from '../../src/cli/store.ts'
import { resolveCompany, type Company } from '../../src/company/company.ts'
import { withConsents } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'
import {
  ADA,
  DAY,
  HOUR,
  setUpInstallation,
  type Installation,
  monday,
  runMassDisconnect,
  twelve,
} from './installation.ts'

const slackHidden = { company: resolveCompany({ datasources: { slack: { hidden: true } } }, new Map()) }
/** The last one never connects anything. */
const thirteen = [...twelve, ADA]

async function signInAll({ people }: Installation, at = monday + DAY) {
  for (const email of twelve) await people.change(email, (person) => ({ ...person, signedInAt: at }))
}

const ANSWERS: [title: string, listed: string[], answer: object, events: string[]][] = [
  ['was removed', [], { removed: ['slack_1'] }, ['removed', 'listed', 'new']],
  ['was hidden after it had left the lists', [], slackHidden, ['hidden', 'shown', 'new']],
  ['was hidden', ['slack_1'], slackHidden, ['hidden', 'shown', 'new']],
]

/** Twelve people lose Slack. An operator answers while it is `listed`, and then it is on all thirteen lists again. */
async function answerLoss(listed: string[], answer: object) {
  const installation = setUpInstallation()
  installation.names.set('slack_1', 'Slack')
  const sweep = async (apps: string[], given = {}) => {
    for (const email of thirteen) installation.unconnectedApps.set(email, apps)
    installation.conditions.now += 6 * HOUR
    return (await installation.run(thirteen, given)).exit
  }

  await runMassDisconnect(['slack_1'], installation)
  await signInAll(installation)
  await sweep(['slack_1'])
  await sweep(listed)
  const during = await installation.keepState.load()
  installation.sentEmails.length = 0

  const exits = [await sweep(listed, answer)]
  for (let runs = 0; runs < 6; runs++) exits.push(await sweep(['slack_1']))
  return { ...installation, during, exits, after: await installation.keepState.load() }
}

/** The loss is lived once for all tests about an answer, which only read it. */
const answeredLosses = new Map<string, ReturnType<typeof answerLoss>>()
function answeredLoss(title: string, listed: string[], answer: object) {
  const loss = answeredLosses.get(title) ?? answerLoss(listed, answer)
  answeredLosses.set(title, loss)
  return loss
}

it.each(ANSWERS)('an app that %s during a hold comes back as new', async (title, listed, answer, events) => {
  const { during, exits, after } = await answeredLoss(title, listed, answer)
  expect(during.massDisconnects).toHaveLength(1)
  expect(exits).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(after).toMatchObject({ massDisconnects: [], delistedApps: [] })
  expect(after.appEvents?.map(({ what }) => what)).toEqual(events)
  expect(after.days.at(-1)).toMatchObject({ fellBack: 0 })
})

it.each(ANSWERS)('a person keeps the one loss of an app that %s during a hold', async (title, ...given) => {
  const { people } = await answeredLoss(title, given[0], given[1])
  const { lastCheck, accessEvents } = (await people.get(twelve[0]!))!
  const events = accessEvents?.map(({ what, instance }) => `${what} ${instance}`)
  expect(events).toEqual(['lost slack_1', 'listed slack_1'])
  const record = lastCheck?.apps[0]
  expect(record).toMatchObject({ status: 'awaiting', newAt: expect.any(Number) as number })
  expect(record).not.toHaveProperty('lapsedAt')
})

it.each(ANSWERS)('an app that %s during a hold is announced as new', async (title, listed, answer) => {
  const { subjectsTo } = await answeredLoss(title, listed, answer)
  expect(twelve.flatMap(subjectsTo)).toEqual(twelve.map(() => 'Slack is new in search'))
})

const withHidden = (...hidden: string[]) => {
  const datasources = Object.fromEntries(hidden.map((instance) => [instance, { hidden: true }]))
  return { company: resolveCompany({ datasources }, new Map()) }
}
const replacing = (hidden: boolean) => ({
  company: resolveCompany({ datasources: { slack_2: { replaces: 'slack_1', hidden } } }, new Map()),
})

/** Notion is new for twelve people, who connected Slack before. */
async function addNotion({ run, unconnectedApps, conditions, people }: Installation) {
  for (const email of twelve) unconnectedApps.set(email, ['slack_1'])
  conditions.now = monday - 8 * HOUR
  await run(twelve)
  conditions.now = monday + 2 * DAY
  for (const email of twelve) await people.change(email, (one) => withConsents(one, monday + DAY))
}

const loseSlack = (installation: Installation) => runMassDisconnect(['jira_1', 'slack_1'], installation)

type HiddenApp = {
  name: 'Notion' | 'Slack'
  happens: (installation: Installation) => Promise<unknown>
  /** The instance that lists have since then. */
  listed: string
  hiding: { company: Company }
  /** The company file that shows it again. */
  showing?: { company?: Company }
}

/** Hides an app a day after something has happened to it, and shows it two days later. */
async function hideAndShow({ name, happens, listed, hiding, showing = {} }: HiddenApp) {
  const installation = setUpInstallation()
  for (const app of ['slack_1', 'slack_2']) installation.names.set(app, 'Slack')
  installation.names.set('notion_1', 'Notion')
  await happens(installation)
  await signInAll(installation)
  for (const email of twelve) installation.unconnectedApps.set(email, [listed])
  const runFor = async (days: number, options: { company?: Company } = {}) => {
    for (let runs = 0; runs < days * 4; runs++) {
      installation.conditions.now += 5 * HOUR
      await installation.run(twelve, options)
    }
    const { now } = installation.conditions
    const { company = resolveCompany({}, new Map()) } = options
    const store = openPeople({ ...installation, now: () => now }, company)
    const state = await installation.keepState.load()
    const report = await createReport(summarizeAll(store.all(), state), now)
    const shown = withCompanyNames(report, state, company, 'en')
    const compared = compareSince(shown.report, shown.keepState, now, utcDay(now - (days + 1) * DAY))
    const lines = compared === undefined ? [] : describeComparison(compared, t)
    return { report, state, lines: lines.map((line) => line.replace('\u00a0(2)', '')) }
  }
  installation.sentEmails.length = 0
  await runFor(1)
  const emailedBefore = twelve.flatMap(installation.subjectsTo)
  const hidden = await runFor(2, hiding)
  const shown = await runFor(3, showing)

  expect(emailedBefore.filter((subject) => subject.startsWith('Slack'))).toEqual([])
  // Hiding all instances of an app is an answer about each.
  const answers = hidden.lines.filter((line) => line.includes('was '))
  expect(new Set(answers)).toEqual(new Set([`${name} was hidden`]))
  expect(hidden.lines.join()).not.toMatch(/on hold|gone from/)
  expect([hidden.report.fellBack, shown.report.fellBack]).toEqual([0, 0])
  expect(shown.state.massDisconnects).toEqual([])
  expect(installation.sentEmails.some(({ subject }) => /needs your OK again|has moved/.test(subject))).toBe(
    false,
  )
  const announcementsTo = (email: string) =>
    installation.subjectsTo(email).filter((subject) => / is new /.test(subject))
  return { shown, announcementsTo }
}

const slack = { name: 'Slack', happens: loseSlack } as const
it.each<[string, HiddenApp]>([
  ['new', { name: 'Notion', happens: addNotion, listed: 'notion_1', hiding: withHidden('notion_1') }],
  ['lost', { ...slack, listed: 'slack_1', hiding: slackHidden }],
  ['lost and moved', { ...slack, listed: 'slack_2', hiding: withHidden('slack_2') }],
  ['lost and moved, in all instances', { ...slack, listed: 'slack_2', hiding: slackHidden }],
  ['lost and replaced', { ...slack, listed: 'slack_2', hiding: replacing(true), showing: replacing(false) }],
])('an app hidden after it was %s is new once shown, without losses', async (_title, app) => {
  const { shown, announcementsTo } = await hideAndShow(app)

  for (const email of twelve) expect(announcementsTo(email).length).toBeGreaterThan(0)
  expect(shown.lines[0]).toMatch(new RegExp(`12 fewer ready: ${app.name}.* is new$`))
  expect(shown.lines.filter((line) => line.includes(app.name))).toEqual([
    shown.lines[0],
    `${app.name} is new for 12 people`,
    `${app.name} is shown again`,
  ])
})

it('an app whose former instance was hidden after a move is announced, without losses', async () => {
  const { announcementsTo } = await hideAndShow({
    ...slack,
    listed: 'slack_2',
    hiding: withHidden('slack_1'),
  })
  for (const email of twelve) expect(announcementsTo(email).length).toBeGreaterThan(0)
})

// prettier-ignore
it.each([
  { what: 'stays removed for as many people as still lack it', count: 4, newcomerCount: 0, removals: 1, emails: 0 },
  { what: 'is new for more people than still lack it', count: 5, newcomerCount: 0, removals: 0, emails: 5 },
  { what: 'stays removed for as many newcomers', count: 0, newcomerCount: 4, removals: 1, emails: 0 },
  { what: 'is new for more newcomers', count: 0, newcomerCount: 5, removals: 0, emails: 0 },
])('a removed app that is back $what', async ({ count, newcomerCount, removals, emails }) => {
  const installation = setUpInstallation()
  installation.names.set('slack_1', 'Slack')
  const [lacking, having] = [twelve.slice(0, 4), twelve.slice(4)]
  const added = Array.from({ length: 5 }, (_, number) => `new${number}@acme.example`)
  const sweep = async (listed: readonly string[], given = {}, list = twelve) => {
    for (const email of list)
      installation.unconnectedApps.set(email, listed.includes(email) ? ['slack_1'] : [])
    installation.conditions.now += 6 * HOUR
    return await installation.run(list, given)
  }
  installation.conditions.now = monday - 8 * HOUR
  await sweep(twelve)
  for (const email of having)
    await installation.people.change(email, (one) => withConsents(one, monday + HOUR))
  await signInAll(installation, monday)
  await sweep(lacking)
  await sweep(lacking)
  const state = await installation.keepState.load()
  const [since, noticedAt] = [installation.conditions.now, installation.conditions.now + 6 * HOUR]
  await sweep([])
  const removed = {
    instance: 'slack_1',
    name: 'Slack',
    since,
    noticedAt,
    people: 4,
    markedRemovedAt: noticedAt,
  }
  await installation.keepState.save({
    ...state,
    ...(await installation.keepState.load()),
    delistedApps: [removed],
  })

  installation.sentEmails.length = 0
  const back = [...having.slice(0, count), ...added.slice(0, newcomerCount)]
  for (let runs = 0; runs < 5; runs++) await sweep(back, {}, [...twelve, ...back.slice(count)])

  expect((await installation.keepState.load()).delistedApps).toHaveLength(removals)
  expect(twelve.flatMap(installation.subjectsTo)).toEqual(Array(emails).fill('Slack is new in search'))
})
