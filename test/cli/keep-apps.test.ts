// Runs of `onramp keep` after an app was lost, removed or replaced for many people at once.
import { expect, it } from 'vitest'
import { summarize, summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { personForCounts } from '../../src/people/keep-state.ts'
import { appsOf } from '../../src/people/person.ts'
import { jira, lostApps, slack } from '../campaigns/lapsed-person.ts'
import { withConsents } from '../helpers/people.ts'
import {
  ADA,
  auditedIn,
  DAY,
  goneForTwelve,
  HOUR,
  type Installation,
  monday,
  OPERATOR,
  runMassDisconnect,
  setUpInstallation,
  twelve,
} from './installation.ts'

it('a mass disconnect is reported once to each admin, even if one is rejected', async () => {
  const installation = await runMassDisconnect(['slack_1'])
  expect(installation.sentEmails.map(({ to }) => to)).toEqual(['old@acme.example', 'admin@acme.example'])
  expect(installation.events).toMatchObject([{ type: 'app.disconnected_for_many' }])
})

it('the first email after a release has the operator who released it', async () => {
  const { run, conditions, people } = await runMassDisconnect(['slack_1'])
  conditions.now = monday + 3 * DAY
  await run(twelve, { release: ['slack_1'] })
  for (const day of [4, 7]) {
    conditions.now = monday + day * DAY
    await run(twelve)
  }

  const { campaigns, accessEvents } = (await people.get(twelve[0]!))!
  const lapses = campaigns.find(({ name }) => name === 'lapses')?.emails
  expect(lapses?.map(({ releasedBy }) => releasedBy)).toEqual([OPERATOR, undefined])
  expect(accessEvents?.map(({ what }) => what)).toEqual(['lost'])
})

it('a run prints that a hold ended without a release', async () => {
  const installation = await runMassDisconnect(['slack_1'])
  const ending = await installation.runForTwelve([], installation.conditions.now + 7 * HOUR)
  const next = await installation.run(twelve)

  const line =
    /^Slack 1 is back for most of the 12 people who had lost it \([^)]*\)\. Emails to the others are no longer on hold\.$/m
  expect(ending.err).toMatch(line)
  expect(next.err).not.toMatch(line)
})

it('a mass disconnect of a second workspace is numbered in the email and the summary', async () => {
  const installation = setUpInstallation()
  installation.names.set('slack_1', 'Slack').set('slack_2', 'Slack')
  const { err } = await runMassDisconnect(['slack_1', 'slack_2'], installation)
  expect(installation.subjectsTo('admin@acme.example')).toEqual([
    expect.stringMatching(/^Slack\u00a0\(2\): 12 of 12 people/),
  ])
  expect(err).toContain('Slack\u00a0(2): 12 of 12 people lost access')
})

/** An installation with holds of Slack, Jira and Figma. Figma has moved since. */
async function installationWithHolds() {
  const installation = setUpInstallation()
  await installation.pauseEmails('slack_1', 'jira_1', 'figma_1')
  const state = await installation.keepState.load()
  const [slackHold, jiraHold, figmaHold] = state.massDisconnects
  const massDisconnects = [slackHold!, jiraHold!, { ...figmaHold!, movedTo: 'figma_2' }]
  await installation.keepState.save({ ...state, massDisconnects })
  installation.unconnectedApps.set(ADA, ['jira_1'])
  return { ...installation, heldSince: jiraHold!.since }
}

it('mass disconnects are reported with one command that resumes all of them', async () => {
  const { run } = await installationWithHolds()
  const { exit, err } = await run([ADA])
  const command = 'keep PEOPLE.csv --release slack_1 --release jira_1 --release figma_2\n'
  expect([exit, err]).toEqual([3, expect.stringContaining(command)])
})

it('after a release, onramp keep prints when the last people are emailed', async () => {
  const { run } = await installationWithHolds()
  const { err } = await run([ADA], { release: ['slack_1'] })
  const sentence =
    'Slack 1 is released. People who lost access are emailed from now on: the last of them after the next check of everyone, usually within six hours.'
  expect(err).toContain(`${sentence}\n`)
})

