// Runs of `onramp keep` while an app that many people lost moves to another instance.
import { expect, it } from 'vitest'
import { describeActionItems } from '../../src/admin/overview.ts'
import { historyOf } from '../../src/admin/person-history.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { openPeople } from '../../src/cli/store.ts'
import { resolveCompany, type Company } from '../../src/company/company.ts'
import { jira } from '../campaigns/lapsed-person.ts'
import { withConsents } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'
import { DAY, HOUR, setUpInstallation, type Installation, monday, OPERATOR, twelve } from './installation.ts'

const withReplaces = () => resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
const withoutReplaces = () => resolveCompany({}, new Map())
/** They had connected Slack; the other five never did. */
const seven = twelve.slice(0, 7)

/** @param company the company file of the next runs */
function operate(installation: Installation, company: Company) {
  const { run, unconnectedApps, conditions, sentEmails, people, keepState } = installation
  const given = { company }
  /** Four runs within a day. @returns the first one's output */
  const runAt = async (day: number, options = {}) => {
    sentEmails.length = 0
    conditions.now = monday + day * DAY
    const first = await run(twelve, { ...given, ...options })
    for (let more = 1; more < 4; more++) {
      conditions.now += 5 * HOUR
      await run(twelve, given)
    }
    return first
  }
  const list = (emails: string[], ...apps: string[]) => {
    for (const email of emails) unconnectedApps.set(email, ['jira_1', ...apps])
  }
  const connectSeven = async (at: number) => {
    list(seven)
    for (const email of seven)
      await people.change(email, (person) => ({ ...withConsents(person, at, [jira]), signedInAt: at }))
  }
  const readPages = async () => {
    const { now } = conditions
    const store = openPeople({ ...installation, now: () => now }, given.company)
    const state = await keepState.load()
    const report = await createReport(summarizeAll(store.all(), state), now, { since: monday })
    const [item] = describeActionItems(report, state, { t, now, timezone: 'UTC', quietDays: [] })
    const loser = historyOf((await store.get(seven[0]!))!, state, given.company.activeReplacements)
    const events = loser.events.map(({ what }) => what)
    const returned = report.days.reduce((sum, day) => sum + day.returned, 0)
    return { state, report, returned, item, help: loser.help, events }
  }
  const slackSubjects = () =>
    sentEmails.map(({ subject }) => subject).filter((subject) => subject.startsWith('Slack'))
  /** To people, not to admins. */
  const textsToPeople = () => sentEmails.flatMap(({ to, text }) => (twelve.includes(to) ? text : []))
  /** The operators who released the emails about new apps to one of them. */
  const releasedBy = async () => {
    const { campaigns } = (await people.get(seven[0]!))!
    const emails = campaigns.find(({ name }) => name === 'new-apps')?.emails ?? []
    return emails.map((email) => email.releasedBy)
  }

  return { given, run, runAt, list, connectSeven, readPages, slackSubjects, textsToPeople, releasedBy }
}

/** Seven people lose Slack, then it moves for some. */
async function move(company: Company, movers: string[]) {
  const installation = setUpInstallation()
  for (const instance of ['slack_1', 'slack_2']) installation.names.set(instance, 'Slack')
  const { list, runAt, connectSeven } = operate(installation, company)

  // Everyone has Slack to connect, seven do, they lose it, and it moves.
  list(twelve, 'slack_1')
  await runAt(0)
  await connectSeven(monday + DAY)
  await runAt(1)
  list(seven, 'slack_1')
  await runAt(2)
  list(movers, 'slack_2')
  await runAt(3)
  return installation.copy()
}

const moves = new Map<string, ReturnType<typeof move>>()

/** An installation after a move, which its sixteen runs reach once. @param companyAtMove reads the company file then */
async function moveOnHold(companyAtMove = withoutReplaces, movers = twelve) {
  const key = [companyAtMove.name, ...movers].join()
  const moved = moves.get(key) ?? move(companyAtMove(), movers)
  moves.set(key, moved)
  return operate(setUpInstallation({}, await moved), companyAtMove())
}

const QUESTION =
  '12 people have slack_2 now. If it has moved there, add “slack_2: { replaces: slack_1 }” to the company file.'
const MOVED = 'Slack has moved to slack_2.'
const UNNAMED = `${QUESTION} We haven’t emailed them: the cause`
const NAMED = `${MOVED} We haven’t emailed them yet. To email them, run:`

// prettier-ignore
it.each([
  { what: 'isn’t named in the company file', atMove: withoutReplaces, later: withoutReplaces, app: 'slack_1', detail: UNNAMED },
  { what: 'is named in the company file', atMove: withReplaces, later: withReplaces, app: 'slack_2', detail: NAMED },
  { what: 'is named in the company file later', atMove: withoutReplaces, later: withReplaces, app: 'slack_2', detail: NAMED },
])(
  'a move on hold that $what emails no one, and offers one command',
  async ({ atMove, later, app, detail }) => {
    const { given, run, readPages, slackSubjects } = await moveOnHold(atMove)
    given.company = later()
    await run(twelve, given)
    const { item, help, events, report } = await readPages()
    const command = expect.stringMatching(/--release slack_2$/) as string
    const title = expect.stringContaining('Slack: 7 of 7 people') as string
    expect([slackSubjects(), report.fellBack]).toEqual([[], 0])
    expect(item).toMatchObject({ title, count: 7, href: `/admin/people?show=onHold&app=${app}`, command })
    expect(item?.detail.slice(0, detail.length)).toBe(detail)
    expect(help).toMatchObject({ kind: 'onHold', command })
    expect(events.filter((what) => what === 'lost')).toHaveLength(1)
  },
)

