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
import { ADA, DAY, HOUR, installation, monday, runMassDisconnect, twelve } from './installation.ts'

const slackHidden = { company: resolveCompany({ datasources: { slack: { hidden: true } } }, new Map()) }
/** The last one never connects anything. */
const thirteen = [...twelve, ADA]

it.each([
  ['was removed', [], { removed: ['slack_1'] }, ['removed', 'listed', 'new']],
  ['was hidden after it had left the lists', [], slackHidden, ['hidden', 'shown', 'new']],
  ['was hidden', ['slack_1'], slackHidden, ['hidden', 'shown', 'new']],
])(
  'an app that %s during a hold comes back as new, without losses',
  async (_title, listed, answer, events) => {
    const onramp = installation()
    onramp.names.set('slack_1', 'Slack')
    await runMassDisconnect(['slack_1'], onramp)
    for (const email of twelve)
      await onramp.people.change(email, (person) => ({ ...person, signedInAt: monday + DAY }))
    const sweep = async (apps: string[], given = {}) => {
      for (const email of thirteen) onramp.unconnectedApps.set(email, apps)
      onramp.conditions.now += 6 * HOUR
      return await onramp.run(thirteen, given)
    }
    await sweep(['slack_1'])
    await sweep(listed)
    const before = await onramp.keepState.load()
    onramp.sentEmails.length = 0
    const answered = await sweep(listed, answer)
    const outputs = []
    for (let runs = 0; runs < 6; runs++) outputs.push(await sweep(['slack_1']))
    const { massDisconnects, delistedApps, days, appEvents = [] } = await onramp.keepState.load()

    expect(before.massDisconnects).toHaveLength(1)
    expect([answered, ...outputs].map(({ exit }) => exit)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect([massDisconnects, delistedApps]).toEqual([[], []])
    expect(appEvents.map(({ what }) => what)).toEqual(events)
    expect(days.at(-1)).toMatchObject({ fellBack: 0 })
    const { lastCheck, accessEvents } = (await onramp.people.get(twelve[0]!))!
    expect(accessEvents?.map(({ what, instance }) => `${what} ${instance}`)).toEqual([
      'lost slack_1',
      'listed slack_1',
    ])
    const record = lastCheck?.apps[0]
    expect(record).toMatchObject({ status: 'awaiting', newAt: expect.any(Number) as number })
    expect(record).not.toHaveProperty('lapsedAt')
    const subjects = twelve.flatMap(onramp.subjectsTo)
    expect(subjects).toEqual(twelve.map(() => 'Slack is new in search'))
  },
)

const withHidden = (...hidden: string[]) => {
  const datasources = Object.fromEntries(hidden.map((instance) => [instance, { hidden: true }]))
  return { company: resolveCompany({ datasources }, new Map()) }
}
const replacing = (hidden: boolean) => ({
  company: resolveCompany({ datasources: { slack_2: { replaces: 'slack_1', hidden } } }, new Map()),
})

type Rollout = ReturnType<typeof installation>

/** Notion is new for twelve people, who connected Slack before. */
async function addNotion({ run, unconnectedApps, conditions, people }: Rollout) {
  for (const email of twelve) unconnectedApps.set(email, ['slack_1'])
  conditions.now = monday - 8 * HOUR
  await run(twelve)
  conditions.now = monday + 2 * DAY
  for (const email of twelve) await people.change(email, (one) => withConsents(one, monday + DAY))
}

const loseSlack = (onramp: Rollout) => runMassDisconnect(['jira_1', 'slack_1'], onramp)

type HiddenApp = {
  name: 'Notion' | 'Slack'
  happens: (onramp: Rollout) => Promise<unknown>
  /** The instance that lists have since then. */
  listed: string
  hiding: { company: Company }
  /** The company file that shows it again. */
  showing?: { company?: Company }
}

/** Hides an app a day after something has happened to it, and shows it two days later. */
async function hideAndShow({ name, happens, listed, hiding, showing = {} }: HiddenApp) {
  const onramp = installation()
  for (const app of ['slack_1', 'slack_2']) onramp.names.set(app, 'Slack')
  onramp.names.set('notion_1', 'Notion')
  await happens(onramp)
  for (const email of twelve)
    await onramp.people.change(email, (person) => ({ ...person, signedInAt: monday + DAY }))
  for (const email of twelve) onramp.unconnectedApps.set(email, [listed])
  const runFor = async (days: number, options: { company?: Company } = {}) => {
    for (let runs = 0; runs < days * 4; runs++) {
      onramp.conditions.now += 5 * HOUR
      await onramp.run(twelve, options)
    }
    const { now } = onramp.conditions
    const { company = resolveCompany({}, new Map()) } = options
    const store = openPeople({ ...onramp, now: () => now }, company)
    const state = await onramp.keepState.load()
    const report = await createReport(summarizeAll(store.all(), state), now)
    const shown = withCompanyNames(report, state, company, 'en')
    const compared = compareSince(shown.report, shown.keepState, now, utcDay(now - (days + 1) * DAY))
    const lines = compared === undefined ? [] : describeComparison(compared, t)
    return { report, state, lines: lines.map((line) => line.replace('\u00a0(2)', '')) }
  }
  onramp.sentEmails.length = 0
  await runFor(1)
  const emailedBefore = twelve.flatMap(onramp.subjectsTo)
  const hidden = await runFor(2, hiding)
  const shown = await runFor(3, showing)

  expect(emailedBefore.filter((subject) => subject.startsWith('Slack'))).toEqual([])
  // Hiding all instances of an app is an answer about each.
  const answers = hidden.lines.filter((line) => line.includes('was '))
  expect(new Set(answers)).toEqual(new Set([`${name} was hidden`]))
  expect(hidden.lines.join()).not.toMatch(/on hold|gone from/)
  expect([hidden.report.fellBack, shown.report.fellBack]).toEqual([0, 0])
  expect(shown.state.massDisconnects).toEqual([])
  expect(onramp.sentEmails.some(({ subject }) => /needs your OK again|has moved/.test(subject))).toBe(false)
  const announcementsTo = (email: string) =>
    onramp.subjectsTo(email).filter((subject) => / is new /.test(subject))
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

it.each([
  ['stays removed for as many people as still lack it', 4, 0, false],
  ['is new for more people than still lack it', 5, 0, true],
  ['stays removed for as many newcomers', 0, 4, false],
  ['is new for more newcomers', 0, 5, true],
])('a removed app that is back %s', async (_title, count, newcomers, isNew) => {
  const onramp = installation()
  onramp.names.set('slack_1', 'Slack')
  const [lacking, having] = [twelve.slice(0, 4), twelve.slice(4)]
  const added = Array.from({ length: 5 }, (_, number) => `new${number}@acme.example`)
  const sweep = async (listed: readonly string[], given = {}, list = twelve) => {
    for (const email of list) onramp.unconnectedApps.set(email, listed.includes(email) ? ['slack_1'] : [])
    onramp.conditions.now += 6 * HOUR
    return await onramp.run(list, given)
  }
  onramp.conditions.now = monday - 8 * HOUR
  await sweep(twelve)
  for (const email of having) await onramp.people.change(email, (one) => withConsents(one, monday + HOUR))
  for (const email of twelve) await onramp.people.change(email, (one) => ({ ...one, signedInAt: monday }))
  await sweep(lacking)
  await sweep(lacking)
  const state = await onramp.keepState.load()
  const [since, noticedAt] = [onramp.conditions.now, onramp.conditions.now + 6 * HOUR]
  await sweep([])
  const removed = {
    instance: 'slack_1',
    name: 'Slack',
    since,
    noticedAt,
    people: 4,
    markedRemovedAt: noticedAt,
  }
  await onramp.keepState.save({ ...state, ...(await onramp.keepState.load()), delistedApps: [removed] })

  onramp.sentEmails.length = 0
  const back = [...having.slice(0, count), ...added.slice(0, newcomers)]
  for (let runs = 0; runs < 5; runs++) await sweep(back, {}, [...twelve, ...back.slice(count)])

  expect((await onramp.keepState.load()).delistedApps).toHaveLength(isNew ? 0 : 1)
  if (newcomers > 0) return
  const subjects = twelve.flatMap(onramp.subjectsTo)
  expect(subjects).toEqual(isNew ? having.slice(0, count).map(() => 'Slack is new in search') : [])
})