it('after a release, onramp keep counts people who wait for the limit of the quarter', async () => {
  const { run, people, heldSince } = await installationWithHolds()
  const emails = [0, 1, 2, 3].map((reminder) => ({ state: 'sent' as const, at: monday - DAY, reminder }))
  const atLimit = { ...lostApps([jira], heldSince), campaigns: [{ name: 'onboarding', emails }] }
  await people.change(ADA, () => atLimit)
  const { err } = await run([ADA], { release: ['jira_1'] })
  expect(err).toContain('usually within six hours. Waiting for the limit of four emails in a quarter: 1.\n')
})

it('during a pause, onramp keep prints no time for the emails of a release', async () => {
  const { run, keepState } = await installationWithHolds()
  await keepState.save({ ...(await keepState.load()), pausedUntil: monday + 30 * DAY })
  const { err } = await run([ADA], { release: ['figma_2'] })
  expect(err).toMatch(/is released\.\n/)
})

const jiraIn = async ({ people, keepState }: Installation) => {
  const report = await createReport(summarizeAll(people.all(), await keepState.load()), monday)
  return report.datasources.find(({ instance }) => instance === 'jira_1')?.counts.connected
}

it('an app gone from many lists is a question to admins, and not counted', async () => {
  const installation = setUpInstallation()
  installation.names.set('jira_1', 'Jira')
  const { exit, err } = await goneForTwelve(installation)
  expect(installation.subjectsTo('admin@acme.example')).toEqual([
    'Jira is gone from 12 lists. Was it removed?',
  ])
  expect([exit, err]).toEqual([3, expect.stringContaining('keep PEOPLE.csv --removed jira_1')])
  expect(await jiraIn(installation)).toBeUndefined()
  await installation.run(twelve)
  expect(installation.subjectsTo('admin@acme.example')).toHaveLength(1)
})

it('an app gone while another instance is new for many may have moved there', async () => {
  const { run, runForTwelve, sentEmails } = setUpInstallation()
  await runForTwelve(['jira_1'], monday)
  await runForTwelve(['jira_2'], monday + DAY)

  const { err } = await run(twelve)

  const move =
    'removed? 12 people have jira_2 now. If it has moved there, add “jira_2: { replaces: jira_1 }” to the company file. If you don’t answer, we tell people two working days later that jira_2 is new.'
  const notice = sentEmails.find(({ to }) => to === 'admin@acme.example')
  for (const text of [err, notice?.text.replaceAll(/\s+/g, ' ')]) expect(text).toContain(move)
})

it('a run that finds an app gone from many lists doesn’t count it as connected', async () => {
  const { run, unconnectedApps, conditions, keepState } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  for (const [apps, at] of [
    [['jira_1'], monday],
    [[], monday + DAY],
  ] as const) {
    for (const email of twelve) unconnectedApps.set(email, [...apps])
    conditions.now = at
    await run([...twelve, ADA])
  }
  const { days, delistedApps } = await keepState.load()
  expect([delistedApps?.length, days.at(-1)]).toMatchObject([1, { ready: 12, nothing: 12 }])
})

const answers = {
  removed: { removed: ['jira_1'] },
  connected: { release: ['jira_1'] },
}

it.each([
  ['removed', 'is in no count', undefined, 'Jira 1 counts as removed: it is in no figure and no email.\n'],
  ['connected', 'is connected for all', 12, 'Jira 1 counts as connected for everyone whose list it left.\n'],
] as const)(
  'once an operator answers that an app that left lists was %s, it %s',
  async (answer, _title, connected, sentence) => {
    const installation = setUpInstallation()
    await goneForTwelve(installation)

    const { exit, err } = await installation.run(twelve, answers[answer])

    expect([exit, err.includes('Needs you')]).toEqual([0, false])
    expect(err).toContain(sentence)
    expect(await jiraIn(installation)).toBe(connected)
  },
)

it.each([
  ['removed', 'removed', 'removed', answers.removed],
  ['connected', 'released', 'markedConnected', {}],
] as const)(
  'the answer that an app is %s is audited once, and recorded',
  async (answer, audited, what, again) => {
    const installation = setUpInstallation()
    await goneForTwelve(installation)

    const answered = await installation.run(twelve, answers[answer])
    const later = await installation.run(twelve, again)

    expect(auditedIn(answered)).toEqual([`${audited} jira_1`])
    expect([auditedIn(later), later.err.includes('Jira 1')]).toEqual([[], false])
    expect((await installation.keepState.load()).actions).toMatchObject([
      { what, by: OPERATOR, app: 'jira_1' },
    ])
  },
)

