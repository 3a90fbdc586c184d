// Which email `onramp keep` owes a person now: the invitation, a reminder, or one of an episode. An episode is about apps that
// the invitation isn't about: those that are new, and those to which access ended (a lapse). Each has its own emails. Pure.
import { pausedApps, type KeepState } from '../people/keep-state.ts'
import { appsOf, isGone, mayHaveBeenSent, type Person, type PersonApp } from '../people/person.ts'
import { campaignEmails, dueEmail, ONBOARDING, type DueEmail, type ReminderPolicy } from './campaign.ts'
import { isWorkingTime, workingDaysBetween, type Place } from './working-time.ts'

export const LAPSES = 'lapses'
export const NEW_APPS = 'new-apps'

export const EPISODES = [LAPSES, NEW_APPS] as const
export type EpisodeName = (typeof EPISODES)[number]

/** Working days after the first email about an app. */
const AFTER_WORKING_DAYS: Record<EpisodeName, readonly number[]> = {
  [LAPSES]: [0, 2, 7],
  [NEW_APPS]: [0, 5, 10],
}
const QUARTER_MS = 91 * 86_400_000
/** Emails of every kind to one person. */
const MAX_IN_A_QUARTER = 4
/** At most one email a day, even if the mail server didn't take it: the next one has what was found meanwhile. */
const DAILY_MS = 20 * 3_600_000

/** As docs/invitations.md recommends. Sweeps check everyone anyway, so a check stays fresh. */
const KEEP_POLICY: ReminderPolicy = {
  remindAfterMs: 7 * 86_400_000,
  unknown: 'sent',
  freshMs: Infinity,
  isAbout: (app, person) => episodeOf(app, person) === undefined,
}

const NOT_DUE = { kind: 'not-due', wasSent: false } as const

/**
 * The episode of an app that isn't connected, and when it began; milliseconds since 1970. None: the app belongs to the
 * invitation, as does a new one where the person has neither been emailed nor signed in yet, or the invitation named it.
 */
export function episodeOf(
  { instance, lapsedAt, newAt }: PersonApp,
  person: Person,
): { name: EpisodeName; since: number } | undefined {
  if (lapsedAt !== undefined) return { name: LAPSES, since: lapsedAt }
  if (newAt === undefined) return undefined
  const sent = person.campaigns.flatMap(({ name, emails }) =>
    emails.filter(mayHaveBeenSent).map(({ at, apps }) => ({ name, at, apps })),
  )
  const isInvited = person.signedInAt !== undefined || sent.length > 0
  const isNamed = sent.some(
    (one) => one.name === ONBOARDING && one.at >= newAt && one.apps?.includes(instance),
  )
  return isInvited && !isNamed ? { name: NEW_APPS, since: newAt } : undefined
}

/** What an email about these apps says. `isRepeat`: it isn't the first one about any of them. */
export function emailKindOf(apps: readonly PersonApp[], person: Person) {
  const episodes = apps.map((app) => ({ app, episode: episodeOf(app, person) }))
  const isOf = (name: EpisodeName) => episodes.every(({ episode }) => episode?.name === name)
  const emails = person.campaigns.flatMap((campaign) => campaign.emails).filter(mayHaveBeenSent)
  const isRepeat = episodes.every(({ app, episode }) =>
    emails.some(({ at, apps: named }) => at >= (episode?.since ?? 0) && named?.includes(app.instance)),
  )
  const isMoved = apps.every(({ movedFrom }) => movedFrom !== undefined)
  return { isLapse: isOf(LAPSES), isNew: isOf(NEW_APPS), isMoved, isRepeat }
}

/** Working hours, not opted out, and below the daily and quarterly limits. */
function mayEmail(person: Person, now: number, place: Place): boolean {
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  const sent = emails.filter((email) => mayHaveBeenSent(email) && Math.abs(now - email.at) < QUARTER_MS)
  const isTooSoon = emails.some(({ at }) => Math.abs(now - at) < DAILY_MS)
  const isAllowed = person.optedOutAt === undefined && sent.length < MAX_IN_A_QUARTER && !isTooSoon
  return isAllowed && isWorkingTime(now, place)
}

/** The invitation or reminder that is due. None if an app has lapsed: its own email says that. */
export function dueInvitation(person: Person, now: number, place: Place): DueEmail {
  const hasLapsed = appsOf(person).some(({ lapsedAt }) => lapsedAt)
  return !hasLapsed && !isGone(person) && mayEmail(person, now, place)
    ? dueEmail(person, KEEP_POLICY, now)
    : NOT_DUE
}

/** `place`: where the person is. */
type Moment = { state: KeepState; now: number; place: Place }

/** Emails about each app that may be emailed about. */
function openApps(name: EpisodeName, person: Person, state: KeepState) {
  const emails = campaignEmails(person, name)
  const paused = pausedApps(state)
  return appsOf(person).flatMap((app) => {
    const episode = app.state === 'waiting' ? episodeOf(app, person) : undefined
    const isOpen = episode?.name === name && episode.since < (state.evaluatedAt ?? 0)
    if (!isOpen || paused.has(app.instance)) return []
    const sent = emails.filter(
      (email) => mayHaveBeenSent(email) && email.at >= episode.since && email.apps?.includes(app.instance),
    )
    return sent.length < AFTER_WORKING_DAYS[name].length ? [{ instance: app.instance, sent }] : []
  })
}

/** The apps of the episode's email that is due now; none: no email is due. */
export function dueApps(name: EpisodeName, person: Person, { state, now, place }: Moment): string[] {
  if (isGone(person) || !mayEmail(person, now, place)) return []
  const isFailed = (campaign: string) => campaignEmails(person, campaign).at(-1)?.state === 'failed'
  if (isFailed(name) || (name === NEW_APPS && isFailed(ONBOARDING))) return []
  const open = openApps(name, person, state)
  const isDue = open.some(({ sent }) => {
    const [first] = sent
    const days = AFTER_WORKING_DAYS[name][sent.length] ?? 0
    return first === undefined || workingDaysBetween(first.at, now, place) >= days
  })
  return isDue ? open.map(({ instance }) => instance) : []
}

export function dueEpisodeEmail(name: EpisodeName, person: Person, moment: Moment): DueEmail {
  if (dueApps(name, person, moment).length === 0) return NOT_DUE
  const last = campaignEmails(person, name).at(-1)
  const reminder = last === undefined ? 0 : last.reminder + Number(last.state !== 'deferred')
  return { kind: 'mail', reminder, isRetry: false }
}
