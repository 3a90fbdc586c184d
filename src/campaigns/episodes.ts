// Decides which email of `onramp keep` is due: the invitation, a reminder, or one of an episode. An episode is about
// new apps, or about lapses (ended access), which the invitation leaves out. Pure.
import type { Company } from '../company/company.ts'
import {
  activeMassDisconnects,
  personForCounts,
  pausedApps,
  likelySuccessorOf,
} from '../people/keep-state.ts'
import { unansweredDelistings, type KeepState } from '../people/keep-state.ts'
import { appsOf, isGone, mayHaveBeenSent } from '../people/person.ts'
import type { AppRecord, Person, PersonApp } from '../people/person.ts'
import { APPROVALS, isApprovalEmailDue, isMoveEmailDue, MOVED_APPROVALS } from './approvals.ts'
import { campaignEmails, decideOnboardingEmail, isReachable, nextAllowedAt, ONBOARDING } from './campaign.ts'
import type { EmailDecision, ReminderPolicy } from './campaign.ts'
import { calendarOf, isWorkingTime, nextWorkday, quietUntil, workingDaysBetween } from './working-time.ts'
import { WORKING_HOURS, type WorkCalendar } from './working-time.ts'

export const LAPSES = 'lapses'
export const NEW_APPS = 'new-apps'

/** Working days before each email about an app, counted from the last one about it, of any campaign. */
const GAPS_IN_WORKING_DAYS = { [LAPSES]: [0, 2, 5], [NEW_APPS]: [0, 5, 5] }

/** Working days before the first email about an app that one about others listed. */
const LISTED_WORKING_DAYS = 2

/** Emails about a new app wait this long if another app may have moved there. */
const ANSWER_WORKING_DAYS = 2

const EPISODES = [LAPSES, NEW_APPS] as const
type EpisodeName = (typeof EPISODES)[number]
type ApprovalCampaign = typeof APPROVALS | typeof MOVED_APPROVALS
/** By priority: reminders come last, so they don't use up a person's last email of the quarter. */
export const CAMPAIGNS = [APPROVALS, MOVED_APPROVALS, ...EPISODES, ONBOARDING] as const
export type CampaignName = (typeof CAMPAIGNS)[number]
/** Twenty hours, so that an hourly run sends at most one email a day. Rejected emails count, too. */
const DAILY_MS = 20 * 3_600_000

/** The advice of docs/invitations.md. Sweeps check everyone anyway, so a check never expires. */
const KEEP_POLICY: ReminderPolicy = {
  remindAfterMs: 7 * 86_400_000,
  uncertain: 'sent',
  checkValidMs: Infinity,
  isAbout: (app, person) => episodeOf(app, person) === undefined,
}

const NOT_DUE = { kind: 'not-due', wasSent: false } as const

/** @param since milliseconds since 1970 @param campaign default: every campaign */
const emailsAbout = ({ campaigns }: Person, instance: string, since = 0, campaign?: string) =>
  campaigns
    .filter(({ name }) => campaign === undefined || name === campaign)
    .flatMap(({ emails }) => emails)
    .filter((email) => mayHaveBeenSent(email) && email.at >= since && email.apps?.includes(instance))

/** The times of emails that listed the app, also beside those that they were about. */
const listedTimes = ({ campaigns }: Person, instance: string, since = 0) =>
  campaigns
    .flatMap(({ emails }) => emails)
    .filter((email) => mayHaveBeenSent(email) && email.at >= since)
    .flatMap(({ at, apps = [], alsoListed = [] }) => ([...apps, ...alsoListed].includes(instance) ? at : []))

/**
 * @returns the episode of an unconnected app, and its start in milliseconds since 1970. Undefined if the app belongs
 * to the invitation, because the invitation named it, or the person was never emailed and never signed in
 */
function episodeOf(
  { instance, lapsedAt, newAt }: Pick<PersonApp, 'instance' | 'lapsedAt' | 'newAt'>,
  person: Person,
): { name: EpisodeName; since: number } | undefined {
  if (lapsedAt !== undefined) return { name: LAPSES, since: lapsedAt }
  if (newAt === undefined) return undefined
  const wasEmailed = person.campaigns.some(({ emails }) => emails.some(mayHaveBeenSent))
  if (person.signedInAt === undefined && !wasEmailed) return undefined
  const isNamed = emailsAbout(person, instance, newAt, ONBOARDING).length > 0
  return isNamed ? undefined : { name: NEW_APPS, since: newAt }
}

/** `nth`: the email's number, from 1, for the app with the fewest emails. Approval emails count only each other. */
export function emailKindOf(apps: readonly PersonApp[], person: Person, campaignName?: string) {
  if (campaignName === MOVED_APPROVALS)
    return { isLapse: false, isNew: true, hasMoved: true, isWaiting: true, nth: 1 }
  const areAllIn = (name: EpisodeName) => apps.every((app) => episodeOf(app, person)?.name === name)
  const campaign = campaignName === APPROVALS ? APPROVALS : undefined
  const counts = apps.map(
    (app) => emailsAbout(person, app.instance, episodeOf(app, person)?.since, campaign).length,
  )
  const movedCount = apps.filter(({ movedFrom }) => movedFrom !== undefined).length
  const hasMoved = movedCount === 0 || movedCount === apps.length ? movedCount > 0 : undefined
  return { isLapse: areAllIn(LAPSES), isNew: areAllIn(NEW_APPS), hasMoved, nth: 1 + Math.min(...counts) }
}