it('--removed is refused for an app that left no lists', async () => {
  const installation = setUpInstallation()
  await goneForTwelve(installation)
  const refused = installation.run(twelve, { removed: ['slack_1'] })
  await expect(refused).rejects.toThrow('--removed slack_1: this app isn')
})

it.each<[string, string[], string[], number]>([
  ['no one if an earlier run found it gone from many lists', ['slack_1'], [], 0],
  ['no one if the same run finds it gone from many lists', ['jira_1', 'slack_1'], [], 0],
  ['everyone who connected it on a page', ['slack_1'], twelve, 12],
])('reminders count an app that is gone as connected for %s', async (_title, listed, byPage, count) => {
  const installation = setUpInstallation()
  const { unconnectedApps, conditions, sentEmails, people, run } = installation
  for (const [apps, at] of [
    [['jira_1', 'slack_1'], monday],
    [listed, monday + DAY],
    [listed, monday + DAY + HOUR],
    [['slack_1'], monday + 7 * DAY],
  ] as const) {
    for (const email of twelve) unconnectedApps.set(email, [...apps])
    conditions.now = at
    sentEmails.length = 0
    if (at === monday + DAY)
      for (const email of byPage) await people.change(email, (person) => withConsents(person, at, [slack]))
    await run(twelve)
  }

  const texts = sentEmails.map(({ text }) => text).filter((text) => text.includes('to go'))
  expect(texts).toHaveLength(12)
  expect(texts.filter((text) => text.includes('connected.'))).toHaveLength(count)
})

it.each([{ jira_1: { hidden: true } }, { jira_2: { replaces: 'jira_1' } }])(
  'a company file with %j closes the question at once',
  async (datasources) => {
    const installation = await goneForTwelve()
    const { exit, err } = await installation.run(twelve, {
      company: resolveCompany({ datasources }, new Map()),
    })
    expect([exit, err.includes('Needs you')]).toEqual([0, false])
  },
)

it('a hidden app counts as removed, once, until lists have it again', async () => {
  const installation = await goneForTwelve()
  const hidden = resolveCompany({ datasources: { jira_1: { hidden: true } } }, new Map())
  installation.conditions.now += 7 * HOUR
  const runs = [
    await installation.run(twelve, { company: hidden }),
    await installation.run(twelve, { company: hidden }),
  ]
  installation.conditions.now += 7 * HOUR
  const shown = await installation.run(twelve)
  expect([...runs, shown].map(({ exit }) => exit)).toEqual([0, 0, 0])
  expect([...runs, shown].map(({ err }) => err.includes('Jira 1 was hidden.'))).toEqual([true, false, false])
  expect([...runs, shown].flatMap(auditedIn)).toEqual([])
  expect(await jiraIn(installation)).toBeUndefined()
})

it('an app that was hidden while in question is new on lists once shown', async () => {
  const installation = await goneForTwelve()
  const hidden = resolveCompany({ datasources: { jira_1: { hidden: true } } }, new Map())
  installation.conditions.now += 7 * HOUR
  await installation.run(twelve, { company: hidden })
  for (const email of twelve.slice(0, 3)) installation.unconnectedApps.set(email, ['jira_1', 'slack_1'])
  installation.conditions.now += 7 * HOUR
  await installation.run(twelve)

  expect((await installation.keepState.load()).delistedApps).toEqual([])
  const apps = (await installation.people.get(twelve[0]!))?.lastCheck?.apps
  const jiraApp = apps?.find(({ instance }) => instance === 'jira_1')
  expect(jiraApp).toMatchObject({ status: 'awaiting', newAt: expect.any(Number) as number })
})

it.each([
  ['asked about', []],
  ['answered', ['jira_1']],
])(
  'people whose only app left their lists haven’t connected everything, once it is %s',
  async (_title, removed) => {
    const { run, runForTwelve, conditions, people } = setUpInstallation()
    await runForTwelve(['jira_1'], monday)
    await runForTwelve([], monday + 8 * HOUR)
    conditions.now += 7 * HOUR
    await run(twelve, { removed })
    expect((await people.get(twelve[0]!))?.finishedAt).toBeUndefined()
  },
)

