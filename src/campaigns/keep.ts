// One run of `onramp keep`: everyone on the list is asked about, who is new is invited, who is due is reminded, and what ended
// is noticed. An email about what ended leaves once everyone was asked once more: where many lose an app at once, the cause is
// one that none of them can remove.
import { hash } from 'node:crypto'
import { PersonUnreadable, type People } from '../people/people.ts'
import {
  newPerson,
  wasConnected,
  withDetails,
  withListing,
  type PersonDetails,
  type Person,
} from '../people/person.ts'
import {
  pausedApps,
  activeMassDisconnects,
  type MassDisconnect,
  type KeepState,
} from '../people/keep-state.ts'
import { OperatorError } from '../problem.ts'
import { campaignEmails, ONBOARDING, type DueEmail } from './campaign.ts'
import { createDelivery, type DeliveryParts } from './delivery.ts'
import {
  countLapses,
  dueInvitation,
  dueLapseEmail,
  evaluateMassDisconnects,
  LAPSES,
  dueLapses,
} from './lapses.ts'
import { createLedger, RunStopped } from './ledger.ts'
import { forEachConcurrent } from './throttle.ts'
import type { Invitee } from './people-file.ts'
import { isWorkingTime } from './working-time.ts'

/** Everyone is asked about this often at most: each question may void the link that a person is just following. */
const SWEEP_EVERY_MS = 6 * 3_600_000
/** A run asks for so long at most, so that the next one, an hour later, can send what is due. */
const ASKING_MS = 50 * 60_000
const WEEK_MS = 7 * 86_400_000
/** More can't leave the list without being told to. */
const MAX_LEAVING = 0.1

export type KeepParts = Pick<DeliveryParts, 'check' | 'send' | 'emailThrottle' | 'tally'> & {
  people: Pick<People, 'get' | 'change' | 'all'>
  compose: Record<'invitation' | 'lapse', DeliveryParts['compose']>
  keepState: KeepState
  save: (keepState: KeepState) => Promise<void>
  /** Where people are of whom the list doesn't say it (IANA). */
  timezone: string
  /** Tells administrators and other systems, unless that was done, and says when. */
  notify: (found: MassDisconnect) => Promise<Pick<MassDisconnect, 'notifiedAt' | 'eventAt'>>
  /** People at a time. */
  atOnce: number
  /** May many leave the list? And may anyone, or can some of its lines not be read? */
  isConfirmed: boolean
  isWhole: boolean
  isHeld: () => Promise<boolean>
  /** Milliseconds since 1970. */
  now: () => number
  signal: AbortSignal
}

/**
 * @returns what is known now; the caller adds the day's figures
 * @throws {OperatorError} where many would leave the list @throws {RunStopped} {MailServerUnusable} {StoreUnavailable}, and
 * the signal's reason, where it was interrupted: what was done so far is saved
 */
