// What ended: who is emailed about it and when, and when so many people lost an app that one cause must be behind it,
// which only an administrator can remove. Pure.
import { appsOf, isGone, mayHaveBeenSent, type Person } from '../people/person.ts'
import { pausedApps, type MassDisconnect, type KeepState } from '../people/keep-state.ts'
import { dueEmail, campaignEmails, type DueEmail, type ReminderPolicy } from './campaign.ts'
import { isWorkingTime, workingDaysBetween } from './working-time.ts'

/** The campaign under whose name these emails are written down. */
export const LAPSES = 'lapses'

/** After so many working days since the first email about a lapse. */
const AFTER_WORKING_DAYS = [0, 2, 7]
const QUARTER_MS = 91 * 86_400_000
/** One email a day at most, also where the mail server didn't take it: what is found meanwhile goes into the next one. */
const DAILY_MS = 20 * 3_600_000
/** To a person, of every kind. */
const MAX_IN_A_QUARTER = 4

/** Of `onramp keep`: reminders as docs/invitations.md recommends. */
const REMINDING: ReminderPolicy = {
  remindAfterMs: 7 * 86_400_000,
  unknown: 'sent',
  // Asked anyway, a few times a day.
  freshMs: Infinity,
}

/** Is it a good time, and have they had few enough emails? */
function mayEmail(person: Person, now: number, zone: string): boolean {
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  const sent = emails.filter((email) => mayHaveBeenSent(email) && Math.abs(now - email.at) < QUARTER_MS)
  const isTooSoon = emails.some(({ at }) => Math.abs(now - at) < DAILY_MS)
  const isFree = person.optedOutAt === undefined && sent.length < MAX_IN_A_QUARTER && !isTooSoon
  return isFree && isWorkingTime(now, zone)
}

/** The invitation or reminder that is due; none for people who have lost an app, whose email says that. */
export function dueInvitation(person: Person, now: number, zone: string): DueEmail {
  const isBeginner = !appsOf(person).some(({ lapsedAt }) => lapsedAt)
  const nothing = { kind: 'not-due', wasSent: false } as const
  return isBeginner && !isGone(person) && mayEmail(person, now, zone)
    ? dueEmail(person, REMINDING, now)
    : nothing
}

/** The apps that a person has lost and can connect again. */
const lost = (person: Person) =>
  appsOf(person).flatMap(({ instance, state, lapsedAt }) =>
    state === 'waiting' && lapsedAt !== undefined ? [{ instance, lapsedAt }] : [],
  )

/**
 * The apps that an email about what ended is due for now; none: no email is due.
 * @param zone where the person is
 */
export function dueLapses(person: Person, keepState: KeepState, now: number, zone: string): string[] {
  if (isGone(person) || !mayEmail(person, now, zone)) return []
  const emails = campaignEmails(person, LAPSES)
  if (emails.at(-1)?.state === 'failed') return []
  const held = pausedApps(keepState)
  const open = lost(person)
    .filter(({ instance, lapsedAt }) => !held.has(instance) && lapsedAt < (keepState.evaluatedAt ?? 0))
    .map(({ instance, lapsedAt }) => ({
      instance,
      emails: emails.filter(
        (email) => mayHaveBeenSent(email) && email.at >= lapsedAt && email.apps?.includes(instance),
      ),
    }))
    .filter(({ emails }) => emails.length < AFTER_WORKING_DAYS.length)
  const isDue = open.some(({ emails }) => {
    const [first] = emails
    return (
      first === undefined ||
      workingDaysBetween(first.at, now, zone) >= (AFTER_WORKING_DAYS[emails.length] ?? 0)
    )
  })
  return isDue ? open.map(({ instance }) => instance) : []
}

/** The same as what a campaign asks for. */
export function dueLapseEmail(person: Person, keepState: KeepState, now: number, zone: string): DueEmail {
  if (dueLapses(person, keepState, now, zone).length === 0) return { kind: 'not-due', wasSent: false }
  const last = campaignEmails(person, LAPSES).at(-1)
  const reminder = last === undefined ? 0 : last.reminder + Number(last.state !== 'deferred')
  return { kind: 'mail', reminder, isRetry: false }
}

