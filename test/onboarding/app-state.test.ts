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
import { noDelistings, testPeople } from '../helpers/people.ts'
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

/** A step that a counterexample prints in words. */
const named = (words: string, step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => words })

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.array(fc.record({ instance, status: fc.constantFrom(...LISTED) }), { maxLength: 3 }).map((listed) => {
    const unconnected = listed.map((entry) => ({ ...entry, name: entry.instance }))
    const words = listed.map((entry) => `${entry.instance} ${entry.status}`).join(', ')
    return named(`check: ${words}`, (walk, now) => applyCheck(walk, unconnected, now, 30))
  }),
  fc
    .tuple(instance, fc.constantFrom(skip, block, leave))
    .map(([of, act]) => named(`${act.name} ${of}`, (walk, now) => act(walk, of, now))),
  fc.nat(5).map((which) =>
    named(`return of app ${which}`, (walk, now) => {
      const { attempt } = walk.apps[which] ?? {}
      return attempt === undefined ? walk : finishReturn(walk, attempt.step, now).walk
    }),
  ),
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

const CONTEXT = {
  t,
  person: '',
  from: undefined,
  isAutomatic: true,
  describe: () => noDescription,
  approvals: [],
  confirmSeconds: 30,
}

/** @returns from the overview: each app's figure, the apps with a row or the card, and whether it is open */
function shownOnPage(walk: Walk, now: number) {
  const { rows, more, card, state } = overviewOf(walk, { ...CONTEXT, now })
  const inRows = [...rows, ...more]
  const figures = Object.fromEntries(inRows.map((row) => [row.instance, FIGURES[row.kind] as string]))
  // The card's app has no row; it is offered, or being confirmed.
  const ofCard = card === undefined ? {} : { [card.instance]: 'pending' }
  const withPlace = [...inRows.map((row) => row.instance), ...Object.keys(ofCard)]
  return { figures: { ...figures, ...ofCard }, withPlace, isOpen: state === 'open' }
}

/** The report's state of each app after a page, as the page's figure. */
async function figuresInReport(walk: Walk, now: number) {
  let person = newPerson('ada@acme.example', 0)
  const progress = new ProgressRecorder(
    Object.assign(testPeople(), {
      change: async (_email: string, change: (before: Person, isKnown: boolean) => Person) =>
        (person = change(person, true)),
    }),
    noDelistings,
    { warn() {} },
    () => now,
  )
  const user = { issuer: 'i', subject: 's', email: 'ada@acme.example', emailVerified: true }
  await progress.recordProgress(user, walk, now)
  const withPageName = (state: string) => (state === 'unconnected' ? 'pending' : state)
  return Object.fromEntries(appsOf(person).map((app) => [app.instance, withPageName(app.state)]))
}

it('page, status and report agree about every app', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ step, ms: fc.constantFrom(1, 500, 16_000, 40_000) }), { maxLength: 25 }),
      async (story) => {
        let [walk, now] = [newWalk(0), 0]
        for (const { step: take, ms } of story) walk = take(walk, (now += ms))

        const { figures, withPlace, isOpen } = shownOnPage(walk, now)
        const counts = { connected: 0, pending: 0, skipped: 0, off: 0, blocked: 0 }
        for (const figure of Object.values(figures)) counts[figure as keyof typeof counts]++
        const { connected, pending, skipped } = counts

        expect(withPlace.toSorted(), 'each app has one place on the page').toEqual(
          walk.apps.map((app) => app.instance).toSorted(),
        )
        expect(await figuresInReport(walk, now), 'the report has each app as the page').toEqual(figures)
        const states = walkStates(walk, now)
        expect(statusOf(states), 'the status counts as the page').toEqual({ connected, pending, skipped })
        expect(isOpen, 'the page is open while an app is pending').toBe(pending > 0)
        const isFinished = nextStep(states).kind === 'finished'
        expect(isFinished, 'a next step is offered while an app is pending').toBe(pending === 0)
      },
    ),
    { numRuns: 200 },
  )
})
