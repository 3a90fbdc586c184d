// Hourly runs of `onramp keep` for a small company, with functions in place of the service and the mail server.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { RunDeps } from '../../src/campaigns/delivery.ts'
import { duePeople, KeepRun, zonesWithoutRun } from '../../src/campaigns/keep-run.ts'
import { Throttle } from '../../src/campaigns/throttle.ts'
import type { ListEntry } from '../../src/campaigns/people-file.ts'
import { newTally } from '../../src/campaigns/tally.ts'
import type { MassDisconnect, KeepState } from '../../src/people/keep-state.ts'
import { OperatorError } from '../../src/problem.ts'
import { toArray, newKeepState, testPeople, withConsents } from '../helpers/people.ts'
import { mail } from './sample-email.ts'

type KeepDeps = RunDeps & ConstructorParameters<typeof KeepRun>[2]

const HOUR = 3_600_000
const monday = Date.parse('2027-01-18T09:00:00Z')

type Apps = Record<string, 'awaiting' | 'connected'>

/** @param size people, each with these apps */
function createCompany(size: number, defaultApps: Apps) {
  const list: ListEntry[] = Array.from({ length: size }, (_, one) => ({ email: `p${one}@acme.example` }))
  const apps = new Map<string, Apps | undefined>(list.map(({ email }) => [email, { ...defaultApps }]))
  const setEveryonesApp = (state: 'awaiting' | 'connected') => {
    for (const { email } of list) apps.set(email, { slack_1: state })
  }
  return { list, apps, setEveryonesApp }
}

/** Knows the people of a company. Its response takes a second. */
function createService({ apps }: ReturnType<typeof createCompany>, clock: { now: number }) {
  const checkedEmails: string[] = []
  const check: KeepDeps['check'] = (email) => {
    clock.now += 1_000
    checkedEmails.push(email)
    const appsOfPerson = apps.get(email)
    if (appsOfPerson === undefined) return Promise.resolve({ kind: 'unknown', detail: 'no one' })
    const unconnected = Object.entries(appsOfPerson).flatMap(([instance, status]) =>
      status === 'connected' ? [] : [{ instance, name: instance, status }],
    )
    return Promise.resolve({ kind: 'checked', unconnected })
  }
  return { checkedEmails, check }
}

/** Emails whose subjects have their campaign, the number of the reminder, and their apps. */
const composeFor: KeepDeps['composeFor'] =
  (campaign) =>
  ({ email }, all, { reminder, alsoLeft = [] }) => {
    const name = { onboarding: 'invitation', lapses: 'lapse', 'new-apps': 'new' }[campaign]
    const appNames = name === 'invitation' && reminder === 0 ? '' : ` ${all.map((app) => app.name).join()}`
    const others = alsoLeft.map((app) => `, also ${app.name}`).join('')
    return { ...mail, to: email, subject: `${name} ${reminder}${appNames}${others}` }
  }

const runKeep = (list: readonly ListEntry[], deps: KeepDeps) => new KeepRun(list, deps, deps).run()

