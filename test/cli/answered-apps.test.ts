// Runs of `onramp keep` after an operator answered that an app was removed, or hid it.
import { expect, it } from 'vitest'
import { compareSince, describeComparison } from '../../src/admin/comparison.ts'
import { withCompanyNames } from '../../src/admin/overview.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport, utcDay } from '../../src/admin/report.ts'
import { openPeople } from '../../src/cli/store.ts'
import { resolveCompany, type Company } from '../../src/company/company.ts'
import { withConsents } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'
import { ADA, DAY, HOUR, installation, monday, runMassDisconnect, twelve } from './installation.ts'

const slackHidden = { company: resolveCompany({ datasources: { slack: { hidden: true } } }, new Map()) }
/** The last one never connects anything. */
const thirteen = [...twelve, ADA]

it.each([
  ['was removed', [], { removed: ['slack_1'] }, ['removed', 'listed', 'new']],
  ['was hidden after it had left the lists', [], slackHidden, ['hidden', 'shown', 'new']],
  ['was hidden', ['slack_1'], slackHidden, ['hidden', 'shown', 'new']],
])('an app that %s during a hold comes back as new, without losses', async (_how, listed, answer, events) => {
  const rollout = installation()
  rollout.names.set('slack_1', 'Slack')
  await runMassDisconnect(['slack_1'], rollout)
  for (const email of twelve)
    await rollout.people.change(email, (person) => ({ ...person, signedInAt: monday + DAY }))
  const sweep = async (apps: string[], given = {}) => {
    for (const email of thirteen) rollout.unconnectedApps.set(email, apps)
    rollout.conditions.now += 6 * HOUR
    return await rollout.run(thirteen, given)
  }
  await sweep(['slack_1'])
  await sweep(listed)
  const before = await rollout.keepState.load()
  rollout.sentEmails.length = 0
  const answered = await sweep(listed, answer)
  const outputs = []
  for (let runs = 0; runs < 6; runs++) outputs.push(await sweep(['slack_1']))
  const { massDisconnects, delistedApps, days, appEvents = [] } = await rollout.keepState.load()

  expect(before.massDisconnects).toHaveLength(1)
  expect([answered, ...outputs].map(({ exit }) => exit)).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect([massDisconnects, delistedApps]).toEqual([[], []])
  expect(appEvents.map(({ what }) => what)).toEqual(events)
  expect(days.at(-1)).toMatchObject({ fellBack: 0 })
  const { lastCheck, accessEvents } = (await rollout.people.get(twelve[0]!))!
  expect(accessEvents?.map(({ what, instance }) => `${what} ${instance}`)).toEqual([
    'lost slack_1',
    'listed slack_1',
  ])
  const record = lastCheck?.apps[0]
  expect(record).toMatchObject({ status: 'awaiting', newAt: expect.any(Number) as number })
  expect(record).not.toHaveProperty('lapsedAt')
  const subjects = twelve.flatMap(rollout.subjectsTo)
  expect(subjects).toEqual(twelve.map(() => 'Slack is new in search'))
})

const withHidden = (...hidden: string[]) => {
  const datasources = Object.fromEntries(hidden.map((instance) => [instance, { hidden: true }]))
  return { company: resolveCompany({ datasources }, new Map()) }
}
const replacing = (hidden: boolean) => ({
  company: resolveCompany({ datasources: { slack_2: { replaces: 'slack_1', hidden } } }, new Map()),
})