/** True while admins have time to answer whether another app moved there. */
function mayHaveMoved({ instance, newAt = 0 }: PersonApp, { state, now, calendar }: EmailContext): boolean {
  const isRecent = ({ noticedAt }: { noticedAt: number }) =>
    workingDaysBetween(Math.max(noticedAt, newAt), now, calendar) < ANSWER_WORKING_DAYS
  return (
    unansweredDelistings(state).some((app) => likelySuccessorOf(app, state) === instance && isRecent(app)) ||
    activeMassDisconnects(state).some((app) => app.likelySuccessor === instance && isRecent(app))
  )
}

/** True if emails of the campaign may include the app. */
export function isAboutApp(name: CampaignName, app: PersonApp, person: Person, context: EmailContext) {
  const { state } = context
  if (name === APPROVALS) return isApprovalEmailDue(app, person, state)
  if (name === MOVED_APPROVALS) return isMoveEmailDue(app, person, state)
  const episode = episodeOf(app, person)
  if ((episode?.name ?? ONBOARDING) !== name) return false
  if (episode === undefined) return true
  const sentEmails = emailsAbout(person, app.instance, episode.since, name)
  const isBelowLimit = sentEmails.length < GAPS_IN_WORKING_DAYS[episode.name].length
  return isBelowLimit && mayBeListed(app, person, context)
}

/** True if the person has the app left, and its change is evaluated, and isn't waiting for an answer of admins. */
function mayBeListed(app: PersonApp, person: Person, context: EmailContext): boolean {
  const { name, since = -Infinity } = episodeOf(app, person) ?? {}
  const isDoubtful = name === NEW_APPS && mayHaveMoved(app, context)
  return app.state === 'unconnected' && since < (context.state.evaluatedAt ?? 0) && !isDoubtful
}

/** True if emails of the campaign, which are about other apps, also list this one. */
export const isAlsoListed: typeof isAboutApp = (campaign, app, person, context) =>
  EPISODES.some((name) => name === campaign) &&
  mayBeListed(app, person, context) &&
  !isTried(app, person, context.state)

/** True if the person tried the app after an approval that isn't confirmed. */
const isTried = ({ instance }: { instance: string }, person: Person, { approvals }: Partial<KeepState>) =>
  emailsAbout(person, instance, 0, APPROVALS).length > 0 &&
  approvals?.some((one) => one.instance === instance && ['approved', 'failed'].includes(one.stage)) === true

/** True if the app is new, and no email of its own has said so. */
const isUnannounced = (app: Parameters<typeof episodeOf>[0], person: Person): boolean =>
  episodeOf(app, person)?.name === NEW_APPS &&
  emailsAbout(person, app.instance, app.newAt, NEW_APPS).length === 0

/**
 * Leaves out what no email of the campaign may list: apps that were removed, are on hold, or may be either; those that
 * aren't announced yet; and those that the person tried after an approval that isn't confirmed. Approval emails keep
 * the apps whose approval is confirmed.
 */
export function forCampaign(
  name: CampaignName,
  recorded: Person,
  state: Partial<KeepState> & Pick<KeepState, 'massDisconnects'>,
): Person {
  const person = personForCounts(recorded, name === APPROVALS ? { ...state, approvals: [] } : state)
  const { lastCheck, movedApps } = person
  if (lastCheck === undefined) return person
  const paused = pausedApps(state)
  const replacesPaused = ({ instance }: AppRecord) =>
    movedApps.some((former) => former.movedTo === instance && paused.has(former.instance))
  const isPaused = (app: AppRecord) =>
    app.status !== 'connected' &&
    (paused.has(app.instance) || paused.has(app.movedFrom ?? '') || replacesPaused(app))
  const mayBeRemoved = ({ delistedAt = -Infinity }: AppRecord) => delistedAt >= (state.evaluatedAt ?? 0)
  // A loss that no run has evaluated may be that of many people. Without `onramp keep`, none is evaluated.
  const mayBePaused = ({ lapsedAt = -Infinity }: AppRecord) =>
    name !== LAPSES && lapsedAt >= (state.evaluatedAt ?? Infinity)
  const inQuestion = unansweredDelistings(state)
  const isInQuestion = ({ instance }: AppRecord) => inQuestion.some((app) => app.instance === instance)
  // A new app's own email comes first; a reminder lists the app afterwards.
  const isEarly = (app: AppRecord) =>
    name === ONBOARDING &&
    ((state.lastRunAt !== undefined && isUnannounced(app, person)) || isTried(app, person, state))
  const isLeftOut = [mayBeRemoved, isPaused, mayBePaused, isInQuestion, isEarly]
  const apps = lastCheck.apps.filter((app) => !isLeftOut.some((matches) => matches(app)))
  return { ...person, lastCheck: { ...lastCheck, apps } }
}

