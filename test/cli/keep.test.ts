// Runs of `onramp keep` through the command: list, store, service, mail server, admins and company file reach their
// uses.
import { expect, it } from 'vitest'
import { historyOf } from '../../src/admin/person-history.ts'
import type { ListEntry } from '../../src/campaigns/people-file.ts'
import type { Person } from '../../src/people/person.ts'
import { withSuccessors } from '../../src/people/successors.ts'
import { problemFor } from '../client-api/problem-for.ts'
import { toArray, withConsents } from '../helpers/people.ts'
import { ADA, auditedIn, DAY, HOUR, setUpInstallation, monday, OPERATOR } from './installation.ts'

it('a lapse email of onramp keep has its own text and campaign', async () => {
  const { run, unconnectedApps, conditions, subjectsTo, people, sentEmails } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  await run([ADA])
  unconnectedApps.set(ADA, [])
  conditions.now += 7 * HOUR
  await run([ADA])
  unconnectedApps.set(ADA, ['slack_1'])
  for (const days of [1, 2]) {
    conditions.now = monday + days * DAY
    await run([ADA])
  }
  expect(subjectsTo(ADA)).toEqual(['Connect Slack 1 to search', 'Slack 1 needs your OK again for search'])
  // Mail programs drop a second email with the same Message-ID.
  expect(new Set(sentEmails.map(({ messageId }) => messageId)).size).toBe(2)
  expect((await people.get(ADA))?.campaigns.map(({ name }) => name)).toEqual(['onboarding', 'lapses'])
})

it.each([
  ['at night in its time zone', { timezone: 'Asia/Tokyo' }],
  ['on its quiet days', { quietDays: [{ from: '2027-01-18', to: '2027-01-18', group: undefined }] }],
])('by the company file, onramp keep emails no one %s', async (_title, file) => {
  const { run, unconnectedApps, subjectsTo } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  await run([ADA], file)
  expect(subjectsTo(ADA)).toEqual([])
})

it.each([
  ['the mail server can’t be used', { isMailServerUsable: false }, 'no mail server'],
  ['the token is a person’s', { isTokenGlobal: false }, 'personal'],
  ['another run has taken over', { holdsLease: false }, 'another run took over'],
])('a run of onramp keep checks no one if %s', async (_title, change, message) => {
  const { run, conditions, checkedEmails, unconnectedApps } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  Object.assign(conditions, change)
  await expect(run([ADA])).rejects.toMatchObject({ message })
  expect(checkedEmails).toEqual([])
})

it('a run of onramp keep sends no email once another run has taken over', async () => {
  const { run, conditions, unconnectedApps, sentEmails } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  conditions.onCheck = () => void (conditions.holdsLease = false)
  await expect(run([ADA])).rejects.toThrow('another run took over the campaign')
  expect(sentEmails).toEqual([])
})

it('a run of onramp keep records its end, and one row of counts a day', async () => {
  const { run, keepState, unconnectedApps, conditions } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  await run([ADA])
  await run([ADA])
  const { lastRunAt, days } = await keepState.load()
  expect([lastRunAt, days.map(({ day, people }) => [day, people])]).toEqual([
    conditions.now - HOUR,
    [['2027-01-18', 1]],
  ])
})

/** Ada and Bob were on the list of the last run. */
async function runForTwo() {
  const installation = setUpInstallation()
  await installation.run([ADA, 'bob@acme.example'])
  const formerPeople = async () =>
    (await toArray(installation.people.all())).filter(({ leftAt }) => leftAt !== undefined).length
  return { ...installation, formerPeople }
}

