// Decides when to email an app's owners, and whom to email after an approval. One person tests the approval
// first; the others get an email once that person has connected the app. Pure.
import {
  applyDecision,
  isAnsweredRemoved,
  isRequested,
  personForCounts,
  newApproval,
  pausedApps,
} from '../people/keep-state.ts'
import type { Approval, DelistedApp, KeepState, KeepStateStore } from '../people/keep-state.ts'
import { appsOf, isBackAfterRemoval, isGone, mayHaveBeenSent } from '../people/person.ts'
import type { Person, PersonApp } from '../people/person.ts'
import { campaignEmails, nextAllowedAt, ONBOARDING } from './campaign.ts'
import { workingDaysBetween, type WorkCalendar } from './working-time.ts'

export const APPROVALS = 'approvals'
/** Emails to people who wait for an approval of an app that moved. */
export const MOVED_APPROVALS = 'moved-approvals'

/** The owners are emailed at once if this many people wait. */
const MIN_PEOPLE = 3
const WORKING_DAYS = {
  /** Days since the first person began to wait, if fewer people wait. */
  firstRequest: 1,
  /** Days between two requests, if more people wait by then. */
  repeatRequest: 5,
  /** Days after the email to a tester who does nothing. */
  nextTester: 3,
}

/**
 * Times are milliseconds since 1970; 0: not yet. `notifiedAt`: the last email about the approval. `triedAt`: the last
 * try that ended without access. `consentedAt`: as `connectedAt`, if the person had left for the app. `emailableAt`: 0:
 * now; Infinity: never.
 */
type ApprovalPerson = Pick<PersonApp, 'state' | 'isUnconfirmed'> &
  Record<'blockedAt' | 'notifiedAt' | 'triedAt' | 'connectedAt' | 'consentedAt' | 'emailableAt', number>

type ApprovalUpdate = {
  approval: Approval
  /** The owners have to be emailed, or only the `newOwners`. */
  isRequestDue: boolean
  newOwners?: readonly string[] | undefined
  /** The owners' decision is new. */
  isNewlyApproved: boolean
  /** The number of people who still have to connect the app. Absent unless the approval was confirmed now. */
  leftToConnect?: number | undefined
  /** True if no one waits for the approval. */
  isOver: boolean
}

/** `calendar`: the working days of the owners. */
type ApprovalContext = { now: number; calendar: WorkCalendar }

type CompanyContext = {
  activeReplacements: ReadonlyMap<string, string>
  ownersOf: (instance: string) => readonly string[]
}

/** Records of 0.1.0 have no `blockedAt`. The person didn't wait before their first sign-in. */
const sinceOf = ({ blockedAt }: PersonApp, { signedInAt = 1 }: Person): number => blockedAt ?? signedInAt

/** @returns 0 if no email of the campaign about the app was sent */
const lastNotifiedAt = (person: Person, instance: string, campaign = APPROVALS): number =>
  campaignEmails(person, campaign).findLast(
    (email) => email.apps?.includes(instance) && mayHaveBeenSent(email),
  )?.at ?? 0

/** True if the person waited for an approval. Others may have connected without one, so they can't confirm it. */
const hasWaited = ({ instance }: PersonApp, { failures = [] }: Person): boolean =>
  failures.some((failure) => failure.instance === instance && failure.code === 'blocked')

/** Times of a person's wait for an app. `delistedAt`: it left their list. `backAt`: it is back after its removal. */
function timesOf(app: PersonApp, person: Person) {
  const record = person.lastCheck?.apps.find(({ instance }) => instance === app.instance)
  const connectedAt = (app.state === 'connected' && record?.since) || 0
  const failures = person.failures?.filter(({ instance }) => instance === app.instance) ?? []
  const tries = failures.filter(({ code }) => code !== 'blocked')
  return {
    blockedAt: sinceOf(app, person),
    notifiedAt: lastNotifiedAt(person, app.instance),
    triedAt: tries.at(-1)?.at ?? 0,
    connectedAt,
    consentedAt: record?.delistedAt === undefined ? connectedAt : 0,
    delistedAt: record?.delistedAt ?? -Infinity,
    backAt: (record !== undefined && isBackAfterRemoval(record) && record.newAt) || 0,
  }
}

/**
 * Decides for each app that people wait for: whether to email its owners, who tests, and whether it is over. Follows an
 * app to its replacement.
 * @param findDecision the newest decision of an app's owners
 */