const MIN_PEOPLE = 5
const MIN_SHARE = 0.2
/** So many have a shared cause, whatever their share is, where they were noticed within half a day. */
const MANY = 50
const AT_ONCE_MS = 12 * 3_600_000
/** By then everyone was asked about once more, also by a run a day. */
const SPREAD_MS = 36 * 3_600_000

/** `fresh`: when each lapse was noticed that was not looked at yet; milliseconds since 1970. */
type Count = { name: string; had: number; fresh: number[]; lapsed: number }

/** Others who lose the app before or after must not keep a break from being over. */
const isOf = ({ since, noticedAt }: MassDisconnect, lapsedAt: number): boolean =>
  lapsedAt >= since && lapsedAt < noticedAt + SPREAD_MS

/** Counts of each app, over everyone on the list: who had it, who lost it lately, and who lacks it since its known break. */
export function countLapses(keepState: KeepState) {
  const counts = new Map<string, Count>()
  const breaks = new Map(keepState.massDisconnects.map((known) => [known.instance, known]))
  return {
    counts,
    add(person: Person): void {
      if (isGone(person)) return
      for (const { instance, name, state, lapsedAt } of appsOf(person)) {
        if (state !== 'connected' && lapsedAt === undefined) continue
        const count = counts.get(instance) ?? { name, had: 0, fresh: [], lapsed: 0 }
        const known = breaks.get(instance)
        const isKnown = known !== undefined && lapsedAt !== undefined && isOf(known, lapsedAt)
        const isFresh = !isKnown && lapsedAt !== undefined && lapsedAt >= (keepState.evaluatedAt ?? 0)
        count.lapsed += Number(isKnown)
        if (isFresh) count.fresh.push(lapsedAt)
        count.had += Number(isFresh || state === 'connected')
        counts.set(instance, count)
      }
    },
  }
}

/** The most lapses that were noticed within `spanMs` of the first one. @param times sorted */
function mostWithin(times: readonly number[], spanMs: number): { since: number; lapsed: number } {
  let most = { since: 0, lapsed: 0 }
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && times[end]! - since < spanMs) end++
    if (end - start > most.lapsed) most = { since, lapsed: end - start }
  }
  return most
}

/**
 * The lapses that have a shared cause, by when each was noticed, however long ago that is. Of 50,000 who have an app, some
 * thirty lose it by themselves in half a day, at 1% a week.
 */
function sharedIn({ fresh, had }: Count): { since: number; lapsed: number } | undefined {
  const times = fresh.toSorted((one, other) => one - other)
  const together = mostWithin(times, SPREAD_MS)
  const isLargeShare = together.lapsed >= MIN_PEOPLE && together.lapsed >= had * MIN_SHARE
  return isLargeShare || mostWithin(times, AT_ONCE_MS).lapsed >= MANY ? together : undefined
}

/** Over once most of those who lost it have it again; a released one is remembered while more may be noticed. */
const isOver = (
  { lapsed, noticedAt, resumedAt }: MassDisconnect,
  count: Count | undefined,
  now: number,
): boolean => (count?.lapsed ?? 0) * 2 < lapsed && (resumedAt === undefined || now >= noticedAt + SPREAD_MS)

/** The breaks after everyone was asked once more. */
export function evaluateMassDisconnects(
  keepState: KeepState,
  counts: ReadonlyMap<string, Count>,
  now: number,
): MassDisconnect[] {
  const going = keepState.massDisconnects.flatMap((known): MassDisconnect[] => {
    const count = counts.get(known.instance)
    if (isOver(known, count, now)) return []
    const isOpen = known.resumedAt === undefined
    return [isOpen ? { ...known, lapsed: Math.max(known.lapsed, count?.lapsed ?? 0) } : known]
  })
  const open = pausedApps({ massDisconnects: going })
  const begun = [...counts].flatMap(([instance, count]): MassDisconnect[] => {
    const shared = open.has(instance) ? undefined : sharedIn(count)
    return shared ? [{ instance, name: count.name, noticedAt: now, ...shared, had: count.had }] : []
  })
  const isReplaced = ({ instance }: MassDisconnect) => begun.some((other) => other.instance === instance)
  return [...going.filter((known) => !isReplaced(known)), ...begun]
}
