// The state of an app: precedence of facts, and agreement of page, status and report.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { appsOf, newPerson, type Person } from '../../src/people/person.ts'
import { availabilityOf } from '../../src/client-api/app-status.ts'
import { ProgressRecorder } from '../../src/onboarding/progress-recorder.ts'
import { nextStep, walkStates } from '../../src/onboarding/next-step.ts'
import { block, finishReturn, startConsent, applyCheck, skip, newWalk } from '../../src/onboarding/walk.ts'
import type { Walk } from '../../src/onboarding/walk.ts'
import { noDescription } from '../helpers/no-description.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import { appStateOf, type AppState } from '../../src/onboarding/app-state.ts'
import { statusOf } from '../../src/onboarding/status.ts'
import { noDelistedApps, testPeople } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

type Facts = Parameters<typeof appStateOf>[0]

const STATUSES = ['awaiting', 'stale', 'attention', 'disabled', 'connected'] as const
type Case = Facts & { status: (typeof STATUSES)[number] }
const BITS = ['isConfirming', 'blockedAt', 'unconfirmedAt', 'skippedAt', 'isInFlight'] as const

/** Every combination of the facts about one app. */
function* everything(): Generator<Case> {
  for (const status of STATUSES)
    for (let bits = 0; bits < 2 ** BITS.length; bits++) {
      const has = (bit: (typeof BITS)[number]) => (bits & (1 << BITS.indexOf(bit))) !== 0
      yield {
        status,
        availability: availabilityOf(status),
        ...(status === 'connected' && { connectedAt: 1 }),
        ...(has('blockedAt') && { blockedAt: 2 }),
        ...(has('unconfirmedAt') && { unconfirmedAt: 3 }),
        ...(has('skippedAt') && { skippedAt: 4 }),
        isConfirming: has('isConfirming'),
        isInFlight: has('isInFlight'),
      }
    }
}

/** An independent implementation of the order of precedence. */
function expected(facts: Case): AppState['kind'] {
  const order: [boolean, AppState['kind']][] = [
    [facts.status === 'connected', 'connected'],
    [facts.status === 'disabled' || facts.status === 'attention', 'off'],
    [facts.isConfirming, 'confirming'],
    [facts.blockedAt !== undefined, 'blocked'],
    [facts.unconfirmedAt !== undefined, 'unconfirmed'],
    [facts.skippedAt !== undefined, 'skipped'],
    [facts.isInFlight, 'in-flight'],
  ]
  return order.find(([holds]) => holds)?.[1] ?? 'unconnected'
}

it('the state of an app follows one order of precedence over all facts', () => {
  let count = 0
  for (const facts of everything()) {
    expect(appStateOf(facts).kind, JSON.stringify(facts)).toBe(expected(facts))
    count++
  }
  expect(count).toBe(160)
})

const INSTANCES = ['a', 'b', 'c']
const instance = fc.constantFrom(...INSTANCES)
const LISTED = ['awaiting', 'stale', 'attention', 'disabled'] as const
type Step = (walk: Walk, now: number) => Walk

const leave = (walk: Walk, of: string, now: number) =>
  startConsent(walk, { instance: of, step: `${of}${now}`, now })

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.array(fc.record({ instance, status: fc.constantFrom(...LISTED) }), { maxLength: 3 }).map(
    (listed): Step =>
      (walk, now) =>
        applyCheck(
          walk,
          listed.map((entry) => ({ ...entry, name: entry.instance })),
          now,
          30,
        ),
  ),
  fc.tuple(instance, fc.constantFrom(skip, block, leave)).map(
    ([of, act]): Step =>
      (walk, now) =>
        act(walk, of, now),
  ),
  fc.nat(5).map((which): Step => (walk, now) => {
    const { attempt } = walk.apps[which] ?? {}
    return attempt === undefined ? walk : finishReturn(walk, attempt.step, now).walk
  }),
)

/** The state on the pages, mapped to the count in which the app has to appear. */
const FIGURES = {
  connected: 'connected',
  disabled: 'off',
  blocked: 'blocked',
  skipped: 'skipped',
  unconnected: 'pending',
  stale: 'pending',
  attention: 'off',
  confirming: 'pending',
  unconfirmed: 'pending',
  'in-flight': 'pending',
} as const

it('page, status and report agree about every app', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ step, ms: fc.constantFrom(1, 500, 16_000, 40_000) }), { maxLength: 25 }),
      async (story) => {
        let [walk, now] = [newWalk(0), 0]
        for (const { step, ms } of story) walk = step(walk, (now += ms))

        const context = {
          now,
          t,
          person: '',
          from: undefined,
          isAutomatic: true,
          describe: () => noDescription,
          approvals: [],
          confirmSeconds: 30,
        }
        const overview = overviewOf(walk, context)
        // The card's app has no row; it is offered, or being confirmed.
        const rows = [...overview.rows, ...overview.more]
        const figures = new Map<string, string>(rows.map(({ instance, kind }) => [instance, FIGURES[kind]]))
        if (overview.card !== undefined) figures.set(overview.card.instance, 'pending')
        const shown = walk.apps.map(({ instance }) => figures.get(instance))
        expect(rows.length).toBe(walk.apps.length - (overview.card === undefined ? 0 : 1))

        const count = (counted: string) => shown.filter((found) => found === counted).length
        const [connected, pending, skipped] = ['connected', 'pending', 'skipped'].map(count)
        expect(statusOf(walkStates(walk, now))).toEqual({ connected, pending, skipped })
        expect(overview.state === 'open').toBe(pending !== 0)

        const reported = await statesInReport(walk, now)
        const states = walk.apps.map(({ instance }) => reported.get(instance))
        expect(states.map((state) => (state === 'unconnected' ? 'pending' : state))).toEqual(shown)

        const next = nextStep(walkStates(walk, now))
        expect(next.kind === 'finished').toBe(pending === 0)
      },
    ),
    { numRuns: 200 },
  )
})

/** The report's state of the app after a page. */
async function statesInReport(walk: Walk, now: number): Promise<Map<string, string>> {
  let person = newPerson('ada@acme.example', 0)
  const progress = new ProgressRecorder(
    Object.assign(testPeople(), {
      change: async (_email: string, change: (before: Person, isKnown: boolean) => Person) =>
        (person = change(person, true)),
    }),
    noDelistedApps,
    { warn() {} },
    () => now,
  )
  const user = { issuer: 'i', subject: 's', email: 'ada@acme.example', emailVerified: true }
  await progress.recordProgress(user, walk, now)
  return new Map(appsOf(person).map(({ instance, state }) => [instance, state]))
}