export async function decideApprovals(
  people: AsyncIterable<Person>,
  state: KeepState,
  findDecision: KeepStateStore['findDecision'],
  { activeReplacements, ownersOf, ...context }: ApprovalContext & CompanyContext,
): Promise<ApprovalUpdate[]> {
  const apps = new Map(
    (state.approvals ?? [])
      .filter(({ instance }) => !isAnsweredRemoved(state, instance))
      .map((stored) => {
        const { instance: former } = stored
        const instance = activeReplacements.get(former) ?? former
        const moved = instance !== former && { movedAt: context.now }
        const current = { owners: ownersOf(instance), instance, former, people: [] as ApprovalPerson[] }
        return [instance, { ...stored, ...moved, ...current }]
      }),
  )
  // Apps that left many lists may have moved. Their approvals stay until an operator has answered.
  const isUnanswered = (app: DelistedApp) => (app.markedRemovedAt ?? app.markedConnectedAt) === undefined
  const inQuestion = new Set(state.delistedApps?.filter(isUnanswered).map(({ instance }) => instance))
  for await (const each of people) {
    if (isGone(each)) continue
    const person = personForCounts(each, { ...state, approvals: [] })
    const newest = [ONBOARDING, APPROVALS].map((name) => campaignEmails(person, name).at(-1)?.state)
    const isEmailable = !newest.includes('failed') && person.optedOutAt === undefined
    const emails = person.campaigns.flatMap((campaign) => campaign.emails)
    const emailableAt = isEmailable ? nextAllowedAt(emails, context.now) : Infinity
    for (const app of appsOf(person)) {
      const { instance, name, state: appState } = app
      const { delistedAt, backAt, ...times } = timesOf(app, person)
      const isFormer = times.connectedAt > 0 && hasWaited(app, person)
      if (isFormer && delistedAt >= (state.evaluatedAt ?? 0)) inQuestion.add(instance)
      const isAffected = apps.has(instance) && (times.notifiedAt > 0 || isFormer)
      if (appState !== 'blocked' && !isAffected) continue
      const owners = ownersOf(instance)
      // An app that is back after its removal starts over. The owner's former decision doesn't count.
      const unapproved = { ...newApproval(instance, name), stageChangedAt: backAt }
      const approval = apps.get(instance) ?? { ...unapproved, owners, former: instance, people: [] }
      approval.people.push({ ...app, ...times, emailableAt })
      apps.set(instance, Object.assign(approval, { name }))
    }
  }
  const decisions: ApprovalUpdate[] = []
  for (const { people: approvalPeople, former, ...approval } of apps.values()) {
    const decision = (await findDecision(approval.instance)) ?? (await findDecision(former))
    const update = decideApproval(approval, approvalPeople, decision, context)
    const unchanged = { approval, isNewlyApproved: false, isRequestDue: false, isOver: false }
    decisions.push(update.isOver && inQuestion.has(approval.instance) ? unchanged : update)
  }
  return decisions
}

export function isApprovalEmailDue(app: PersonApp, person: Person, { approvals = [], ...state }: KeepState) {
  const approval = approvals.find(({ instance }) => instance === app.instance)
  if (approval === undefined || pausedApps(state).has(app.instance)) return false
  const { stage, stageChangedAt, approvedAt, testers = [] } = approval
  const since = sinceOf(app, person)
  const at = lastNotifiedAt(person, app.instance)
  const isFirst = app.state === 'blocked' && at < approvedAt
  if (stage !== 'confirmed') return isFirst && testers.includes(since)
  // Testers who failed before the confirmation get one more email.
  const hasFailed = app.isUnconfirmed ? at > 0 : app.state === 'blocked' && since > at
  return (isFirst || hasFailed) && at < stageChangedAt && (app.isUnconfirmed || since <= stageChangedAt)
}

/** True if the app moved while the person waited for its owner, and no email said so. */
export function isMoveEmailDue(app: PersonApp, person: Person, { approvals = [], ...state }: KeepState) {
  const approval = approvals.find(({ instance }) => instance === app.instance)
  const { movedAt = 0, stage } = approval ?? {}
  if (app.state !== 'blocked' || stage === 'approved' || pausedApps(state).has(app.instance)) return false
  return sinceOf(app, person) < movedAt && lastNotifiedAt(person, app.instance, MOVED_APPROVALS) < movedAt
}

/** The testers' result; undefined: none yet. @param decided `before` with the owner's decision */
function testResultOf(before: Approval, decided: Approval, people: readonly ApprovalPerson[]) {
  const hasFailed = ({ state, isUnconfirmed, blockedAt, notifiedAt }: ApprovalPerson) =>
    notifiedAt >= decided.approvedAt && (isUnconfirmed || (state === 'blocked' && blockedAt > notifiedAt))
  // A tester who failed may connect the app later, also without another decision.
  const testedSince = before.stage === 'failed' ? before.stageChangedAt : decided.approvedAt
  const isTested = ({ state, notifiedAt, connectedAt }: ApprovalPerson) =>
    state === 'connected' && Math.max(notifiedAt, connectedAt) >= testedSince
  const isTestedEarly = ({ consentedAt }: ApprovalPerson) => consentedAt >= before.requestedAt
  const hasEarlyTest = before.stage === 'unapproved' && isRequested(before) && people.some(isTestedEarly)
  const hasTest = ['approved', 'failed'].includes(decided.stage) && people.some(isTested)
  if (hasEarlyTest || hasTest) return 'confirmed' as const
  return decided.stage === 'approved' && people.some(hasFailed) ? ('failed' as const) : undefined
}