it.each([
  ['one that few have', 12, 2],
  ['those that only few have', 4, 4],
])('an outage that empties all lists makes no losses, also of %s', async (_title, many, few) => {
  const installation = setUpInstallation()
  const { run, unconnectedApps, conditions, people } = installation
  const list = (isOutage: boolean) => {
    for (const [index, email] of twelve.entries()) {
      const apps = [index < many ? 'jira_1' : [], index >= 12 - few ? 'rare_1' : []].flat()
      unconnectedApps.set(email, isOutage ? [] : apps)
    }
  }
  const sweep = async (hours: number) => {
    conditions.now += hours * HOUR
    return await run(twelve)
  }
  list(false)
  await run(twelve)
  list(true)
  const during = await sweep(6)
  const counted = personForCounts((await people.get(twelve[11]!))!, await installation.keepState.load())
  list(false)
  await sweep(6)
  await sweep(6)

  expect(during.err).toContain('No list has an app left.')
  expect(appsOf(counted)).toEqual([])
  const after = await people.get(twelve[11]!)
  expect(after?.lastCheck?.apps.map(({ lapsedAt }) => lapsedAt)).toEqual(
    many < 12 ? [undefined] : [undefined, undefined],
  )
  expect(after).not.toHaveProperty('finishedAt')
})

it.each([
  ['without an outage', false],
  ['after an outage that emptied all lists', true],
])('a new app is announced once the limit of the quarter allows it, %s', async (_title, isOutage) => {
  const { runForTwelve, sentEmails } = setUpInstallation()
  const sweep = (day: number, ...apps: string[]) => runForTwelve(apps, monday + day * DAY)
  for (const day of [0, 7, 14, 21]) await sweep(day, 'jira_1')
  await sweep(22, 'jira_1', 'notion_1')
  await sweep(23, ...(isOutage ? [] : ['jira_1', 'notion_1']))
  await sweep(24, 'jira_1', 'notion_1')
  expect(sentEmails.filter(({ to }) => to === twelve[0])).toHaveLength(4)
  sentEmails.length = 0
  await sweep(93, 'jira_1', 'notion_1')
  await sweep(94, 'jira_1', 'notion_1')
  const subjects = sentEmails.filter(({ to }) => twelve.includes(to)).map(({ subject }) => subject)
  expect(subjects).toEqual(twelve.map(() => 'Notion 1 is new in search'))
})

it.each([
  ['still counts if four other lists are empty', 4, ['jira_1']],
  ['is in question if five other lists are empty', 5, []],
])('a lost app that is gone in an outage %s', async (_title, many, counted) => {
  const { run, unconnectedApps, conditions, people, keepState } = setUpInstallation()
  const sweep = async (apps: readonly string[], ofOthers: readonly string[]) => {
    for (const [index, email] of twelve.entries())
      unconnectedApps.set(email, index >= 8 ? [...apps] : index < many ? [...ofOthers] : [])
    conditions.now += 6 * HOUR
    await run(twelve)
  }
  for (const apps of [['jira_1'], [], ['jira_1']]) await sweep(apps, ['slack_1'])
  await sweep([], [])
  const person = personForCounts((await people.get(twelve[8]!))!, await keepState.load())
  expect(appsOf(person).map(({ instance }) => instance)).toEqual(counted)
})

it.each([
  ['exits with 0 if four people', 4, 0],
  ['needs an admin if five people', 5, 3],
])('a run %s connected all of their apps elsewhere', async (_title, count, code) => {
  const { run, unconnectedApps, conditions } = setUpInstallation()
  const few = twelve.slice(0, count)
  for (const email of few) unconnectedApps.set(email, ['jira_1', `own${few.indexOf(email)}_1`])
  await run(few)
  for (const email of few) unconnectedApps.set(email, [])
  conditions.now += 6 * HOUR
  expect((await run(few)).exit).toBe(code)
})

it('an app that returns to the lists is unconnected again, without lapses', async () => {
  const installation = await goneForTwelve()
  const { exit } = await installation.runForTwelve(['jira_1', 'slack_1'], monday + 2 * DAY)
  const apps = (await installation.people.get(twelve[0]!))?.lastCheck?.apps
  expect([exit, apps?.find(({ instance }) => instance === 'jira_1')]).toEqual([
    0,
    {
      instance: 'jira_1',
      name: 'jira_1',
      status: 'awaiting',
      since: expect.any(Number) as number,
      previousDelistedAt: expect.any(Number) as number,
    },
  ])
})

