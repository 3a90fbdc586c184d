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
function setUpKeepRuns(size: number, apps: Apps = { slack_1: 'awaiting' }) {
  const list: ListEntry[] = Array.from({ length: size }, (_, one) => ({ email: `p${one}@acme.example` }))
  const service = new Map<string, Apps | undefined>(list.map(({ email }) => [email, { ...apps }]))
  const clock = { now: monday }
  const people = testPeople({ now: () => clock.now })
  const sent: string[] = []
  const alerts: MassDisconnect[] = []
  const checkedEmails: string[] = []
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
    check(email) {
      clock.now += 1_000
      checkedEmails.push(email)
      const has = service.get(email)
      if (has === undefined) return Promise.resolve({ kind: 'unknown', detail: 'no one' })
      const unconnected = Object.entries(has).flatMap(([instance, status]) =>
        status === 'connected' ? [] : [{ instance, name: instance, status }],
      )
      return Promise.resolve({ kind: 'checked', unconnected })
    },
    composeFor:
      (campaign) =>
      ({ email }, all, { reminder, alsoLeft = [] }) => {
        const name = { onboarding: 'invitation', lapses: 'lapse', 'new-apps': 'new' }[campaign]
        const appNames =
          name === 'invitation' && reminder === 0 ? '' : ` ${all.map((app) => app.name).join()}`
        const others = alsoLeft.map((app) => `, also ${app.name}`).join('')
        return { ...mail, to: email, subject: `${name} ${reminder}${appNames}${others}` }
      },
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

  const setEveryonesApp = (state: 'awaiting' | 'connected') => {
    for (const { email } of list) service.set(email, { slack_1: state })
  }

  const runHours = async (hours: number, recipients: readonly ListEntry[] = list): Promise<void> => {
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
    keepState = await runKeep(list, { ...deps, check, maxConcurrent: 1 })
    clock.now = began + HOUR
  }
  /** Yesterday, everyone connected everything, and opened their page. */
  const connectEveryone = async (): Promise<void> => {
    clock.now = monday - 20 * HOUR
    await runHours(1)
    clock.now = monday - 13 * HOUR
    setEveryonesApp('connected')
    for (const { email } of list) await people.change(email, (person) => withConsents(person, clock.now))
    await runHours(1)
    clock.now = monday
  }

  return {
    list,
    runHours,
    runSlowly,
    connectEveryone,
    people,
    service,
    sent,
    alerts,
    checkedEmails,
    createDeps,
    clock,
    keepState: () => keepState,
    setEveryonesApp,
    release: () =>
      (keepState = {
        ...keepState,
        massDisconnects: keepState.massDisconnects.map((one) => ({ ...one, resumedAt: 1 })),
      }),
  }
}

const runKeep = (list: readonly ListEntry[], deps: KeepDeps) => new KeepRun(list, deps, deps).run()

it('a run invites new people once, and checks everyone six hours after the sweep began', async () => {
  const { runHours, sent, checkedEmails, list, clock } = setUpKeepRuns(4)
  await runHours(5)
  expect(sent.toSorted()).toEqual(list.map(({ email }) => `${email} invitation 0`))
  for (const [after, checks] of [
    [6 * HOUR - 1, 4],
    [6 * HOUR, 8],
  ] as const) {
    clock.now = monday + after
    await runHours(1)
    expect(checkedEmails).toHaveLength(checks)
  }
})

it('a run begins checks for fifty minutes, and the next one continues', async () => {
  const { runSlowly, checkedEmails } = setUpKeepRuns(11)
  for (const checks of [10, 11]) {
    await runSlowly()
    expect(checkedEmails).toHaveLength(checks)
  }
})

it.each([
  [8, 1],
  [9, 2],
  [25, 2],
])('a sweep of one known person and %i unknown people ends with run %i', async (count, runs) => {
  const { runSlowly, list, people, service, checkedEmails, keepState } = setUpKeepRuns(1 + count)
  for (const { email } of list.slice(1)) {
    service.set(email, undefined)
    await people.change(email, (person) => ({ ...person, unknownAt: monday }))
  }

  const areEnded: boolean[] = []
  for (let run = 0; run < runs; run++) {
    await runSlowly()
    areEnded.push(keepState().sweep?.endedAt !== undefined)
  }

  expect(areEnded).toEqual([false, true].slice(-runs))
  expect(checkedEmails[0]).toBe('p0@acme.example')
})