/** @param apps those of each person */
function setUpKeepRuns(size: number, apps: Apps = { slack_1: 'awaiting' }) {
  const clock = { now: monday }
  const company = createCompany(size, apps)
  const service = createService(company, clock)
  const people = testPeople({ now: () => clock.now })
  const sent: string[] = []
  const alerts: MassDisconnect[] = []
  let keepState: KeepState = newKeepState()

  const createDeps = (): KeepDeps => ({
    people,
    state: keepState,
    save: (next) => Promise.resolve(void (keepState = next)),
    company: { timezone: 'UTC', quietDays: [], activeReplacements: new Map() },
    ownersOf: () => [],
    requestApproval: () => Promise.resolve(false),
    findDecision: () => Promise.resolve(undefined),
    notify: ({ notifiedAt, ...found }) =>
      Promise.resolve({ notifiedAt: notifiedAt ?? (alerts.push(found) && clock.now) }),
    check: service.check,
    composeFor,
    send({ to, subject }) {
      sent.push(`${to} ${subject}`)
      return Promise.resolve({ outcome: 'sent' })
    },
    emailThrottle: new Throttle(Infinity),
    tally: newTally(),
    maxConcurrent: 3,
    requireConfirmation(message) {
      throw new OperatorError(message)
    },
    isComplete: true,
    holdsLease: () => Promise.resolve(true),
    now: () => clock.now,
    signal: new AbortController().signal,
  })

  const runHours = async (hours: number, recipients: readonly ListEntry[] = company.list): Promise<void> => {
    for (let hour = 0; hour < hours; hour++) {
      keepState = await runKeep(recipients, createDeps())
      clock.now += HOUR
    }
  }
  /** A check takes five minutes, so a run begins ten. */
  const runSlowly = async (): Promise<void> => {
    const [began, deps] = [clock.now, createDeps()]
    const check: typeof deps.check = (email) => {
      clock.now += 299_000
      return deps.check(email)
    }
    keepState = await runKeep(company.list, { ...deps, check, maxConcurrent: 1 })
    clock.now = began + HOUR
  }
  /** Yesterday, everyone connected everything, and opened their page. */
  const connectEveryone = async (): Promise<void> => {
    clock.now = monday - 20 * HOUR
    await runHours(1)
    clock.now = monday - 13 * HOUR
    company.setEveryonesApp('connected')
    for (const { email } of company.list) await people.change(email, (one) => withConsents(one, clock.now))
    await runHours(1)
    clock.now = monday
  }
  const release = () => {
    const massDisconnects = keepState.massDisconnects.map((one) => ({ ...one, resumedAt: 1 }))
    keepState = { ...keepState, massDisconnects }
  }
  const runs = { runHours, runSlowly, connectEveryone, release, createDeps, keepState: () => keepState }
  return { company, service, clock, people, sent, alerts, ...runs }
}

it('runs of a few hours invite new people once', async () => {
  const { runHours, sent, company } = setUpKeepRuns(4)
  await runHours(5)
  expect(sent.toSorted()).toEqual(company.list.map(({ email }) => `${email} invitation 0`))
})

it.each([
  ['no one again less than six hours after', 6 * HOUR - 1, 4],
  ['everyone again six hours after', 6 * HOUR, 8],
])('a run checks %s the sweep began', async (_title, after, checks) => {
  const { runHours, service, clock } = setUpKeepRuns(4)
  await runHours(5)
  clock.now = monday + after
  await runHours(1)
  expect(service.checkedEmails).toHaveLength(checks)
})

it('a run begins checks for fifty minutes, and the next one continues', async () => {
  const { runSlowly, service } = setUpKeepRuns(11)
  await runSlowly()
  const checksOfFirst = service.checkedEmails.length
  await runSlowly()
  expect([checksOfFirst, service.checkedEmails.length]).toEqual([10, 11])
})

it.each([
  { count: 8, runs: 1, areEnded: [true] },
  { count: 9, runs: 2, areEnded: [false, true] },
  { count: 25, runs: 2, areEnded: [false, true] },
])(
  'a sweep of one known and $count unknown people ends with run $runs',
  async ({ count, runs, areEnded }) => {
    const { runSlowly, company, people, service, keepState } = setUpKeepRuns(1 + count)
    for (const { email } of company.list.slice(1)) {
      company.apps.set(email, undefined)
      await people.change(email, (person) => ({ ...person, unknownAt: monday }))
    }

    const afterRuns: boolean[] = []
    for (let run = 0; run < runs; run++) {
      await runSlowly()
      afterRuns.push(keepState().sweep?.endedAt !== undefined)
    }

    expect(afterRuns).toEqual(areEnded)
    expect(service.checkedEmails[0]).toBe('p0@acme.example')
  },
)

it('the progress of a run counts each person once, also people who need no check', async () => {
  const { company, createDeps } = setUpKeepRuns(4)
  for (const email of ['p0@acme.example', 'p1@acme.example']) company.apps.set(email, undefined)
  const [first, second] = [createDeps(), createDeps()]
  await runKeep(company.list, first)
  await runKeep(company.list, {
    ...second,
    state: { ...second.state, sweep: { beganAt: monday, endedAt: monday } },
  })
  expect(first.tally.rows).toBe(4)
  expect(second.tally.rows).toBe(4)
})

