// Every reason for which `onramp keep` exits with 3 is an item of /admin. Without a run of their own, --release,
// --removed, --pause-until and --confirm exit with 3, too: nothing was done, so there is nothing to show.
import { expect, it } from 'vitest'
import { describeActionItems } from '../../src/admin/overview.ts'
import { withCompanyNames } from '../../src/admin/unique-names.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport, newAppCounts } from '../../src/admin/report.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { neutralCompany, resolveCompany } from '../../src/company/company.ts'
import { newApproval, type KeepState } from '../../src/people/keep-state.ts'
import { problemFor } from '../client-api/problem-for.ts'
import { newKeepState, withAppStates, withEmailState } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'
import {
  ADA,
  DAY,
  goneForTwelve,
  HOUR,
  setUpInstallation,
  type Installation,
  monday,
} from './installation.ts'

const BOB = 'bob@acme.example'

async function itemsOnAdmin({ people, keepState, conditions }: Installation) {
  const state = await keepState.load()
  const report = await createReport(summarizeAll(people.all(), state), conditions.now)
  const shown = withCompanyNames(report, state, neutralCompany, 'en')
  return describeActionItems(shown.report, shown.keepState, { ...neutralCompany, t, now: conditions.now })
}

async function askForApproval({ people, unconnectedApps }: Installation, ...apps: string[]) {
  unconnectedApps.set(ADA, apps)
  const states = Object.fromEntries(apps.map((instance) => [instance, 'blocked' as const]))
  await people.change(ADA, (person) => withAppStates(person, states, monday))
}