it('the progress of a run counts each person once, also people who need no check', async () => {
  const { list, createDeps, service } = setUpKeepRuns(4)
  for (const email of ['p0@acme.example', 'p1@acme.example']) service.set(email, undefined)
  const [first, second] = [createDeps(), createDeps()]
  await runKeep(list, first)
  await runKeep(list, { ...second, state: { ...second.state, sweep: { beganAt: monday, endedAt: monday } } })
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
    const { list, runHours, createDeps, clock } = setUpKeepRuns(2)
    await runHours(1)
    clock.now = monday + 14 * 24 * HOUR
    const deps = createDeps()
    const checked: string[] = []
    const check: typeof deps.check = (email) => {
      checked.push(email)
      return email === 'p0@acme.example' ? Promise.resolve({ kind, detail: '' }) : deps.check(email)
    }
    await runKeep(list, { ...deps, check })
    expect(checked.filter((email) => email === 'p0@acme.example')).toHaveLength(times)
    expect(deps.tally).toMatchObject({ [counted]: times, sent: 1 })
  },
)

it('a run that is interrupted at its last check doesn’t end the sweep', async () => {
  const { list, createDeps, keepState } = setUpKeepRuns(1)
  const stop = new AbortController()
  const deps = createDeps()
  const check: typeof deps.check = async (email) => {
    stop.abort()
    return await deps.check(email)
  }
  await expect(runKeep(list, { ...deps, check, signal: stop.signal })).rejects.toThrow(/abort/)
  expect(keepState()).toMatchObject({ sweep: { beganAt: monday } })
  expect(keepState().sweep).not.toHaveProperty('endedAt')
})

it('a person whose access ended is emailed after the next sweep, unless they have reconnected', async () => {
  const { runHours, sent, service, connectEveryone } = setUpKeepRuns(12)
  await connectEveryone()
  service.set('p0@acme.example', { slack_1: 'awaiting' })
  service.set('p1@acme.example', { slack_1: 'awaiting' })
  await runHours(6)
  expect(sent).toEqual([])
  service.set('p1@acme.example', { slack_1: 'connected' })
  await runHours(24)
  expect(sent).toEqual(['p0@acme.example lapse 0 slack_1'])
})

it('an app that people lose with the others isn’t new to them', async () => {
  const {
    runHours,
    connectEveryone,
    setEveryonesApp,
    release,
    service,
    list,
    people,
    sent,
    alerts,
    keepState,
  } = setUpKeepRuns(12)
  for (const { email } of list.slice(5)) service.set(email, { slack_1: 'connected' })
  await connectEveryone()
  setEveryonesApp('awaiting')

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
  const { runHours, list, people, createDeps, service, clock } = setUpKeepRuns(2)
  service.set('p0@acme.example', undefined)
  await runHours(1)

  const unknown = await people.get('p0@acme.example')
  expect(unknown).toMatchObject({ unknownAt: expect.any(Number) as number })
  const erasedAt = (unknown?.changedAt ?? 0) + 90 * 24 * HOUR
  clock.now = erasedAt - HOUR
  await runHours(1)
  clock.now = erasedAt - 1
  const deps = createDeps()
  await runKeep(list, { ...deps, save: (next) => deps.save(next).then(() => void (clock.now += 1_000)) })
  expect((await toArray(people.all())).map(({ email }) => email).toSorted()).toEqual(
    list.map(({ email }) => email),
  )
  expect(deps.tally.unreadable).toBe(0)
})

it('a newcomer isn’t invited to a paused app', async () => {
  const { runHours, sent, list, service, setEveryonesApp, connectEveryone } = setUpKeepRuns(12)
  await connectEveryone()
  setEveryonesApp('awaiting')
  await runHours(7)
  service.set('new@acme.example', { slack_1: 'awaiting' })
  await runHours(30, [...list, { email: 'new@acme.example' }])
  expect(sent).toEqual([])
})

