// Which email `onramp keep` owes a person now: the invitation, a reminder, or one about access that ended (a lapse). Pure.
import { pausedApps, type KeepState } from '../people/keep-state.ts'
import { appsOf, isGone, mayHaveBeenSent, type Person } from '../people/person.ts'
import { campaignEmails, dueEmail, type DueEmail, type ReminderPolicy } from './campaign.ts'
import { isWorkingTime, workingDaysBetween } from './working-time.ts'

export const LAPSES = 'lapses'

/** Working days after the first email about a lapse. */
const AFTER_WORKING_DAYS = [0, 2, 7]
const QUARTER_MS = 91 * 86_400_000
/** Emails of every kind to one person. */
const MAX_IN_A_QUARTER = 4
/** At most one email a day, even if the mail server didn't take it: the next one has what was found meanwhile. */
const DAILY_MS = 20 * 3_600_000

/** As docs/invitations.md recommends. Sweeps check everyone anyway, so a check stays fresh. */
const KEEP_POLICY: ReminderPolicy = { remindAfterMs: 7 * 86_400_000, unknown: 'sent', freshMs: Infinity }

const NOT_DUE = { kind: 'not-due', wasSent: false } as const

/** Working hours, not opted out, and below the daily and quarterly limits. */
function mayEmail(person: Person, now: number, zone: string): boolean {
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  const sent = emails.filter((email) => mayHaveBeenSent(email) && Math.abs(now - email.at) < QUARTER_MS)
  const isTooSoon = emails.some(({ at }) => Math.abs(now - at) < DAILY_MS)
  const isAllowed = person.optedOutAt === undefined && sent.length < MAX_IN_A_QUARTER && !isTooSoon
  return isAllowed && isWorkingTime(now, zone)
}

/** The invitation or reminder that is due. None if an app has lapsed: its own email says that. */
export function dueInvitation(person: Person, now: number, zone: string): DueEmail {
  const hasLapsed = appsOf(person).some(({ lapsedAt }) => lapsedAt)
  return !hasLapsed && !isGone(person) && mayEmail(person, now, zone)
    ? dueEmail(person, KEEP_POLICY, now)
    : NOT_DUE
}

/** The apps of the lapse email that is due now; none: no email is due. @param zone the person's, IANA */
export function dueLapses(person: Person, state: KeepState, now: number, zone: string): string[] {
  if (isGone(person) || !mayEmail(person, now, zone)) return []
  const emails = campaignEmails(person, LAPSES)
  if (emails.at(-1)?.state === 'failed') return []
  const paused = pausedApps(state)
  const open = appsOf(person).flatMap(({ instance, state: appState, lapsedAt }) => {
    const isOpen = appState === 'waiting' && lapsedAt !== undefined && lapsedAt < (state.evaluatedAt ?? 0)
    if (!isOpen || paused.has(instance)) return []
    const sent = emails.filter(
      (email) => mayHaveBeenSent(email) && email.at >= lapsedAt && email.apps?.includes(instance),
    )
    return sent.length < AFTER_WORKING_DAYS.length ? [{ instance, sent }] : []
  })
  const isDue = open.some(({ sent }) => {
    const [first] = sent
    const days = AFTER_WORKING_DAYS[sent.length] ?? 0
    return first === undefined || workingDaysBetween(first.at, now, zone) >= days
  })
  return isDue ? open.map(({ instance }) => instance) : []
}

export function dueLapseEmail(person: Person, state: KeepState, now: number, zone: string): DueEmail {
  if (dueLapses(person, state, now, zone).length === 0) return NOT_DUE
  const last = campaignEmails(person, LAPSES).at(-1)
  const reminder = last === undefined ? 0 : last.reminder + Number(last.state !== 'deferred')
  return { kind: 'mail', reminder, isRetry: false }
}