it.each([
  ['refused', 'refused', 1],
  ['unknown', 'unknownToService', 1],
  // It may be over.
  ['no-response', 'deferred', 2],
] as const)(
  'someone with a due reminder whose check ends as %s counts as %s, %i times',
  async (kind, counted, times) => {
    const { company, runHours, createDeps, clock } = setUpKeepRuns(2)
    await runHours(1)
    clock.now = monday + 14 * 24 * HOUR
    const deps = createDeps()
    const checked: string[] = []
    const check: typeof deps.check = (email) => {
      checked.push(email)
      return email === 'p0@acme.example' ? Promise.resolve({ kind, detail: '' }) : deps.check(email)
    }
    await runKeep(company.list, { ...deps, check })
    expect(checked.filter((email) => email === 'p0@acme.example')).toHaveLength(times)
    expect(deps.tally).toMatchObject({ [counted]: times, sent: 1 })
  },
)

it('a run that is interrupted at its last check doesn’t end the sweep', async () => {
  const { company, createDeps, keepState } = setUpKeepRuns(1)
  const stop = new AbortController()
  const deps = createDeps()
  const check: typeof deps.check = async (email) => {
    stop.abort()
    return await deps.check(email)
  }
  await expect(runKeep(company.list, { ...deps, check, signal: stop.signal })).rejects.toThrow(/abort/)
  expect(keepState()).toMatchObject({ sweep: { beganAt: monday } })
  expect(keepState().sweep).not.toHaveProperty('endedAt')
})

it('a person whose access ended is emailed after the next sweep, unless they have reconnected', async () => {
  const { runHours, sent, company, connectEveryone } = setUpKeepRuns(12)
  await connectEveryone()
  company.apps.set('p0@acme.example', { slack_1: 'awaiting' })
  company.apps.set('p1@acme.example', { slack_1: 'awaiting' })
  await runHours(6)
  expect(sent).toEqual([])
  company.apps.set('p1@acme.example', { slack_1: 'connected' })
  await runHours(24)
  expect(sent).toEqual(['p0@acme.example lapse 0 slack_1'])
})

it('an app that people lose with the others isn’t new to them', async () => {
  const { runHours, connectEveryone, company, release, people, sent, alerts, keepState } = setUpKeepRuns(12)
  for (const { email } of company.list.slice(5)) company.apps.set(email, { slack_1: 'connected' })
  await connectEveryone()
  company.setEveryonesApp('awaiting')

  await runHours(48)
  expect(alerts).toMatchObject([{ lapsed: 12, had: 12 }])
  expect(keepState()).toMatchObject({ newApps: [], massDisconnects: [{ lapsed: 12, had: 12 }] })

  release()
  await runHours(24)
  const stored = await toArray(people.all())
  expect(stored.flatMap(({ lastCheck }) => lastCheck?.apps.flatMap(({ newAt = [] }) => newAt))).toEqual([])
  expect(sent.filter((one) => / new /.test(one))).toEqual([])
})

it('a run ends with everyone of the list on record, even if erased meanwhile', async () => {
  const { runHours, company, people, createDeps, clock } = setUpKeepRuns(2)
  company.apps.set('p0@acme.example', undefined)
  await runHours(1)

  const unknown = await people.get('p0@acme.example')
  expect(unknown).toMatchObject({ unknownAt: expect.any(Number) as number })
  const erasedAt = (unknown?.changedAt ?? 0) + 90 * 24 * HOUR
  clock.now = erasedAt - HOUR
  await runHours(1)
  clock.now = erasedAt - 1
  const deps = createDeps()
  await runKeep(company.list, {
    ...deps,
    save: (next) => deps.save(next).then(() => void (clock.now += 1_000)),
  })
  expect((await toArray(people.all())).map(({ email }) => email).toSorted()).toEqual(
    company.list.map(({ email }) => email),
  )
  expect(deps.tally.unreadable).toBe(0)
})

it('a newcomer isn’t invited to a paused app', async () => {
  const { runHours, sent, company, connectEveryone } = setUpKeepRuns(12)
  await connectEveryone()
  company.setEveryonesApp('awaiting')
  await runHours(7)
  company.apps.set('new@acme.example', { slack_1: 'awaiting' })
  await runHours(30, [...company.list, { email: 'new@acme.example' }])
  expect(sent).toEqual([])
})