it('checks don’t prolong the record of a person whom the service no longer knows', async () => {
  const { runHours, service, people } = setUpKeepRuns(2, { slack_1: 'connected' })
  await runHours(1)
  service.set('p0@acme.example', undefined)
  await runHours(7)
  const first = await people.get('p0@acme.example')
  await runHours(14)
  expect(first?.unknownAt).toBeDefined()
  expect(await people.get('p0@acme.example')).toEqual(first)
})

it('a run continues although the service no longer knows many people', async () => {
  const { runHours, service, checkedEmails, list } = setUpKeepRuns(12)
  await runHours(1)
  for (const some of [list.slice(0, 3), list.slice(3, 6)]) {
    for (const { email } of some) service.set(email, undefined)
    await runHours(6)
  }
  checkedEmails.length = 0
  await runHours(6)
  expect(new Set(checkedEmails).size).toBe(12)
})

it('a reminder names apps that were never connected, and not one that was just lost', async () => {
  const { runHours, service, sent, list } = setUpKeepRuns(1, { slack_1: 'awaiting', jira_1: 'awaiting' })
  const { email } = list[0]!
  await runHours(6)
  service.set(email, { slack_1: 'connected', jira_1: 'awaiting' })
  await runHours(7 * 24 - 6)
  service.set(email, { slack_1: 'awaiting', jira_1: 'awaiting' })
  await runHours(1)
  expect(sent).toEqual([`${email} invitation 0`, `${email} invitation 1 jira_1`])
})

it('a time zone without a run in its working hours for a week is reported', async () => {
  const { keepState, createDeps, list } = setUpKeepRuns(1)
  const tokyo = [{ ...list[0]!, timezone: 'Asia/Tokyo' }]
  for (let day = 0; day < 9; day++)
    await runKeep(tokyo, { ...createDeps(), now: () => monday + day * 24 * HOUR })
  expect(zonesWithoutRun(keepState(), monday + 6 * 24 * HOUR)).toEqual([])
  expect(zonesWithoutRun(keepState(), monday + 8 * 24 * HOUR)).toEqual(['Asia/Tokyo'])
})

it('the emails due at a given time can be listed without checks and writes', async () => {
  const { createDeps, list, checkedEmails, people } = setUpKeepRuns(2)
  const plan = async (now: number) => {
    const all = await toArray(duePeople(list, people, { ...createDeps(), now: () => now }))
    return all.map(({ emails }) => emails.map(({ name }) => name))
  }
  expect(await plan(monday)).toEqual([['onboarding'], ['onboarding']])
  expect(await plan(monday - 2 * HOUR)).toEqual([[], []])
  expect(checkedEmails).toEqual([])
  expect(await toArray(people.all())).toEqual([])
})

it('new people are planned in slices, so that nothing else is blocked', async () => {
  const { createDeps, list, people } = setUpKeepRuns(1_000)
  let turns = 0
  const planning = { isOver: false }
  const others = (async () => {
    for (; !planning.isOver; turns++) await nextTurn()
  })()
  const slices = new Map<number, number>()
  for await (const _person of duePeople(list, people, { ...createDeps(), now: () => monday }))
    slices.set(turns, (slices.get(turns) ?? 0) + 1)
  planning.isOver = true
  await others
  expect([...slices.values()]).toEqual([500, 500])
})

it.each(['notion_1', 'slack_1'])(
  'an email about %s takes a due reminder’s place, and lists its app',
  async (app) => {
    const { runHours, sent, service, list, clock } = setUpKeepRuns(1, {
      slack_1: 'connected',
      jira_1: 'awaiting',
    })
    const { email } = list[0]!
    service.set(email, { slack_1: 'awaiting', jira_1: 'awaiting' })
    await runHours(6)
    service.set(email, { slack_1: 'connected', jira_1: 'awaiting' })
    await runHours(30)
    // Over the weekend, before the reminder is due at seven days.
    clock.now = monday + 5 * 24 * HOUR
    service.set(email, { slack_1: 'connected', jira_1: 'awaiting', [app]: 'awaiting' })
    await runHours(2 * 24 + 1)
    expect(sent.slice(1).map((one) => one.split(' ').slice(1).join(' '))).toEqual([
      app === 'slack_1' ? 'lapse 0 slack_1, also jira_1' : 'new 0 notion_1, also jira_1',
    ])
  },
)
