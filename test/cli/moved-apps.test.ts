// Runs of `onramp keep` while an app that many people lost moves to another instance.
import { expect, it } from 'vitest'
import { describeActionItems } from '../../src/admin/overview.ts'
import { historyOf } from '../../src/admin/person-history.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { openPeople } from '../../src/cli/store.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { jira } from '../campaigns/lapsed-person.ts'
import { withConsents } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'
import { DAY, HOUR, installation, monday, OPERATOR, twelve } from './installation.ts'

const withReplaces = () => resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
const withoutReplaces = () => resolveCompany({}, new Map())
/** They had connected Slack; the other five never did. */
const seven = twelve.slice(0, 7)

/** Seven people lose Slack, then it moves for some. @param company the company file at the time of the move */
async function moveOnHold(company = withoutReplaces(), movers = twelve) {
  const onramp = installation()
  const { run, unconnectedApps, conditions, sentEmails, people, keepState, names } = onramp
  for (const instance of ['slack_1', 'slack_2']) names.set(instance, 'Slack')
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
  const connect = async (at: number) => {
    list(seven)
    for (const email of seven)
      await people.change(email, (person) => ({ ...withConsents(person, at, [jira]), signedInAt: at }))
  }
  const see = async () => {
    const { now } = conditions
    const store = openPeople({ ...onramp, now: () => now }, given.company)
    const state = await keepState.load()
    const report = await createReport(summarizeAll(store.all(), state), now, { since: monday })
    const [item] = describeActionItems(report, state, t, now)
    const loser = historyOf((await store.get(seven[0]!))!, state, given.company.activeReplacements)
    const events = loser.events.map(({ what }) => what)
    const returned = report.days.reduce((sum, day) => sum + day.returned, 0)
    return { state, report, returned, item, help: loser.help, events }
  }
  const subjects = () =>
    sentEmails.map(({ subject }) => subject).filter((subject) => subject.startsWith('Slack'))
  list(twelve, 'slack_1')
  await runAt(0)
  await connect(monday + DAY)
  await runAt(1)
  list(seven, 'slack_1')
  await runAt(2)
  list(movers, 'slack_2')
  await runAt(3)
  /** To people, not to admins. */
  const texts = () => sentEmails.flatMap(({ to, text }) => (twelve.includes(to) ? text : []))
  /** The operators who released the emails about new apps to one of them. */
  const releasedBy = async () => {
    const { campaigns } = (await people.get(seven[0]!))!
    const emails = campaigns.find(({ name }) => name === 'new-apps')?.emails ?? []
    return emails.map((email) => email.releasedBy)
  }
  return { given, run, runAt, connect, see, subjects, texts, releasedBy }
}

const QUESTION =
  '12 people have slack_2 now. If it has moved there, add “slack_2: { replaces: slack_1 }” to the company file.'
const MOVED = 'Slack has moved to slack_2.'

it.each([
  { named: 'never', before: QUESTION, after: QUESTION },
  { named: 'before the move', before: MOVED, after: MOVED },
  { named: 'after the move', before: MOVED, after: MOVED },
  { named: 'at its release', before: QUESTION, after: MOVED },
])('a lost app that moves keeps one command, named in the company file $named', async (row) => {
  const { named, before, after } = row
  const { given, run, runAt, see, subjects, connect } = await moveOnHold(
    named === 'before the move' ? withReplaces() : withoutReplaces(),
  )
  if (named === 'after the move') {
    given.company = withReplaces()
    await run(twelve, given)
  }
  const whilePaused = subjects()
  const { item, help, events, report } = await see()
  const command = expect.stringMatching(/--release slack_2$/) as string

  expect([whilePaused, report.fellBack]).toEqual([[], 0])
  const href = `/admin/people?show=onHold&app=${before === MOVED ? 'slack_2' : 'slack_1'}`
  const title = expect.stringContaining('Slack: 7 of 7 people') as string
  expect(item).toMatchObject({ title, count: 7, href, command })
  const why =
    before === MOVED
      ? 'We haven’t emailed them yet. To email them, run:'
      : 'We haven’t emailed them: the cause'
  expect(item?.detail.startsWith(`${before} ${why}`)).toBe(true)
  expect([help.kind, help.command, events.filter((what) => what === 'lost')]).toEqual([
    'onHold',
    command,
    ['lost'],
  ])

  if (after === MOVED) given.company = withReplaces()
  const released = await runAt(7, { release: ['slack_1'] })
  const isMoved = after === MOVED
  const subject = isMoved ? 'Slack has moved: connect it to search again' : 'Slack is new in search'
  expect(subjects()).toEqual(Array(isMoved ? 7 : 12).fill(subject))
  expect(released.err).toContain(`usually within six hours. ${after}\n`)
  expect(released.exit).toBe(0)
  expect(released.err).not.toContain('Was it removed')
  expect((await see()).events).not.toContain('back')

  // Only a person who connects the new instance has access again.
  await connect(monday + 8 * DAY)
  const last = await runAt(8)
  expect(
    (await see()).report.datasources.map(({ instance, counts }) => [instance, counts.connected]),
  ).toEqual([
    ['jira_1', 0],
    ['slack_2', 7],
  ])
  expect([last.exit, (await see()).returned]).toEqual([0, isMoved ? 7 : 0])
  await expect(runAt(9, { release: ['slack_1'] })).rejects.toThrow('no emails about this app are held back')
})