const manyFaults = Array.from({ length: 40 }, (_, line) => `line ${line}: x`)
const runs: [string, RegExp, (installation: Installation) => Promise<{ exit: number; err: string }>][] = [
  [
    'many people lost an app',
    /Slack 1: 0 of 12 people lost access/,
    async ({ run, pauseEmails }) => {
      await pauseEmails('slack_1')
      return await run([ADA])
    },
  ],
  ['an app is gone from many lists', /Jira 1 is gone from 12 lists/, goneForTwelve],
  [
    'no one can be asked for an approval',
    /1 person is waiting for you to approve slack\. No one could be asked/,
    async (installation) => {
      await askForApproval(installation, 'slack_1')
      return await installation.run([ADA])
    },
  ],
  [
    'no one can be asked about the last of five approvals',
    /1 person is waiting for you to approve e\. No one could be asked/,
    async (installation) => {
      await askForApproval(installation, 'a_1', 'b_1', 'c_1', 'd_1', 'e_1')
      const requested = { requestedAt: monday, requestedForCount: 1 }
      const approvals = ['a_1', 'b_1', 'c_1', 'd_1'].map((one) => ({
        ...newApproval(one, one),
        ...requested,
      }))
      await installation.keepState.save({ ...newKeepState(), approvals })
      return await installation.run([ADA])
    },
  ],
  [
    'an approval failed, and no one waits',
    /slack may still need approval\. No one could be asked/,
    async ({ run, people, unconnectedApps, keepState }) => {
      unconnectedApps.set(ADA, ['slack_1'])
      const email = { campaign: 'approvals', reminder: 0, state: 'sent', apps: ['slack_1'] } as const
      await people.change(ADA, (person) => {
        const tester = withAppStates(person, { slack_1: 'unconfirmed' }, monday)
        return withEmail(tester, { ...email, now: monday - HOUR })
      })
      const times = { approvedAt: monday - DAY, stageChangedAt: monday - DAY }
      const approval = { ...newApproval('slack_1', 'slack_1'), stage: 'approved' as const, ...times }
      await keepState.save({ ...newKeepState(), approvals: [approval] })
      return await run([ADA])
    },
  ],
  [
    'no run of a week was made in working time',
    /No run of this week was made in working time in Asia\/Tokyo: schedule onramp keep every hour\./,
    async ({ run, conditions }) => {
      const list = [{ email: ADA, timezone: 'Asia/Tokyo' }]
      await run(list)
      conditions.now = monday + 8 * DAY
      return await run(list)
    },
  ],
  [
    'a line is invalid',
    /line 3: "Ada Byron" is not a valid email address\./,
    ({ run }) => run([ADA], { faults: ['line 3: "Ada Byron" is not a valid email address'] }),
  ],
  [
    'a record can’t be read, beside many invalid lines',
    /People whose record can't be read: 1\. See "npm run onramp -- doctor"\./,
    async ({ run, people, records }) => {
      await people.change(ADA, (person) => ({ ...person, name: 'Ada' }))
      for await (const keys of records.keys('person:'))
        for (const key of keys) await records.put(key, 'nothing readable', 3600)
      return await run([ADA], { faults: manyFaults })
    },
  ],
  [
    'the service rejects requests, beside many invalid lines',
    /Requests rejected by the service \(401 or 403\): 1\. .* See "npm run onramp -- doctor --as EMAIL"\./,
    async ({ run, conditions }) => {
      conditions.onCheck = () => {
        throw Object.assign(problemFor(403), { responseStatus: 403 })
      }
      return await run([ADA], { faults: manyFaults })
    },
  ],
  [
    'a new address has another person’s data',
    /bob@acme.example has data of its own, and two people never become one/,
    async ({ run }) => {
      await run([
        { email: ADA, id: 'E1' },
        { email: BOB, id: 'E2' },
      ])
      return await run([
        { email: BOB, id: 'E1' },
        { email: ADA, id: 'E2' },
      ])
    },
  ],
  [
    'an email was rejected for good',
    /Fix 1 bounced email\. They were .* sent on Jan 18, 2027 to old@acme\.example\. Check the addresses/,
    async ({ run, unconnectedApps }) => {
      for (const email of [ADA, 'old@acme.example']) unconnectedApps.set(email, ['slack_1'])
      return await run([ADA, 'old@acme.example'])
    },
  ],
  [
    'it is unknown whether an email arrived',
    /Check 1 uncertain delivery\. The connection broke .* now, run:/,
    async ({ run, unconnectedApps, conditions }) => {
      unconnectedApps.set(ADA, ['slack_1'])
      conditions.sendResult = { outcome: 'unknown', reply: 'the connection broke', reason: 'other' }
      return await run([ADA])
    },
  ],
]

it.each(runs)('a run exits with 3 and /admin says the same if %s', async (_title, sentences, runWith) => {
  const installation = setUpInstallation({ ADMIN_EMAILS: '' })

  const { exit, err } = await runWith(installation)

  expect(exit).toBe(3)
  expect(err).toMatch(new RegExp(`^Needs you: .*${sentences.source}`, 'm'))
  const items = (await itemsOnAdmin(installation)).map(({ title, detail }) => `${title}. ${detail}`)
  const onPage = items.map((item) => item.replaceAll(/[\u2068\u2069]/g, '').replaceAll('?.', '?'))
  expect(onPage).toContainEqual(expect.stringMatching(sentences))
})

it('the digest tells what a run needs, without quoting the list', async () => {
  const { run, keepState, sentEmails } = setUpInstallation()

  const faults = [
    'line 3: "Ada Byron" is not a valid email address',
    'line 4: missing email address',
    'bob@acme.example: unchanged: eve@acme.example has data of its own',
  ]
  await run([ADA], { faults, digest: 'monday' })
  const readable = await run([ADA])

  const { text = '' } = sentEmails.findLast(({ subject }) => /Rollout progress/.test(subject)) ?? {}
  expect(text).toMatch(/3 rows of the list can’t be\s+used\. “Rollout progress” names\s+them\./)
  expect(text).not.toMatch(/Nothing needs you|Byron|line 4|bob@|…/)
  expect([readable.exit, (await keepState.load()).needs]).toEqual([0, []])
})

