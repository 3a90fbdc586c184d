// Apps that wait for their owner's approval: when owners are asked, and who is told that it came. One person tries it at first,
// and the others are told once that one got through. Pure.
import { pausedApps, removedInstances, withoutRemoved } from '../people/keep-state.ts'
import type { Approval, KeepState } from '../people/keep-state.ts'
import { newApproval, withAnswer, type OwnerAnswer } from '../people/approvals.ts'
import { appsOf, isGone, mayHaveBeenSent, type Person, type PersonApp } from '../people/person.ts'
import { campaignEmails, isReachable, ONBOARDING } from './campaign.ts'
import { workingDaysBetween, type Place } from './working-time.ts'

export const APPROVALS = 'approvals'

/** The owner is asked when so many people wait. */
const MIN_PEOPLE = 3
/** Working days: or the first of them for so long; again, if more do by then; and the next is told if one does nothing. */
const DAYS = { ask: 1, again: 5, next: 3 }

/** Someone who waits (since `blockedAt`), or was told that it was approved (`notifiedAt`, else 0). Milliseconds since 1970. */
type Waiter = Pick<PersonApp, 'state' | 'isUnconfirmed'> &
  Record<'blockedAt' | 'notifiedAt', number> & { isReachable: boolean }

/** `ask`: an email to the owners is due. `isAnswered`: their answer is new. */
type Decision = { approval: Approval; ask: boolean; isAnswered: boolean }

/** `place`: where owners work. */
type Moment = { now: number; place: Place }

/** Older records don't say when; it was after the first page. */
const sinceOf = ({ blockedAt }: PersonApp, { signedInAt = 1 }: Person): number => blockedAt ?? signedInAt

/** 0: they weren't. */
const notifiedAt = (person: Person, instance: string): number =>
  campaignEmails(person, APPROVALS).findLast(
    (email) => email.apps?.includes(instance) && mayHaveBeenSent(email),
  )?.at ?? 0

/** @param answerOf the newest answer of an app's owners */
export async function decideApprovals(
  people: AsyncIterable<Person>,
  state: KeepState,
  answerOf: (instance: string) => Promise<OwnerAnswer | undefined>,
  moment: Moment,
): Promise<Decision[]> {
  const apps = new Map(
    (state.approvals ?? []).map((one) => [one.instance, { ...one, people: [] as Waiter[] }]),
  )
  const removed = removedInstances(state)
  for await (const each of people) {
    if (isGone(each)) continue
    const person = withoutRemoved(each, removed)
    const isRejected = [ONBOARDING, APPROVALS].some(
      (name) => campaignEmails(person, name).at(-1)?.state === 'failed',
    )
    const isEmailable = !isRejected && isReachable(person, moment.now)
    for (const app of appsOf(person)) {
      const { instance, name, state: how } = app
      const at = notifiedAt(person, instance)
      if (how !== 'blocked' && (at === 0 || !apps.has(instance))) continue
      const known = apps.get(instance) ?? { ...newApproval(instance, name), people: [] }
      known.people.push({ ...app, blockedAt: sinceOf(app, person), notifiedAt: at, isReachable: isEmailable })
      apps.set(instance, known)
    }
  }
  const paused = pausedApps(state)
  const decisions: Decision[] = []
  for (const { people: waiters, ...app } of apps.values()) {
    const decided = decideApproval(app, waiters, await answerOf(app.instance), moment)
    if (decided !== undefined) decisions.push({ ...decided, ask: decided.ask && !paused.has(app.instance) })
  }
  return decisions
}

/** May an email say that the app was approved? */
export function isToTell(app: PersonApp, person: Person, { approvals = [], ...state }: KeepState): boolean {
  const approval = approvals.find(({ instance }) => instance === app.instance)
  if (approval === undefined || app.state !== 'blocked' || pausedApps(state).has(app.instance)) return false
  const { stage, stageAt, approvedAt, trySince } = approval
  if (notifiedAt(person, app.instance) >= approvedAt) return false
  return stage === 'confirmed' ? sinceOf(app, person) <= stageAt : sinceOf(app, person) === trySince
}

/** @returns undefined: no one waits any longer */
export function decideApproval(
  before: Approval,
  people: readonly Waiter[],
  answer: OwnerAnswer | undefined,
  { now, place }: Moment,
): Decision | undefined {
  const hasPassed = (from: number, days: number) => workingDaysBetween(from, now, place) >= days
  const blocked = people.filter(({ state }) => state === 'blocked')
  const all = blocked.toSorted((one, other) => one.blockedAt - other.blockedAt)
  const waitingAt = ({ stage, stageAt }: Pick<Approval, 'stage' | 'stageAt'>) =>
    all.filter(({ blockedAt }) => stage !== 'confirmed' || blockedAt > stageAt)

  const answered = withAnswer({ ...before, since: waitingAt(before)[0]?.blockedAt ?? now }, answer)
  const { approvedAt } = answered
  const notified = people.filter(({ notifiedAt }) => notifiedAt >= approvedAt)
  const hasFailed = ({ state, isUnconfirmed, blockedAt, notifiedAt }: Waiter) =>
    isUnconfirmed || (state === 'blocked' && blockedAt > notifiedAt)
  const isConfirmed = notified.some(({ state }) => state === 'connected')
  const isOver = answered.stage === 'approved' && (isConfirmed || notified.some(hasFailed))
  const outcome = isOver && ({ stage: isConfirmed ? 'confirmed' : 'failed', stageAt: now } as const)
  const { stage, stageAt } = { ...answered, ...outcome }

  const waiting = waitingAt({ stage, stageAt })
  const [count, since] = [waiting.length, waiting[0]?.blockedAt ?? now]
  const isRequested = before.requestedAt > 0 && before.requestedAt >= stageAt
  const isDue = isRequested
    ? count > before.requestedFor && hasPassed(before.requestedAt, DAYS.again)
    : stage === 'failed' || count >= MIN_PEOPLE || (count > 0 && hasPassed(since, DAYS.ask))
  const ask = stage !== 'approved' && isDue
  if (all.length === 0 && stage !== 'approved' && !ask) return undefined
  const candidates = all.filter((one) => one.isReachable && one.notifiedAt < approvedAt)
  const isNextDue = notified.every(({ notifiedAt }) => hasPassed(notifiedAt, DAYS.next))
  const trySince = stage === 'approved' && isNextDue ? candidates[0]?.blockedAt : undefined
  return {
    approval: { ...answered, stage, stageAt, trySince, waiting: count, since },
    ask,
    isAnswered: approvedAt > before.approvedAt,
  }
}