export async function keepUp(list: readonly Invitee[], parts: KeepParts): Promise<KeepState> {
  const { people, keepState: before, timezone: usual, atOnce, now, signal } = parts
  const began = now()
  const zoneOf = ({ timezone = usual }: PersonDetails) => timezone
  const seen = (zone: string) => (isWorkingTime(began, zone) ? began : (before.zones[zone] ?? began))
  const zones = Object.fromEntries([...new Set(list.map(zoneOf))].map((zone) => [zone, seen(zone)]))
  let keepState = { ...before, zones, sweep: currentSweep(before, began) }
  const keep = async (change: Partial<KeepState>) => parts.save((keepState = { ...keepState, ...change }))

  // A list that names someone twice means the last one.
  const invitees = new Map(list.map((invitee) => [invitee.email, invitee]))
  await enroll(invitees, parts)
  await keep({})

  const dueToStart = (person: Person, at: number) => dueInvitation(person, at, zoneOf(person))
  const dueAgain = (person: Person, at: number) => dueLapseEmail(person, keepState, at, zoneOf(person))
  const isLost = (instance: string, person: Person | undefined) =>
    person !== undefined && dueLapses(person, keepState, now(), zoneOf(person)).includes(instance)

  const askedBefore = keepState.sweep.endedAt === undefined ? keepState.sweep.beganAt : 0
  const { beganAt } = keepState.sweep
  const found = await whoIsDue(list, { ...parts, keepState }, { askedBefore, beganAt, began })
  const answering = { ...parts, hasAnswered: found.hasAnswered }
  const held = pausedApps(keepState)
  const isNew = (instance: string, person: Person | undefined) =>
    !wasConnected(person, instance) && !held.has(instance)
  const starting = sending(answering, ONBOARDING, dueToStart, isNew)
  const repairing = sending(answering, LAPSES, dueAgain, isLost)
  const isOver = () => signal.aborted
  await forEachConcurrent(found.starting.values(), atOnce, isOver, starting.email)
  const isOverOrLate = () => isOver() || now() - began >= ASKING_MS
  const isThrough = await forEachConcurrent(found.unasked.values(), atOnce, isOverOrLate, (invitee) =>
    starting.look(invitee, askedBefore),
  )
  const failure = starting.end()
  if (failure !== undefined) throw new RunStopped(failure)
  signal.throwIfAborted()
  if (isThrough && keepState.sweep.endedAt === undefined) {
    const counts = countLapses(keepState)
    for await (const person of people.all()) if (invitees.has(person.email)) counts.add(person)
    const massDisconnects = evaluateMassDisconnects(keepState, counts.counts, now())
    await keep({
      massDisconnects,
      evaluatedAt: keepState.sweep.beganAt,
      sweep: { ...keepState.sweep, endedAt: now() },
    })
  }
  for (const known of activeMassDisconnects(keepState)) {
    const notified = { ...known, ...(await parts.notify(known)) }
    await keep({ massDisconnects: keepState.massDisconnects.map((one) => (one === known ? notified : one)) })
  }
  // At the end: what this run has decided isn't left to the next one, which may come tomorrow.
  const lost: Invitee[] = []
  for await (const due of whatIsDue(list, { ...parts, keepState }))
    if (due.lost.length > 0) lost.push(due.invitee)
  await forEachConcurrent(lost.values(), atOnce, isOver, repairing.email)
  repairing.end()
  signal.throwIfAborted()
  // Whom the service has not known for the retention is erased, maybe since this run began, and is still on the list.
  await enroll(invitees, { ...parts, tally: { ...parts.tally } })
  return keepState
}

/** The sweep over everyone that is under way, or the next one where it is time. */
function currentSweep({ sweep }: KeepState, now: number): NonNullable<KeepState['sweep']> {
  const isDue =
    sweep === undefined || (sweep.endedAt !== undefined && Math.abs(now - sweep.beganAt) >= SWEEP_EVERY_MS)
  return isDue ? { beganAt: now } : sweep
}

/** Zones in which no run of a week was made in working time. */
export const unreachedZones = ({ zones }: KeepState, now: number): string[] =>
  Object.keys(zones).filter((zone) => now - (zones[zone] ?? now) > WEEK_MS)

/** Did a run that has not ended well leave an email of theirs open? */
const wasKilledAt = (person: Person, { lastRunAt = 0 }: KeepState): boolean =>
  [ONBOARDING, LAPSES]
    .flatMap((campaign) => campaignEmails(person, campaign))
    .some(({ state, at }) => state === 'sending' && at >= lastRunAt)

/** Writes down who is on the list and who no longer is. @throws {OperatorError} */
async function enroll(invitees: ReadonlyMap<string, Invitee>, parts: KeepParts): Promise<void> {
  const { people, keepState, isConfirmed, isWhole, now, tally } = parts
  const listed = (person: Person, invitee: Invitee | undefined) =>
    withListing(invitee ? withDetails(person, invitee) : person, invitee !== undefined, now())
  const unseen = new Set(invitees.keys())
  const changed: string[] = []
  let [before, leaving] = [0, 0]
  for await (const person of people.all()) {
    const invitee = invitees.get(person.email)
    unseen.delete(person.email)
    if (invitee !== undefined && wasKilledAt(person, keepState)) tally.uncertain++
    if (invitee === undefined && !isWhole) continue
    const isListed = person.listedAt !== undefined && person.leftAt === undefined
    before += Number(isListed)
    leaving += Number(isListed && invitee === undefined)
    if (listed(person, invitee) !== person) changed.push(person.email)
  }
  if (leaving > before * MAX_LEAVING && !isConfirmed)
    throw new OperatorError(
      `${leaving} of the ${before} people who were on the list are no longer on it, so it may be the wrong one. Nothing was done. If it is right, add --confirm: what is stored about them goes after INVITE_RETENTION_DAYS.`,
    )
  for (const email of [...changed, ...unseen])
    await people
      .change(email, (person) => listed(person, invitees.get(email)))
      .catch((error: unknown) => {
        if (!(error instanceof PersonUnreadable)) throw error
        tally.unreadable++
      })
}