it('/admin shows a run’s action items as sentences, and counts the rest', async () => {
  const { run, keepState } = setUpInstallation()
  const faults = Array.from({ length: 40 }, (_, line) => `line ${line}: ${'too long '.repeat(70)}name`)

  await run([ADA], { faults })

  const { needs = [] } = await keepState.load()
  expect(needs).toHaveLength(21)
  expect(needs.at(-1)).toBe('20 more lines are invalid.')
  expect(needs[0]).toBe(`${faults[0]}.`)
})

it('an email that may have arrived is reported with a command, and counts as sent', async () => {
  const { run, unconnectedApps, subjectsTo, conditions } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  conditions.sendResult = { outcome: 'unknown', reply: 'the connection broke', reason: 'other' }

  const { exit, err } = await run([ADA])
  expect(exit).toBe(3)
  expect(err).toContain('invite send PEOPLE.csv --retry-unknown')

  conditions.sendResult = { outcome: 'sent' }
  for (const { days, emails } of [
    { days: 6, emails: 1 },
    { days: 7, emails: 2 },
  ]) {
    conditions.now = monday + days * DAY + HOUR
    const later = await run([ADA])
    expect({ exit: later.exit, emails: subjectsTo(ADA).length }).toEqual({ exit: 0, emails })
  }
})

it('a run prints what can wait on /admin, once, and exits with 0', async () => {
  const installation = setUpInstallation()
  await installation.run([ADA, BOB])
  await askForApproval(installation, 'slack_1')
  await installation.people.change(BOB, (person) => withEmailState(person, 'failed', { now: monday }))
  await installation.run([ADA, BOB])

  const { exit, err } = await installation.run([ADA, BOB])

  const titles = (await itemsOnAdmin(installation)).map(({ title }) =>
    title.replaceAll(/[\u2068\u2069]/g, ''),
  )
  const printed = [...err.matchAll(/^Needs you: (.*?)\. /gm)].map(([, title]) => title)
  expect({ exit, printed }).toEqual({ exit: 0, printed: titles })
  expect(printed).toEqual([expect.stringMatching(/approve slack/), 'Fix 1 bounced email'])
})

it('an email that a killed run left open fails one run, and stays printed', async () => {
  const { run, unconnectedApps, people } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  await run(['bob@acme.example'])
  await people.change(ADA, (person) =>
    withEmail(person, { campaign: 'onboarding', reminder: 0, state: 'sending', now: monday + 1 }),
  )

  const first = await run([ADA, 'bob@acme.example'])
  const second = await run([ADA, 'bob@acme.example'])

  const countIn = (err: string) => /Check (\d+) uncertain delivery\./.exec(err)?.[1]
  expect({ exit: first.exit, count: countIn(first.err) }).toEqual({ exit: 3, count: '1' })
  expect({ exit: second.exit, count: countIn(second.err) }).toEqual({ exit: 0, count: '1' })
})

async function shownAfterMove(changed: Partial<KeepState>) {
  const company = resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
  company.activateReplacements([{ instance: 'slack_2' }])
  const report = await createReport(summarizeAll(setUpInstallation().people.all()), monday)
  const apps = { ...report, datasources: [newAppCounts('slack_2', 'Slack')] }
  return withCompanyNames(apps, { ...newKeepState(), ...changed }, company, 'en')
}

const formerSlack = { instance: 'slack_1', name: 'Slack', noticedAt: 1, since: 1 }

it('an app that replaces another one of its name has that name on /admin', async () => {
  const massDisconnects = [{ ...formerSlack, lapsed: 9, had: 10, resumedAt: 2 }]
  const shown = await shownAfterMove({ massDisconnects, delistedApps: [{ ...formerSlack, people: 12 }] })
  expect(shown.report.datasources[0]?.name).toBe('Slack')
  expect(shown.keepState.delistedApps).toEqual([])
})