const MOVED_SUBJECT = 'Slack has moved: connect it to search again'
const NEW_SUBJECT = 'Slack is new in search'
// prettier-ignore
it.each([
  { what: 'no file names emails everyone about a new app', atMove: withoutReplaces, atRelease: withoutReplaces, count: 12, subject: NEW_SUBJECT, text: QUESTION },
  { what: 'the file names emails those who had the app', atMove: withReplaces, atRelease: withReplaces, count: 7, subject: MOVED_SUBJECT, text: MOVED },
  { what: 'the file names later emails those who had the app', atMove: withoutReplaces, atRelease: withReplaces, count: 7, subject: MOVED_SUBJECT, text: MOVED },
])('the release of a move that $what', async ({ atMove, atRelease, count, subject, text }) => {
  const { given, runAt, readPages, slackSubjects } = await moveOnHold(atMove)
  given.company = atRelease()
  const { exit, err } = await runAt(7, { release: ['slack_1'] })
  expect(slackSubjects()).toEqual(Array(count).fill(subject))
  expect([exit, err]).toEqual([0, expect.stringContaining(`usually within six hours. ${text}\n`)])
  expect(err).not.toContain('Was it removed')
  expect((await readPages()).events).not.toContain('back')
})

it.each([
  ['that the file names as moved have access again', withReplaces, 7],
  ['that no file names as moved have a new app', withoutReplaces, 0],
])('after a release, people who connect an app %s', async (_title, company, count) => {
  const { runAt, connectSeven, readPages } = await moveOnHold(company)
  await runAt(7, { release: ['slack_1'] })
  await connectSeven(monday + 8 * DAY)
  const { exit } = await runAt(8)
  const { report, returned } = await readPages()
  expect(report.datasources).toMatchObject([
    { instance: 'jira_1', counts: { connected: 0 } },
    { instance: 'slack_2', counts: { connected: 7 } },
  ])
  expect([exit, returned]).toEqual([0, count])
})

it.each([
  ['in the company file, then on the lists', true],
  ['on the lists, then in the company file', false],
])('a move %s counts those who had the app', async (_title, isFirst) => {
  const { given, runAt, readPages } = await moveOnHold(isFirst ? withReplaces : withoutReplaces)
  given.company = withReplaces()
  await runAt(4)
  expect((await readPages()).state.newApps).toMatchObject([{ instance: 'slack_2', people: 7, isMoved: true }])
})

it('an email about a move on hold has the operator who released it', async () => {
  const { runAt, releasedBy } = await moveOnHold(withReplaces)
  await runAt(7, { release: ['slack_1'] })
  await runAt(9)
  expect(await releasedBy()).toEqual([OPERATOR])
})

it('an app on hold that moves for some people is connected for none of them', async () => {
  const { readPages } = await moveOnHold(withoutReplaces, seven.slice(0, 3))
  const { report, returned, events } = await readPages()
  expect(report.datasources.map(({ counts }) => counts.connected)).toEqual([0, 0, 0])
  expect([returned, events.includes('lost'), events.includes('back')]).toEqual([0, true, false])
})

it('a hold that moves for some people names the move and counts everyone', async () => {
  const { readPages, runAt } = await moveOnHold(withoutReplaces, [...seven.slice(0, 3), ...twelve.slice(10)])
  const { item, help, report } = await readPages()
  const question = '5 people have slack_2 now. If it has moved there, add “slack_2: { replaces: slack_1 }” to'
  const command = expect.stringMatching(/--release slack_1$/) as string
  const title = expect.stringContaining('7 of 7 people') as string
  const href = '/admin/people?show=onHold&app=slack_1'
  expect(item).toMatchObject({ title, count: 7, href, command, detail: expect.stringContaining(question) })
  expect(help).toMatchObject({ kind: 'onHold', command, apps: [{ instance: 'slack_1' }] })
  expect(report.datasources.map(({ lapsed }) => lapsed)).toEqual([0, 7, 0])

  const { err } = await runAt(7, { release: ['slack_1'] })
  expect(err).toContain(`usually within six hours. ${question}`)
})

it('no email names an app on hold, also where it moved for some people', async () => {
  const { runAt, textsToPeople } = await moveOnHold(withoutReplaces, seven.slice(0, 3))
  const before = textsToPeople()
  await runAt(8)
  const all = [...before, ...textsToPeople()].join('')
  expect(all).toContain('Jira')
  expect(all).not.toContain('Slack')
})

it.each([
  ['named in the company file', withReplaces],
  ['not named there', withoutReplaces],
])('a hold of a move %s is over once its people have connected the app', async (_title, company) => {
  const { connectSeven, runAt, readPages } = await moveOnHold(company)
  expect((await readPages()).state.massDisconnects).toHaveLength(1)
  await connectSeven(monday + 4 * DAY)
  await runAt(4)
  expect((await readPages()).state.massDisconnects).toEqual([])
  await expect(runAt(5, { release: ['slack_1'] })).rejects.toThrow('no emails about this app are held back')
})

it('a lost app that moved is lost for no one once it counts as removed', async () => {
  const { runAt, readPages, slackSubjects } = await moveOnHold()
  const before = await readPages()
  await runAt(4, { removed: ['slack_1'] })

  const { report, state, item, events } = await readPages()
  const lostIn = ({ datasources }: typeof report) => datasources.reduce((sum, { lapsed }) => sum + lapsed, 0)
  expect([lostIn(before.report), lostIn(report)]).toEqual([7, 0])
  expect([state.massDisconnects, item]).toEqual([[], undefined])
  expect(slackSubjects()).toEqual(Array(12).fill('Slack is new in search'))
  expect(events).toContain('lost')
})
