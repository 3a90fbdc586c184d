// Decides whether an invitation or a reminder is due, and updates a person's emails. Pure. An email without an outcome
// may have arrived, so it is uncertain and is sent again only on request.
import { omitUndefined } from '../omit-undefined.ts'
import { appsOf, mayHaveBeenSent, type EmailRecord, type Person, type PersonApp } from '../people/person.ts'

export const ONBOARDING = 'onboarding'

export const MAX_REMINDERS = 3
/** Pause after an email of another campaign. */
const MIN_GAP_MS = 48 * 3_600_000

/** Times are milliseconds. */
export type ReminderPolicy = {
  /** Absent: no reminders. */
  remindAfterMs?: number | undefined
  /** How to treat emails that may have arrived. `sent`: reminders follow. */
  uncertain: 'wait' | 'resend' | 'sent'
  /** How long a check that found nothing to connect stays valid. */
  checkValidMs: number
  /** Apps that reminders are about; default: all. */
  isAbout?: (app: PersonApp, person: Person) => boolean
}

export type EmailDecision =
  /** `reminder` 0: the invitation. `isRetry`: something failed before, so everyone else comes first. */
  | { kind: 'email'; reminder: number; isRetry: boolean }
  /** The newest email may have arrived, or was rejected for good. */
  | { kind: 'uncertain' | 'failed' }
  /** The record can't be read; the person may have opted out. */
  | { kind: 'unreadable' }
  /** The person got a new address during the run. */
  | { kind: 'renamed' }
  /** `isLimited`: only because of the quarterly limit. */
  | { kind: 'not-due'; wasSent: boolean; isLimited?: boolean }

export const campaignEmails = ({ campaigns }: Person, campaign: string): EmailRecord[] =>
  campaigns.find(({ name }) => name === campaign)?.emails ?? []

const QUARTER_MS = 91 * 86_400_000
/** Emails of every kind to one person. */
const MAX_IN_A_QUARTER = 4

/** When the quarterly limit allows the next email, milliseconds since 1970; 0: now. */
export function nextAllowedAt(emails: readonly EmailRecord[], now: number): number {
  const sentEmails = emails.filter((email) => mayHaveBeenSent(email) && Math.abs(now - email.at) < QUARTER_MS)
  const times = sentEmails.map(({ at }) => at + QUARTER_MS).sort((one, other) => one - other)
  return times.at(-MAX_IN_A_QUARTER) ?? 0
}

/** True if the person hasn't opted out, and is below the quarterly limit. */
export const isReachable = ({ campaigns, optedOutAt }: Person, now: number): boolean =>
  optedOutAt === undefined &&
  nextAllowedAt(
    campaigns.flatMap(({ emails }) => emails),
    now,
  ) === 0

const isTooSoon = ({ campaigns }: Person, now: number): boolean =>
  campaigns
    .filter(({ name }) => name !== ONBOARDING)
    .flatMap(({ emails }) => emails)
    .some((email) => mayHaveBeenSent(email) && Math.abs(now - email.at) < MIN_GAP_MS)

const hasNothing = (person: Person, { checkValidMs, isAbout }: ReminderPolicy, now: number): boolean =>
  person.lastCheck !== undefined &&
  person.lastCheck.checkedAt <= now &&
  now - person.lastCheck.checkedAt < checkValidMs &&
  !appsOf(person).some(
    (app) => (app.state === 'unconnected' || app.state === 'skipped') && isAbout?.(app, person) !== false,
  )

const isReminderDue = (last: EmailRecord, { remindAfterMs }: ReminderPolicy, now: number): boolean =>
  remindAfterMs !== undefined && last.reminder < MAX_REMINDERS && now - last.at >= remindAfterMs

/** @param now milliseconds since 1970 */
export function decideOnboardingEmail(person: Person, policy: ReminderPolicy, now: number): EmailDecision {
  const last = campaignEmails(person, ONBOARDING).at(-1)
  const isUncertain = last?.state === 'unknown' || last?.state === 'sending'
  const isSent = last?.state === 'sent' || (isUncertain && policy.uncertain === 'sent')
  const isDone = last === undefined || isSent
  const notDue = { kind: 'not-due', wasSent: last?.state === 'sent' } as const
  if (person.optedOutAt !== undefined) return notDue
  if (isUncertain && policy.uncertain === 'wait') return { kind: 'uncertain' }
  if (last?.state === 'failed') return { kind: 'failed' }
  if (isSent && !isReminderDue(last, policy, now)) return notDue
  if (isDone && hasNothing(person, policy, now)) return notDue
  if (isTooSoon(person, now)) return notDue
  if (!isReachable(person, now))
    return { ...notDue, isLimited: !hasNothing(person, { ...policy, checkValidMs: Infinity }, now) }
  const reminder = last === undefined ? 0 : last.reminder + Number(isDone)
  return { kind: 'email', reminder, isRetry: !isDone || person.unknownAt !== undefined }
}

export const campaignEmail = (person: Person, campaign: string, reminder: number): EmailRecord | undefined =>
  campaignEmails(person, campaign).find((email) => email.reminder === reminder)

const MAX_EMAILS = 30

/** Sets the state of one email. Keeps its apps and kind unless they are given, and its rejections. */
export function withEmail(
  person: Person,
  { campaign, now: at, ...state }: Omit<EmailRecord, 'at'> & { campaign: string; now: number },
): Person {
  const before = campaignEmail(person, campaign, state.reminder)
  const otherEmails = campaignEmails(person, campaign).filter((email) => email !== before)
  const { apps, alsoListed, isMoved, releasedBy, rejected: earlier = [] } = before ?? {}
  const rejection = before?.wasRejected ? [{ at: before.at, ...omitUndefined({ apps, alsoListed }) }] : []
  const rejected = [...earlier, ...rejection]
  const about = omitUndefined({
    apps,
    alsoListed,
    isMoved,
    releasedBy,
    ...(rejected.length > 0 && { rejected }),
  })
  const email: EmailRecord = { ...about, ...state, at }
  const emails = [...otherEmails, email].slice(-MAX_EMAILS)
  const rest = person.campaigns.filter(({ name }) => name !== campaign)
  return { ...person, campaigns: [...rest, { name: campaign, emails }] }
}
