// Who is due for which email of a campaign, and how that is written down. Pure. An email is written down before it
// leaves: what was being sent when a process died stays uncertain, and is sent again only on request.
import { isOut, type Person, type Mailing } from '../people/person.ts'
import type { Certainty } from '../people/people.ts'

export type Policy = {
  campaign: string
  /** Absent: no reminders. */
  remindAfterMs?: number | undefined
  maxReminders: number
  /** Send again what may have been sent already. */
  retryUnknown: boolean
  /** Send again what the mail server refused for good. */
  retryFailed: boolean
  /** Email people whom a record may have been about that `invite forget` removed without reading it. */
  mailInDoubt?: boolean
  /** Least time between two emails of different campaigns to a person. */
  minGapMs: number
  /** For how long the service's answer that nothing is left counts. */
  freshMs: number
}

/** An email that was being sent. */
export type Open = Pick<Mailing, 'reminder' | 'at' | 'by'>

export type Due =
  | { kind: 'mail'; reminder: number }
  /** A run that died left this open; from now on it is uncertain. */
  | ({ kind: 'left-open' } & Open)
  | { kind: 'rest'; why: 'sent' | 'uncertain' | 'failed' | 'put-off' | 'opted-out' | 'nothing' | 'too-soon' }

/** May they have asked for no emails? What was removed unread may be overruled; what is there and cannot be read never is. */
export const isInDoubt = (
  certainty: Certainty,
  { mailInDoubt }: Pick<Policy, 'mailInDoubt'>,
): certainty is Exclude<Certainty, 'certain'> =>
  certainty === 'unreadable' || (certainty === 'removed' && mailInDoubt !== true)

/** How often an email that the mail server delays is tried. */
export const MAX_TRIES = 5

export const mailingsOf = (arrival: Person, campaign: string): Mailing[] =>
  arrival.campaigns.find(({ name }) => name === campaign)?.mailings ?? []

/** Another campaign sent an email only just now. Within a campaign the times of its reminders count. */
const isTooSoon = ({ campaigns }: Person, { campaign, minGapMs }: Policy, now: number) =>
  campaigns
    .filter(({ name }) => name !== campaign)
    .flatMap(({ mailings }) => mailings)
    .some((mailing) => isOut(mailing) && Math.abs(now - mailing.at) < minGapMs)

const hasNothing = ({ asOf, sources }: Person, { freshMs }: Policy, now: number) =>
  asOf !== undefined &&
  asOf <= now &&
  now - asOf < freshMs &&
  !sources.some(({ state }) => state === 'waiting' || state === 'skipped')

export function due(arrival: Person, policy: Policy, now: number): Due {
  const last = mailingsOf(arrival, policy.campaign).at(-1)
  if (last?.state === 'sending' && !policy.retryUnknown)
    return { kind: 'left-open', reminder: last.reminder, at: last.at, by: last.by }
  const why = restOf(arrival, policy, now)
  if (why !== undefined) return { kind: 'rest', why }
  if (last === undefined) return { kind: 'mail', reminder: 0 }
  return { kind: 'mail', reminder: last.state === 'sent' ? last.reminder + 1 : last.reminder }
}

/** Why the person gets no email now; undefined: they get one. */
function restOf(arrival: Person, policy: Policy, now: number) {
  const last = mailingsOf(arrival, policy.campaign).at(-1)
  const isNew = last === undefined || last.state === 'sent'
  if (arrival.optedOutAt !== undefined) return 'opted-out'
  if (last?.state === 'unknown' && !policy.retryUnknown) return 'uncertain'
  if (last?.state === 'failed' && !policy.retryFailed) return 'failed'
  const isPutOff = last?.state === 'deferred' && last.tries >= MAX_TRIES
  if (isPutOff && !policy.retryFailed) return 'put-off'
  if (last?.state === 'sent' && !isReminderDue(last, policy, now)) return 'sent'
  if (isNew && hasNothing(arrival, policy, now)) return 'nothing'
  return isTooSoon(arrival, policy, now) ? 'too-soon' : undefined
}

const isReminderDue = (last: Mailing, { remindAfterMs, maxReminders }: Policy, now: number) =>
  remindAfterMs !== undefined && last.reminder < maxReminders && now - last.at >= remindAfterMs

type Which = { campaign: string; reminder: number }
type Change = Which & { state: Mailing['state']; now: number; by?: string | undefined }

/** @param mailing what is now written down of this reminder; undefined: nothing */
function changed(arrival: Person, { campaign, reminder }: Which, mailing: Mailing | undefined): Person {
  const others = mailingsOf(arrival, campaign).filter((other) => other.reminder !== reminder)
  const mailings = mailing === undefined ? others : [...others, mailing]
  const rest = arrival.campaigns.filter(({ name }) => name !== campaign)
  return { ...arrival, campaigns: [...rest, { name: campaign, mailings }] }
}

export const mailingOf = (arrival: Person, { campaign, reminder }: Which) =>
  mailingsOf(arrival, campaign).find((mailing) => mailing.reminder === reminder)

/** Writes down the state of one email. @param change.by marks the try that is sending it, or may have */
export function withMailing(arrival: Person, change: Change): Person {
  const { reminder, state, now: at, by } = change
  const tries = (mailingOf(arrival, change)?.tries ?? 0) + Number(state === 'sending')
  return changed(arrival, change, { reminder, state, at, tries, ...(by !== undefined && { by }) })
}

/** The email did not leave, through no fault of its recipient: as if it had not been tried. */
export function withdrawn(arrival: Person, which: Which): Person {
  const known = mailingOf(arrival, which)
  // Another run may have taken over meanwhile, and sent it.
  if (known === undefined || known.state === 'sent' || known.state === 'unknown') return arrival
  const { by: _by, ...rest } = known
  const tries = known.tries - 1
  return changed(arrival, which, tries === 0 ? undefined : { ...rest, state: 'deferred', tries })
}