/** True in working hours, if the person hasn't opted out, and is below the daily and quarterly limits. */
function mayEmail(person: Person, { now, calendar }: EmailContext): boolean {
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  const isTooSoon = emails.some(({ at }) => Math.abs(now - at) < DAILY_MS)
  return isReachable(person, now) && !isTooSoon && isWorkingTime(now, calendar)
}

/** `calendar`: the person's time zone and quiet days. */
type EmailContext = { state: KeepState; now: number; calendar: WorkCalendar }

export function decideEmail(name: CampaignName, recorded: Person, context: EmailContext): EmailDecision {
  const person = forCampaign(name, recorded, context.state)
  if (isGone(person) || !mayEmail(person, context)) return NOT_DUE
  if (name !== ONBOARDING) return decideAppEmail(name, person, context)
  // The email about a lapse or a new app lists the other apps, too.
  const others = forCampaign(LAPSES, recorded, context.state)
  const isCovered = appsOf(others).some(
    (app) => app.lapsedAt !== undefined || (app.state === 'unconnected' && isUnannounced(app, others)),
  )
  return isCovered ? NOT_DUE : decideOnboardingEmail(person, KEEP_POLICY, context.now)
}

function decideAppEmail(
  name: ApprovalCampaign | EpisodeName,
  person: Person,
  context: EmailContext,
): EmailDecision {
  const { now, calendar } = context
  const last = campaignEmails(person, name).at(-1)
  const invitation = name !== LAPSES ? campaignEmails(person, ONBOARDING).at(-1) : undefined
  if (last?.state === 'failed' || invitation?.state === 'failed') return NOT_DUE
  const isDue = appsOf(person).some((app) => {
    if (!isAboutApp(name, app, person, context)) return false
    if (name === APPROVALS || name === MOVED_APPROVALS) return true
    const since = episodeOf(app, person)?.since
    const times = listedTimes(person, app.instance, since)
    if (times.length === 0) return true
    // An email about its approval is one about the app, too.
    const isFirst = emailsAbout(person, app.instance, since).length === 0
    const nth = emailsAbout(person, app.instance, since, name).length
    const gap = isFirst ? LISTED_WORKING_DAYS : (GAPS_IN_WORKING_DAYS[name][Math.max(nth, 1)] ?? 0)
    return workingDaysBetween(Math.max(...times), now, calendar) >= gap
  })
  if (!isDue) return NOT_DUE
  const reminder = last === undefined ? 0 : last.reminder + Number(last.state !== 'deferred')
  return { kind: 'email', reminder, isRetry: false }
}

const HOUR_MS = 3_600_000
const OUTLOOK_MS = 92 * 24 * HOUR_MS
/** From the first hour of a working day to its last one. */
const LAST_HOUR_MS = (WORKING_HOURS.to - WORKING_HOURS.from - 1) * HOUR_MS

/**
 * `wait`: why no email is sent now, and until when, if that is known. `next`: the first email that a run would send if
 * nothing changed. Times are milliseconds since 1970.
 */
export function emailOutlook(
  person: Person,
  keepState: KeepState,
  { now, ...company }: Pick<Company, 'timezone' | 'quietDays'> & { now: number },
) {
  const calendar = calendarOf(company, person, keepState)
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  const limit = nextAllowedAt(emails, now)
  const quiet = quietUntil(now, calendar) ?? 0
  const [why, last] = limit > quiet ? (['limit', limit] as const) : (['quiet', quiet] as const)
  const wait: { why: 'limit' | 'quiet' | 'approval'; at?: number } | undefined =
    last > now ? { why, at: nextWorkday(last, calendar) } : undefined
  // The next check evaluates what pages recorded.
  const state = { ...keepState, evaluatedAt: Infinity }
  if (keepState.lastRunAt === undefined || person.listedAt === undefined) return { wait, next: undefined }
  const isOpen = (at: number) => isWorkingTime(at, calendar)
  let isLastHour = false
  // What is due on a day is due in its last hour. Daylight saving time moves the next day's by an hour.
  for (let at = Math.max(now, last); at < now + OUTLOOK_MS; at += isLastHour ? 23 * HOUR_MS : HOUR_MS) {
    isLastHour = isOpen(at) && !isOpen(at + HOUR_MS)
    for (const name of isLastHour ? CAMPAIGNS : []) {
      const due = decideEmail(name, person, { state, now: at, calendar })
      const from = Math.max(now, last, at - LAST_HOUR_MS)
      if (due.kind === 'email') return { wait, next: { name, reminder: due.reminder, at: from } }
    }
  }
  const isHeldBack = appsOf(person).some((app) => app.state === 'unconnected' && isTried(app, person, state))
  return { wait: wait ?? (isHeldBack ? { why: 'approval' } : undefined), next: undefined }
}