it('an app that was gone for a day makes no one finished', async () => {
  const installation = setUpInstallation()
  const { run, unconnectedApps, conditions, people } = installation
  const check = async (apps: string[], connect = false) => {
    for (const email of twelve) {
      unconnectedApps.set(email, apps)
      const unconnected = apps.map((instance) => ({ instance, name: instance, status: 'awaiting' as const }))
      if (connect) await people.change(email, (one) => withConsents(one, conditions.now, unconnected))
    }
    conditions.now += 6 * HOUR
    await run(twelve)
    return (await people.get(twelve[0]!))!
  }
  await check(['jira_1', 'slack_1'])
  await check(['jira_1'], true)
  const gone = await check([])
  const question = await installation.keepState.load()
  const back = await check(['jira_1'])
  const lost = await check(['jira_1', 'slack_1'])

  expect(question.delistedApps).toHaveLength(1)
  expect((await installation.keepState.load()).delistedApps).toEqual([])
  expect([gone, back].map(({ finishedAt }) => finishedAt !== undefined)).toEqual([true, false])
  expect(back.accessEvents).toMatchObject([{ what: 'listed', instance: 'jira_1' }])
  expect(summarize(lost).progress).toBe('notStarted')
})

it('a replacement app is announced in one email to former users, without a question', async () => {
  const { run, unconnectedApps, conditions, people, sentEmails } = setUpInstallation()
  const company = resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
  const formerUsers = twelve.slice(0, 6)
  const [neverSeen] = formerUsers
  const listing = async (app: string, at: number, given = {}) => {
    for (const email of twelve) unconnectedApps.set(email, email === neverSeen ? ['jira_1'] : [app])
    if (app === 'slack_2') unconnectedApps.set(neverSeen!, ['jira_1', app])
    conditions.now = at
    return await run(twelve, given)
  }
  await listing('slack_1', monday)
  for (const email of formerUsers.slice(1))
    await people.change(email, (person) => withConsents(person, conditions.now))
  sentEmails.length = 0
  for (const hours of [23, 29, 30]) await listing('slack_2', monday + hours * HOUR, { company })
  expect(sentEmails.map(({ to }) => to).toSorted()).toEqual(formerUsers.toSorted())
  expect(new Set(sentEmails.map(({ subject }) => subject))).toEqual(
    new Set(['Slack 2 has moved: connect it to search again']),
  )
  const { campaigns } = (await people.get(neverSeen!))!
  expect(campaigns.at(-1)).toMatchObject({ name: 'new-apps', emails: [{ state: 'sent', isMoved: true }] })
  const { exit, err } = await run(twelve, { company })
  expect([exit, err.includes('gone from')]).toEqual([0, false])
})

it('someone whose list still has only the replaced app has not connected its replacement', async () => {
  const { run, runForTwelve, unconnectedApps, conditions, people } = setUpInstallation()
  const company = resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
  const [moved, ...others] = twelve
  await runForTwelve(['slack_1'], monday)
  unconnectedApps.set(moved!, ['slack_2', 'slack_1'])
  for (const hours of [7, 14]) {
    conditions.now = monday + hours * HOUR
    await run(twelve, { company })
  }

  const statusOf = async (email: string) =>
    (await people.get(email))?.lastCheck?.apps.find(({ instance }) => instance === 'slack_2')?.status
  expect(await Promise.all([moved!, ...others].map(statusOf))).toEqual(twelve.map(() => 'awaiting'))
})

it('until its replacement is listed, people connect the former app', async () => {
  const { run, unconnectedApps, conditions, keepState, subjectsTo } = setUpInstallation()
  const [connected, ...others] = twelve
  const seen = []
  for (const [day, listed] of [
    [0, 'slack_1'],
    [1, 'slack_1'],
    [2, 'slack_1'],
    [7, 'slack_2'],
  ] as const) {
    const datasources = day === 0 ? {} : { slack_2: { replaces: 'slack_1' } }
    for (const email of others) unconnectedApps.set(email, [listed])
    unconnectedApps.set(connected!, day === 1 || day === 2 ? [] : [listed])
    conditions.now = monday + day * DAY
    const company = resolveCompany({ datasources }, new Map())
    const { exit, err } = await run(twelve, { company })
    seen.push([exit, (await keepState.load()).days.at(-1)?.ready, err.includes('Needs you')])
  }

  expect(seen).toEqual([
    [0, 0, false],
    [0, 1, false],
    [0, 1, false],
    [0, 0, false],
  ])
  expect(subjectsTo('admin@acme.example')).toEqual([])
})