/** Waiting people whom an email about the stage is still for. Testers who failed before it works get one more. */
function uninformedPeople(
  { stage, stageChangedAt, approvedAt }: Approval,
  blocked: readonly ApprovalPerson[],
) {
  return blocked.filter(({ blockedAt, notifiedAt }) => {
    if (stage === 'approved') return notifiedAt < approvedAt
    const wasEmailed = notifiedAt >= approvedAt && (notifiedAt >= stageChangedAt || blockedAt <= notifiedAt)
    return stage !== 'confirmed' || (blockedAt <= stageChangedAt && !wasEmailed)
  })
}

export function decideApproval(
  before: Approval,
  people: readonly ApprovalPerson[],
  decision: { at: number; by: string } | undefined,
  { now, calendar }: ApprovalContext,
): ApprovalUpdate {
  const hasPassed = (from: number, days: number) => workingDaysBetween(from, now, calendar) >= days
  const blockedPeople = people
    .filter(({ state }) => state === 'blocked')
    .sort((one, other) => one.blockedAt - other.blockedAt)
  const blockedAtStage = ({ stage, stageChangedAt }: Pick<Approval, 'stage' | 'stageChangedAt'>) =>
    blockedPeople.filter(({ blockedAt }) => stage !== 'confirmed' || blockedAt > stageChangedAt)

  const decided = applyDecision({ ...before, since: blockedAtStage(before)[0]?.blockedAt ?? now }, decision)
  const { approvedAt } = decided
  const notifiedPeople = people.filter(({ notifiedAt }) => notifiedAt >= approvedAt)
  const result = testResultOf(before, decided, people)
  const { stage, stageChangedAt } = { ...decided, ...(result && { stage: result, stageChangedAt: now }) }

  const unresolvedPeople = blockedAtStage({ stage, stageChangedAt })
  const count = unresolvedPeople.length
  const since = unresolvedPeople[0]?.blockedAt ?? now
  const isKnown = isRequested({ ...before, stage, stageChangedAt })
  const newOwners = before.owners.filter((owner) => !before.requestedFrom?.includes(owner))
  const isDueForNew = isKnown && newOwners.length > 0 && (stage === 'failed' || count > 0)
  const isDue = isKnown
    ? count > before.requestedForCount && hasPassed(before.requestedAt, WORKING_DAYS.repeatRequest)
    : stage === 'failed' || count >= MIN_PEOPLE || (count > 0 && hasPassed(since, WORKING_DAYS.firstRequest))
  const isRequestDue = stage !== 'approved' && (isDue || isDueForNew)
  const hasUnnotifiedTester = people.some((one) => one.isUnconfirmed && one.notifiedAt < stageChangedAt)
  const isEmpty = blockedPeople.length === 0 && !(stage === 'confirmed' && hasUnnotifiedTester)
  const candidates = blockedPeople.filter(
    (person) => person.emailableAt === 0 && person.notifiedAt < approvedAt,
  )
  const isLongAgo = ({ notifiedAt }: ApprovalPerson) => hasPassed(notifiedAt, WORKING_DAYS.nextTester)
  const emailedPeople = notifiedPeople.filter(({ state }) => state === 'blocked')
  const isNextDue = stage === 'approved' && notifiedPeople.every(isLongAgo)
  const next = isNextDue ? candidates.slice(0, 1) : []
  const isUntried = isNextDue && next.length === 0 && blockedPeople.length > 0
  const testers = [...emailedPeople, ...next].map(({ blockedAt }) => blockedAt)
  const triedAt = notifiedPeople
    .filter((person) => person.state !== 'connected' && person.triedAt >= person.notifiedAt)
    .map((person) => person.triedAt)
  const uninformed = uninformedPeople({ ...decided, stage, stageChangedAt }, blockedPeople)
  const unreachable = uninformed.map(({ emailableAt }) => emailableAt).filter((at) => at > 0)
  const reachableAt = Math.min(...unreachable)
  return {
    approval: {
      ...decided,
      triedAt: triedAt.length > 0 ? Math.max(...triedAt) : undefined,
      uninformed: uninformed.length,
      unreachable: unreachable.length,
      reachableAt: Number.isFinite(reachableAt) ? reachableAt : undefined,
      // The test succeeded, so the owner has approved the app, though not by a click here.
      ...(result === 'confirmed' && decided.stage === 'unapproved' && { approvedAt: now, by: undefined }),
      stage,
      stageChangedAt,
      waitingPeople: count,
      since,
      testers,
      isUntried,
    },
    isRequestDue,
    newOwners: isDue ? undefined : newOwners,
    isNewlyApproved: approvedAt > before.approvedAt,
    leftToConnect: result === 'confirmed' ? blockedPeople.length : undefined,
    isOver: isEmpty && stage !== 'approved' && !isRequestDue,
  }
}