it.each([
  ['in the company file, then on the lists', true],
  ['on the lists, then in the company file', false],
])('a move %s counts those who had the app', async (_order, isFirst) => {
  const { given, runAt, see } = await moveOnHold(isFirst ? withReplaces() : withoutReplaces())
  given.company = withReplaces()
  await runAt(4)
  expect((await see()).state.newApps).toMatchObject([{ instance: 'slack_2', people: 7, isMoved: true }])
})

it('an email about a move on hold has the operator who released it', async () => {
  const { runAt, releasedBy } = await moveOnHold(withReplaces())
  await runAt(7, { release: ['slack_1'] })
  await runAt(9)
  expect(await releasedBy()).toEqual([OPERATOR])
})

it('an app on hold that moves for some people is connected for none of them', async () => {
  const { see } = await moveOnHold(withoutReplaces(), seven.slice(0, 3))
  const { report, returned, events } = await see()
  expect(report.datasources.map(({ counts }) => counts.connected)).toEqual([0, 0, 0])
  expect([returned, events.includes('lost'), events.includes('back')]).toEqual([0, true, false])
})

it('a hold that moves for some people names the move and counts everyone', async () => {
  const { see, runAt } = await moveOnHold(withoutReplaces(), [...seven.slice(0, 3), ...twelve.slice(10)])
  const { item, help, report } = await see()
  const move = '5 people have slack_2 now. If it has moved there, add “slack_2: { replaces: slack_1 }” to'
  const command = expect.stringMatching(/--release slack_1$/) as string
  const title = expect.stringContaining('7 of 7 people') as string
  const href = '/admin/people?show=onHold&app=slack_1'
  expect(item).toMatchObject({ title, count: 7, href, command, detail: expect.stringContaining(move) })
  expect(help).toMatchObject({ kind: 'onHold', command, apps: [{ instance: 'slack_1' }] })
  expect(report.datasources.map(({ lapsed }) => lapsed)).toEqual([0, 7, 0])

  const { err } = await runAt(7, { release: ['slack_1'] })
  expect(err).toContain(`usually within six hours. ${move}`)
})

it('no email names an app on hold, also where it moved for some people', async () => {
  const { runAt, texts } = await moveOnHold(withoutReplaces(), seven.slice(0, 3))
  const before = texts()
  await runAt(8)
  const all = [...before, ...texts()].join('')
  expect(all).toContain('Jira')
  expect(all).not.toContain('Slack')
})

it.each([withReplaces, withoutReplaces])(
  'a hold is over once its people have connected the new instance',
  async (company) => {
    const { connect, runAt, see } = await moveOnHold(company())
    expect((await see()).state.massDisconnects).toHaveLength(1)
    await connect(monday + 4 * DAY)
    await runAt(4)
    expect((await see()).state.massDisconnects).toEqual([])
  },
)

it('a lost app that moved is lost for no one once it counts as removed', async () => {
  const { runAt, see, subjects } = await moveOnHold()
  const before = await see()
  await runAt(4, { removed: ['slack_1'] })

  const { report, state, item, events } = await see()
  const lostIn = ({ datasources }: typeof report) => datasources.reduce((sum, { lapsed }) => sum + lapsed, 0)
  expect([lostIn(before.report), lostIn(report)]).toEqual([7, 0])
  expect([state.massDisconnects, item]).toEqual([[], undefined])
  expect(subjects()).toEqual(Array(12).fill('Slack is new in search'))
  expect(events).toContain('lost')
})