it('a list without many former people is refused without --confirm', async () => {
  const { run } = await runForTwo()
  await expect(run([ADA])).rejects.toThrow(/person rename --file FILE".*--confirm/)
})

it('a list with an unreadable line removes no one', async () => {
  const { run, formerPeople } = await runForTwo()

  const unreadable = await run([ADA], { faults: ['line 3: missing email address'], confirm: true })

  expect(unreadable.exit).toBe(3)
  expect(unreadable.err).toContain('line 3')
  expect(await formerPeople()).toBe(0)
})

it('a confirmed list without many former people removes them, and is audited once', async () => {
  const { run, formerPeople, keepState } = await runForTwo()
  expect(auditedIn(await run([ADA], { confirm: true }))).toEqual(['confirmed undefined'])
  expect(await formerPeople()).toBe(1)
  expect(auditedIn(await run([ADA], { confirm: true }))).toEqual([])
  expect((await keepState.load()).actions).toMatchObject([{ what: 'confirmed', by: OPERATOR }])
})

it('a release is audited once, with app and operator', async () => {
  const { run, conditions, pauseEmails, keepState } = setUpInstallation()
  await pauseEmails('slack_1', 'jira_1')
  conditions.holdsLease = false
  await expect(run([ADA], { release: ['all'] })).rejects.toThrow('another run took over')
  expect((await keepState.load()).actions).toBeUndefined()
  conditions.holdsLease = true
  expect(auditedIn(await run([ADA], { release: ['slack_1'] }))).toEqual(['released slack_1'])
  expect(auditedIn(await run([ADA], { release: ['all'] }))).toEqual(['released jira_1'])
  expect((await keepState.load()).actions).toMatchObject([
    { what: 'released', by: OPERATOR, app: 'slack_1' },
    { what: 'released', by: OPERATOR, app: 'jira_1' },
  ])
})

const BOB = 'bob@acme.example'
const ACTIONS = [
  ['a release', { release: ['slack_1'] }, 'released slack_1'],
  ['an app marked as connected', { release: ['box_1'] }, 'released box_1'],
  ['a removal', { removed: ['jira_1'] }, 'removed jira_1'],
  ['a confirmation', { confirm: true }, 'confirmed undefined'],
] as const
const FAILURES = ['another run took over', 'store_unavailable'] as const
type Action = (typeof ACTIONS)[number][1]

/** Slack is on hold, Jira and Box are in question, and Bob has left the list if someone confirms that. */
async function setUpActions() {
  const installation = setUpInstallation()
  await installation.run([ADA, BOB])
  await installation.pauseEmails('slack_1')
  const question = { noticedAt: monday, since: monday, people: 9 }
  const delistedApps = ['jira_1', 'box_1'].map((instance) => ({ ...question, instance, name: instance }))
  await installation.keepState.save({ ...(await installation.keepState.load()), delistedApps })
  const runWith = (action: Action) => installation.run('confirm' in action ? [ADA] : [ADA, BOB], action)
  const fail = (failure: (typeof FAILURES)[number], is = true) =>
    Object.assign(
      installation.conditions,
      failure === 'store_unavailable' ? { isStoreFull: is } : { holdsLease: !is },
    )
  return { ...installation, runWith, fail }
}

const failedActions = ACTIONS.flatMap(([title, action, line]) =>
  FAILURES.map((failure) => [title, failure, action, line] as const),
)

it.each(failedActions)('%s isn’t audited by a run that fails: %s', async (_title, failure, action) => {
  const { runWith, fail, printed } = await setUpActions()
  fail(failure)
  await expect(runWith(action)).rejects.toMatchObject({ message: failure })
  expect(auditedIn(printed)).toEqual([])
})

it.each(failedActions)(
  '%s is audited by the run after one that fails: %s',
  async (_title, failure, action, line) => {
    const { run, runWith, fail } = await setUpActions()
    fail(failure)
    await runWith(action).catch(() => {})
    fail(failure, false)
    // Those who left are recorded already, and a second run would need no confirmation.
    if ('confirm' in action) await run([ADA, BOB])
    expect(auditedIn(await runWith(action))).toEqual([line])
  },
)

const WEBHOOK = { WEBHOOK_URL: 'https://hooks.acme.example', WEBHOOK_SECRET: `whsec_${'A'.repeat(43)}=` }
it.each([
  ['leaves events for the server with WEBHOOK_URL', WEBHOOK, 1],
  ['leaves none without WEBHOOK_URL', {}, undefined],
])('a command %s', async (_title, env, events) => {
  const { people } = setUpInstallation(env)
  const { outbox } = await people.change(ADA, (person) => ({ ...person, signedInAt: monday }))
  expect(outbox?.length).toBe(events)
})

it('a run of onramp keep prints its counts as JSON', async () => {
  const { run, unconnectedApps } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  const { out } = await run([ADA, 'bob@acme.example'], { json: true })
  expect(JSON.parse(out)).toMatchObject({ rows: 2, sent: 1, states: { people: 2 }, needs: [] })
  expect(JSON.parse(out)).toMatchObject({ leftOut: { blocked: 0, guest: 0, mailbox: 0 } })
})

it.each([
  ['once on its day, although a run comes every hour and one address is rejected', 'monday', 1],
  ['not at all if the company file names no day', undefined, 0],
] as const)('the digest is sent %s', async (_title, digest, count) => {
  const { run, subjectsTo } = setUpInstallation()
  for (let hour = 0; hour < 7; hour++) await run([ADA], digest && { digest })
  expect(subjectsTo('admin@acme.example')).toHaveLength(count)
})

it.each([
  ['the service fails', { isTokenGlobal: false }],
  ['the mail server can’t be reached', { isMailServerUsable: false }],
])('the digest leaves a day later if all day long %s', async (_title, failure) => {
  const { run, conditions, subjectsTo } = setUpInstallation()
  conditions.now = monday - 7 * DAY
  await run([ADA], { digest: 'monday' })
  conditions.now = monday
  Object.assign(conditions, failure)
  await expect(run([ADA], { digest: 'monday' })).rejects.toThrow(/personal|no mail server/)
  Object.assign(conditions, { isTokenGlobal: true, isMailServerUsable: true, now: monday + DAY })
  for (let days = 1; days < 6; days++) {
    await run([ADA], { digest: 'monday' })
    conditions.now = monday + days * DAY
  }
  expect(subjectsTo('admin@acme.example')).toHaveLength(2)
})

it('the digest counts a loss on the day of the last digest, after it', async () => {
  const { run, unconnectedApps, conditions, people, sentEmails } = setUpInstallation()
  const lostAt = monday + 5 * HOUR
  await people.change(ADA, (person) => ({
    ...withConsents(person, monday - DAY, []),
    finishedAt: monday - DAY,
  }))
  await run([ADA], { digest: 'monday' })
  unconnectedApps.set(ADA, ['slack_1'])
  const apps = [
    { instance: 'slack_1', name: 'Slack', status: 'awaiting' as const, since: lostAt, lapsedAt: lostAt },
  ]
  await people.change(ADA, (person) => ({ ...person, lastCheck: { checkedAt: lostAt, apps } }))
  sentEmails.length = 0
  conditions.now = monday + 7 * DAY
  await run([ADA], { digest: 'monday' })

  const digest = sentEmails.find(({ to }) => to === 'admin@acme.example')?.text.replaceAll(/\s+/g, ' ')
  expect(digest).toContain('1 person who had connected everything lost access')
})

/** A run on the first day, which pauses emails to Ada until the third. */
async function setUpPause() {
  const installation = setUpInstallation()
  installation.unconnectedApps.set(ADA, ['slack_1'])
  const first = await installation.run([ADA], { pauseUntil: '2027-01-20', digest: 'monday' })
  const runOn = async (day: number, options = {}) => {
    installation.conditions.now = monday + day * DAY
    return await installation.run([ADA], options)
  }
  return { ...installation, first, runOn }
}

it('during a pause, runs check people, but email only admins', async () => {
  const { first, subjectsTo, checkedEmails } = await setUpPause()
  expect(first.err).toContain('Only admins are emailed before 2027-01-20.')
  expect(subjectsTo(ADA)).toEqual([])
  expect(subjectsTo('admin@acme.example')).toHaveLength(1)
  expect(checkedEmails).toEqual([ADA])
})

it('a pause persists in later runs', async () => {
  const { runOn, subjectsTo, keepState } = await setUpPause()
  await runOn(1)
  expect(subjectsTo(ADA)).toEqual([])
  expect((await keepState.load()).lastRunAt).toBe(monday + DAY)
})

it.each([
  ['by itself on its day', 2, {}],
  ['with an earlier day', 1, { pauseUntil: '2027-01-19' }],
])('a pause ends %s', async (_title, day, options) => {
  const { runOn, subjectsTo, keepState } = await setUpPause()
  const { err } = await runOn(day, options)
  expect(subjectsTo(ADA)).toHaveLength(1)
  expect(err).toContain('The pause is over.')
  expect((await keepState.load()).pausedUntil).toBeUndefined()
})

it('a run prints how many emails wait, and when the first leave', async () => {
  const { run, unconnectedApps, conditions } = setUpInstallation()
  const [bob, inTokyo] = ['bob@acme.example', { email: 'eve@acme.example', timezone: 'Asia/Tokyo' }]
  const runAt = async (at: number, list: (string | ListEntry)[], given = {}) => {
    conditions.now = at
    return (await run(list, given)).err
      .match(/^Emails to (.*) where they are (.*)$/m)
      ?.slice(1)
      .join(' ')
  }
  expect(await runAt(monday - 5 * HOUR, [ADA])).toBeUndefined()
  unconnectedApps.set(bob, ['slack_1'])
  const quietDays = [{ from: '2027-01-18', to: '2027-01-18', group: undefined }]
  expect(await runAt(monday - 4 * HOUR, [ADA, bob], { quietDays })).toBe(
    '1 person leave from 9 am (the first on Tue, Jan 19).',
  )
  unconnectedApps.set(inTokyo.email, ['slack_1'])
  const all = [ADA, bob, inTokyo]
  expect(await runAt(monday - 2 * HOUR, all)).toBe('2 people leave from 9 am (the first on Mon, Jan 18).')
  // Bob gets his, after everyone was checked again.
  expect(await runAt(monday + 2 * HOUR, all)).toBe('1 more leave from 9 am (the first on Tue, Jan 19).')
  expect(await runAt(monday + 14 * HOUR, all)).toBeUndefined()
})

it.each(['Sales', 'Legal'])('emails to others leave on a quiet day of the group %s', async (group) => {
  const { run, conditions, unconnectedApps } = setUpInstallation()
  conditions.now = monday - 4 * HOUR
  const list = ['Sales', 'Legal'].map((name) => ({
    email: `${name}@acme.example`.toLowerCase(),
    group: name,
  }))
  for (const { email } of list) unconnectedApps.set(email, ['slack_1'])
  const quietDays = [{ from: '2027-01-18', to: '2027-01-18', group }]
  const { err } = await run(list, { quietDays })
  expect(err).toContain('Emails to 2 people leave')
  expect(err).toContain('the first on Mon, Jan 18')
})

it('a run names the people whom the service doesn’t know', async () => {
  const { run, conditions, checkedEmails } = setUpInstallation()
  const unknown = Object.assign(problemFor(404), { responseStatus: 404 })
  conditions.onCheck = () => {
    if (checkedEmails.at(-1)?.startsWith('bob')) throw unknown
  }
  const { err } = await run([ADA, 'bob@acme.example'])
  expect(err).toContain('Unknown to the service:\n  bob@acme.example\n')
})

it('a person’s history has every app that an email listed, also after one is replaced', async () => {
  const { run, conditions, unconnectedApps, sentEmails, people, keepState } = setUpInstallation()
  unconnectedApps.set(ADA, ['jira_1'])
  await run([ADA])
  unconnectedApps.set(ADA, ['jira_1', 'notion_1'])
  for (const day of [1, 2, 8]) {
    conditions.now = monday + day * DAY
    await run([ADA])
  }
  const state = await keepState.load()
  const emailsOf = (person: Person, activeReplacements = new Map<string, string>()) =>
    historyOf(withSuccessors(person, activeReplacements), state, activeReplacements).events.flatMap(
      ({ what, apps }) => (apps === undefined ? [] : [[what, ...apps]]),
    )

  expect(sentEmails.at(-1)?.text).toMatch(/- Jira 1\n +- Notion 1/)
  const ada = (await people.get(ADA))!
  expect(emailsOf(ada)).toEqual([
    ['reminder', 'jira_1', 'notion_1'],
    ['newApp', 'notion_1', 'jira_1'],
    ['invitation', 'jira_1'],
  ])
  expect(emailsOf(ada, new Map([['notion_1', 'notion_2']]))[0]).toEqual(['reminder', 'jira_1', 'notion_2'])
})