it.each([
  ['for most people', { movedTo: 'slack_2' }],
  ['for some people', { likelySuccessor: 'slack_2' }],
])('before the next run, /admin asks for no replaces of an app that moved %s', async (_title, move) => {
  const massDisconnects = [{ ...formerSlack, lapsed: 9, had: 10, ...move }]
  const shown = await shownAfterMove({ massDisconnects })
  const [item] = describeActionItems(shown.report, shown.keepState, { ...neutralCompany, t, now: monday })

  expect(item?.detail).toMatch(/^Slack has moved to slack_2\. (?:(?!replaces).)*$/)
  expect(item?.command).toMatch(/--release slack_2$/)
})

it('/admin doesn’t report a run that the operator interrupted', async () => {
  const installation = setUpInstallation()
  await installation.run([ADA, 'bob@acme.example'])
  const interrupted = { signal: AbortSignal.abort() }
  await expect(installation.run([ADA], interrupted)).rejects.toThrow(/Nothing was done/)
  expect((await installation.keepState.load()).stopped).toBeUndefined()
})

it('/admin reports a stopped run until another one completes', async () => {
  const installation = setUpInstallation()
  const { run, conditions } = installation
  const needs = async () =>
    (await itemsOnAdmin(installation)).map(({ title, detail, command }) => [title, detail, command])
  const both = [ADA, 'bob@acme.example']
  await run(both)
  for (const [list, why, command] of [
    [
      [ADA],
      /^1 of the 2 .* put the right one back: the next run needs nothing else\..*person rename --file(?:(?!list is right).)* If the list is right, run:$/,
      /csv --confirm$/,
    ],
    [[], /^the list has no one on it\. Nothing was done\. Until a run ends well.* Remove the cause/, /csv$/],
  ] as const) {
    await expect(run(list)).rejects.toThrow(/Nothing was done/)
    expect(await needs()).toMatchObject([
      [
        expect.stringMatching(/^A run stopped \(January 18, 2027 at 11:00\sAM\)$/),
        expect.stringMatching(why),
        expect.stringMatching(command),
      ],
    ])
  }
  await run(both)
  expect(await needs()).toEqual([])
  conditions.holdsLease = false
  await expect(run(both)).rejects.toThrow('another run took over')
  expect(await needs(), 'The other run goes on').toEqual([])
})

/** A run for five people at the limit since a Saturday, for whom Notion is new. */
async function runForUntold({ run, people, unconnectedApps, keepState }: Installation) {
  const email = { state: 'sent', at: monday - 2 * DAY, reminder: 0 } as const
  const campaigns = [{ name: 'onboarding', emails: [email, email, email, email] }]
  const list = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@acme.example`)
  for (const address of list) {
    unconnectedApps.set(address, ['notion_1'])
    const signedIn = { signedInAt: monday - DAY, campaigns, lastCheck: { checkedAt: monday - DAY, apps: [] } }
    await people.change(address, (person) => ({ ...person, ...signedIn }))
  }
  const counts = { ready: 5, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0, people: 5, gone: 0 }
  await keepState.save({ ...newKeepState(), days: [{ ...counts, day: '2027-01-17' }] })
  return await run(list, { digest: 'monday' })
}

it('a run says whom the limit keeps from being told, without exit code 3', async () => {
  const { exit, err } = await runForUntold(setUpInstallation())
  expect(exit).toBe(0)
  expect(err).toContain(
    'Needs you: Notion 1: 5 people don’t know that they have to connect it. It was lost, has moved or is new for them, and they’ve had four emails in a quarter. No email can leave before Apr 19, 2027: announce it on the intranet, or tell them.\n  https://onramp.acme.example/admin/people?show=limited&app=notion_1\n',
  )
})

it('the digest names an app of which people at the limit don’t know', async () => {
  const installation = setUpInstallation()
  await runForUntold(installation)
  const digest = installation.sentEmails.find(({ to }) => to === 'admin@acme.example')
  expect(digest?.text).toContain('Notion 1: 5 people don’t know that they have to connect it')
})