it('checks don’t prolong the record of a person whom the service no longer knows', async () => {
  const { runHours, company, people } = setUpKeepRuns(2, { slack_1: 'connected' })
  await runHours(1)
  company.apps.set('p0@acme.example', undefined)
  await runHours(7)
  const first = await people.get('p0@acme.example')
  await runHours(14)
  expect(first?.unknownAt).toBeDefined()
  expect(await people.get('p0@acme.example')).toEqual(first)
})

it('a run continues although the service no longer knows many people', async () => {
  const { runHours, company, service } = setUpKeepRuns(12)
  await runHours(1)
  for (const some of [company.list.slice(0, 3), company.list.slice(3, 6)]) {
    for (const { email } of some) company.apps.set(email, undefined)
    await runHours(6)
  }
  service.checkedEmails.length = 0
  await runHours(6)
  expect(new Set(service.checkedEmails).size).toBe(12)
})

it('a reminder names apps that were never connected, and not one that was just lost', async () => {
  const { runHours, company, sent } = setUpKeepRuns(1, { slack_1: 'awaiting', jira_1: 'awaiting' })
  const { email } = company.list[0]!
  await runHours(6)
  company.apps.set(email, { slack_1: 'connected', jira_1: 'awaiting' })
  await runHours(7 * 24 - 6)
  company.apps.set(email, { slack_1: 'awaiting', jira_1: 'awaiting' })
  await runHours(1)
  expect(sent).toEqual([`${email} invitation 0`, `${email} invitation 1 jira_1`])
})

it('a time zone without a run in its working hours for a week is reported', async () => {
  const { keepState, createDeps, company } = setUpKeepRuns(1)
  const tokyo = [{ ...company.list[0]!, timezone: 'Asia/Tokyo' }]
  for (let day = 0; day < 9; day++)
    await runKeep(tokyo, { ...createDeps(), now: () => monday + day * 24 * HOUR })
  expect(zonesWithoutRun(keepState(), monday + 6 * 24 * HOUR)).toEqual([])
  expect(zonesWithoutRun(keepState(), monday + 8 * 24 * HOUR)).toEqual(['Asia/Tokyo'])
})

it('the emails due at a given time can be listed without checks and writes', async () => {
  const { createDeps, company, service, people } = setUpKeepRuns(2)
  const plan = async (now: number) => {
    const all = await toArray(duePeople(company.list, people, { ...createDeps(), now: () => now }))
    return all.map(({ emails }) => emails.map(({ name }) => name))
  }
  expect(await plan(monday)).toEqual([['onboarding'], ['onboarding']])
  expect(await plan(monday - 2 * HOUR)).toEqual([[], []])
  expect(service.checkedEmails).toEqual([])
  expect(await toArray(people.all())).toEqual([])
})

it('new people are planned in slices, so that nothing else is blocked', async () => {
  const { createDeps, company, people } = setUpKeepRuns(1_000)
  let turns = 0
  const planning = { isOver: false }
  const others = (async () => {
    for (; !planning.isOver; turns++) await nextTurn()
  })()
  const slices = new Map<number, number>()
  for await (const _person of duePeople(company.list, people, { ...createDeps(), now: () => monday }))
    slices.set(turns, (slices.get(turns) ?? 0) + 1)
  planning.isOver = true
  await others
  expect([...slices.values()]).toEqual([500, 500])
})

it.each(['notion_1', 'slack_1'])(
  'an email about %s takes a due reminder’s place, and lists its app',
  async (app) => {
    const { runHours, sent, company, clock } = setUpKeepRuns(1, {
      slack_1: 'connected',
      jira_1: 'awaiting',
    })
    const { email } = company.list[0]!
    company.apps.set(email, { slack_1: 'awaiting', jira_1: 'awaiting' })
    await runHours(6)
    company.apps.set(email, { slack_1: 'connected', jira_1: 'awaiting' })
    await runHours(30)
    // Over the weekend, before the reminder is due at seven days.
    clock.now = monday + 5 * 24 * HOUR
    company.apps.set(email, { slack_1: 'connected', jira_1: 'awaiting', [app]: 'awaiting' })
    await runHours(2 * 24 + 1)
    expect(sent.slice(1).map((one) => one.split(' ').slice(1).join(' '))).toEqual([
      app === 'slack_1' ? 'lapse 0 slack_1, also jira_1' : 'new 0 notion_1, also jira_1',
    ])
  },
)