/** Rows: what happened to the app, the lists, the company file that hides it, and the one once it is back. */
it.each<[string, string, string, object, object]>([
  ['new, then hidden', 'Notion', 'notion_1', withHidden('notion_1'), {}],
  ['lost, then hidden', 'Slack', 'slack_1', slackHidden, {}],
  ['lost, moved, and hidden there', 'Slack', 'slack_2', withHidden('slack_2'), {}],
  ['lost, moved, and hidden before and after', 'Slack', 'slack_2', slackHidden, {}],
  ['lost, replaced, and hidden', 'Slack', 'slack_2', replacing(true), replacing(false)],
  ['lost, moved, and the former one hidden', 'Slack', 'slack_2', withHidden('slack_1'), {}],
])('after an answer nothing is lost, and the app is new: %s', async (what, name, listed, answer, given) => {
  const rollout = installation()
  for (const app of ['slack_1', 'slack_2']) rollout.names.set(app, 'Slack')
  rollout.names.set('notion_1', 'Notion')
  if (name === 'Slack') await runMassDisconnect(['jira_1', 'slack_1'], rollout)
  else {
    await rollout.runForTwelve(['slack_1'], monday - 8 * HOUR)
    rollout.conditions.now = monday + 2 * DAY
    for (const email of twelve) await rollout.people.change(email, (one) => withConsents(one, monday + DAY))
  }
  for (const email of twelve)
    await rollout.people.change(email, (person) => ({ ...person, signedInAt: monday + DAY }))
  for (const email of twelve) rollout.unconnectedApps.set(email, [listed])
  const see = async (days: number, options = {}) => {
    for (let runs = 0; runs < days * 4; runs++) {
      rollout.conditions.now += 5 * HOUR
      await rollout.run(twelve, options)
    }
    const { now } = rollout.conditions
    const company = 'company' in options ? (options.company as Company) : resolveCompany({}, new Map())
    const store = openPeople({ ...rollout, now: () => now }, company)
    const state = await rollout.keepState.load()
    const report = await createReport(summarizeAll(store.all(), state), now)
    const shown = withCompanyNames(report, state, company, 'en')
    const compared = compareSince(shown.report, shown.keepState, now, utcDay(now - (days + 1) * DAY))
    return { report, state, lines: compared === undefined ? [] : describeComparison(compared, t) }
  }
  rollout.sentEmails.length = 0
  await see(1)
  const emailedBefore = twelve.flatMap(rollout.subjectsTo)
  const answered = await see(2, answer)
  const back = await see(3, given)

  expect(emailedBefore.filter((subject) => subject.startsWith('Slack'))).toEqual([])
  // Hiding all instances of an app is an answer about each.
  const answers = answered.lines.filter((line) => line.includes('was '))
  expect(new Set(answers.map((line) => line.replace('\u00a0(2)', '')))).toEqual(
    new Set([`${name} was hidden`]),
  )
  expect(answered.lines.join()).not.toMatch(/on hold|gone from/)
  expect([answered.report.fellBack, back.report.fellBack]).toEqual([0, 0])
  expect(back.state.massDisconnects).toEqual([])
  const announcements = twelve.map((email) =>
    rollout.subjectsTo(email).filter((subject) => / is new /.test(subject)),
  )
  for (const subjects of announcements) expect(subjects.length).toBeGreaterThan(0)
  expect(rollout.sentEmails.some(({ subject }) => /needs your OK again|has moved/.test(subject))).toBe(false)
  if (what.endsWith('the former one hidden')) return
  expect(back.lines[0]).toMatch(new RegExp(`12 fewer ready: ${name}.* is new$`))
  const [fewer, isNew, ...shown] = back.lines.filter((line) => line.includes(name))
  expect(fewer).toBe(back.lines[0])
  expect(isNew).toMatch(new RegExp(`^${name}.* is new for 12 people$`))
  expect(shown.map((line) => line.replace('\u00a0(2)', ''))).toEqual([`${name} is shown again`])
})

it.each([
  ['stays removed for as many people as still lack it', 4, 0, false],
  ['is new for more people than still lack it', 5, 0, true],
  ['stays removed for as many newcomers', 0, 4, false],
  ['is new for more newcomers', 0, 5, true],
])('a removed app that is back %s', async (_how, count, newcomers, isNew) => {
  const rollout = installation()
  rollout.names.set('slack_1', 'Slack')
  const [lacking, having] = [twelve.slice(0, 4), twelve.slice(4)]
  const added = Array.from({ length: 5 }, (_, number) => `new${number}@acme.example`)
  const sweep = async (listed: readonly string[], given = {}, list = twelve) => {
    for (const email of list) rollout.unconnectedApps.set(email, listed.includes(email) ? ['slack_1'] : [])
    rollout.conditions.now += 6 * HOUR
    return await rollout.run(list, given)
  }
  rollout.conditions.now = monday - 8 * HOUR
  await sweep(twelve)
  for (const email of having) await rollout.people.change(email, (one) => withConsents(one, monday + HOUR))
  for (const email of twelve) await rollout.people.change(email, (one) => ({ ...one, signedInAt: monday }))
  await sweep(lacking)
  await sweep(lacking)
  const state = await rollout.keepState.load()
  const [since, noticedAt] = [rollout.conditions.now, rollout.conditions.now + 6 * HOUR]
  await sweep([])
  const removed = {
    instance: 'slack_1',
    name: 'Slack',
    since,
    noticedAt,
    people: 4,
    markedRemovedAt: noticedAt,
  }
  await rollout.keepState.save({ ...state, ...(await rollout.keepState.load()), delistedApps: [removed] })

  rollout.sentEmails.length = 0
  const back = [...having.slice(0, count), ...added.slice(0, newcomers)]
  for (let runs = 0; runs < 5; runs++) await sweep(back, {}, [...twelve, ...back.slice(count)])

  expect((await rollout.keepState.load()).delistedApps).toHaveLength(isNew ? 0 : 1)
  if (newcomers > 0) return
  const subjects = twelve.flatMap(rollout.subjectsTo)
  expect(subjects).toEqual(isNew ? having.slice(0, count).map(() => 'Slack is new in search') : [])
})