/** Everyone on the list, with what is due for them now, also for whom nothing is written down yet. */
export async function* whatIsDue(
  list: Iterable<Invitee>,
  { people, keepState, timezone, now }: Pick<KeepParts, 'people' | 'keepState' | 'timezone' | 'now'>,
) {
  const unseen = new Map([...list].map((invitee) => [invitee.email, invitee]))
  const of = (known: Person, invitee: Invitee) => {
    const person = withListing(withDetails(known, invitee), true, now())
    const { timezone: zone = timezone } = person
    const start = dueInvitation(person, now(), zone)
    return { person, invitee, start, lost: dueLapses(person, keepState, now(), zone) }
  }
  for await (const person of people.all()) {
    const invitee = unseen.get(person.email)
    unseen.delete(person.email)
    if (invitee !== undefined) yield of(person, invitee)
  }
  for (const invitee of unseen.values()) yield of(newPerson(invitee.email, now()), invitee)
}

/**
 * Who is to be emailed now, and whom the sweep has not asked about yet: mixed anew in each run, because five in a row whom the
 * service doesn't know, or says nothing of, end it.
 */
async function whoIsDue(
  list: Iterable<Invitee>,
  parts: KeepParts,
  { askedBefore, beganAt, began }: { askedBefore: number; beganAt: number; began: number },
) {
  const starting: Invitee[] = []
  const unasked: { invitee: Invitee; turn: string }[] = []
  let hasAnswered = false
  for await (const { person, invitee, start } of whatIsDue(list, parts)) {
    if (start.kind === 'mail' && person.lastCheck !== undefined) starting.push(invitee)
    const checkedAt = person.lastCheck?.checkedAt ?? 0
    const turn = hash('sha256', `${began} ${person.email}`)
    if (checkedAt < askedBefore) unasked.push({ invitee, turn })
    hasAnswered ||= checkedAt >= beganAt
  }
  unasked.sort((one, other) => (one.turn < other.turn ? -1 : 1))
  return { starting, unasked: unasked.map(({ invitee }) => invitee), hasAnswered }
}

/** Sends the emails of one campaign. Each person is asked about immediately before. */
function sending(
  parts: KeepParts & Pick<DeliveryParts, 'hasAnswered'>,
  campaign: typeof ONBOARDING | typeof LAPSES,
  due: (person: Person, now: number) => DueEmail,
  isAbout: DeliveryParts['isAbout'],
) {
  const compose = parts.compose[campaign === LAPSES ? 'lapse' : 'invitation']
  // The next sweep asks again.
  const postpone = () => Promise.resolve()
  const ledger = { ...createLedger({ ...parts, campaign, due }), postpone }
  // Scheduled runs count, and name no one: /admin lists who is meant.
  const silent = { onWouldSend: () => {}, onProblem: () => {}, mayStart: () => true }
  const delivery = createDelivery({ ...parts, ...silent, ledger, isAbout, compose })
  const email = async (invitee: Invitee): Promise<void> => {
    const plan = await ledger.plan(invitee.email)
    if (plan.due.kind === 'mail') await delivery.deliver(invitee, plan.due.reminder, plan)
  }
  /** Asks, unless a page has asked since, and invites people who were never asked about. */
  const look = async (invitee: Invitee, askedBefore: number): Promise<void> => {
    const plan = await ledger.plan(invitee.email)
    if (plan.due.kind === 'unreadable' || (plan.person?.lastCheck?.checkedAt ?? 0) >= askedBefore) return
    await delivery.deliver(invitee, plan.due.kind === 'mail' ? plan.due.reminder : undefined, plan)
  }
  return { email, look, end: () => delivery.end() }
}
