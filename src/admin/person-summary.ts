// Summarizes a person for the report, the list and the export. Small, because pages hold everyone's summary. Pure.
import { APPROVALS } from '../campaigns/approvals.ts'
import { campaignEmails, ONBOARDING } from '../campaigns/campaign.ts'
import { emailKindOf, forCampaign, LAPSES, NEW_APPS } from '../campaigns/episodes.ts'
import { personForCounts, type KeepState } from '../people/keep-state.ts'
import { appsOf, isFinished, isGone, mayHaveBeenSent, isReady, type LIST_COLUMNS } from '../people/person.ts'
import type { AppRecord, PersonApp, EmailRecord, Person } from '../people/person.ts'

type EmailState = 'sent' | 'deferred' | 'failed' | 'uncertain'

export const emailStateOf = ({ state }: Pick<EmailRecord, 'state'>): EmailState =>
  state === 'sending' || state === 'unknown' ? 'uncertain' : state

/**
 * Each person is in exactly one state; all states but `gone` add up to the number of people.
 * - `ready`: everything is connected, or there was nothing to connect.
 * - `stuck`: can't continue without help. An app waits for an admin, a consent was never confirmed, or the newest email
 *   was rejected and the person never signed in.
 * - `fellBack`: had connected everything, and lost some apps.
 * - `inProgress`: signed in, and something is left.
 * - `notStarted`: never signed in, invited or not.
 * - `gone`: no longer on the list, or unknown to the service.
 */
type Progress = 'ready' | 'stuck' | 'fellBack' | 'inProgress' | 'notStarted' | 'gone'

/** The fields that pages need of a record. A literal, because copies of records take much more memory and time. */
const rowOf = (person: Person) =>
  ({
    email: person.email,
    formerEmails: person.formerEmails,
    name: person.name,
    language: person.language,
    group: person.group,
    timezone: person.timezone,
    id: person.id,
    listedAt: person.listedAt,
    leftAt: person.leftAt,
    openedAt: person.openedAt,
    signedInAt: person.signedInAt,
    optedOutAt: person.optedOutAt,
    unknownAt: person.unknownAt,
  }) satisfies Record<(typeof LIST_COLUMNS)[number], unknown> & Record<string, unknown>

/** Times are milliseconds since 1970. */
export type PersonSummary = {
  person: ReturnType<typeof rowOf>
  checkedAt: number | undefined
  /** When a later check listed nothing, and wasn't recorded. */
  emptyAt: number | undefined
  apps: PersonApp[]
  /** Instances that left this person's list and many others at once. */
  delistedInstances: string[]
  /** When the last of these instances left the list. */
  delistedAt: number | undefined
  /** Instances that were in emails about new apps, or, once lost, in emails since then. */
  emailedApps: string[]
  /** Unconnected instances about which the first of these emails is still to come, and isn't on hold. */
  awaitedApps: string[]
  emails: EmailRecord[]
  invitedAt: number | undefined
  emailState: EmailState | undefined
  /** Times of reminders, and of emails about lost access or a new app. */
  reminderTimes: number[]
  /** Times of those reminders and emails whose apps are all connected now. */
  actedTimes: number[]
  /** When everything was connected for the first time, and for the last time. */
  finishedAt: number | undefined
  lastFinishedAt: number | undefined
  /** When the person first was gone. */
  goneAt: number | undefined
  /** When all lost access was restored. */
  returnedAt: number | undefined
  /** When the first new app came, if only new apps are left. */
  newAppAt: number | undefined
  progress: Progress
  /** True if the person hasn't started, and an invitation or a reminder would list an app, as far as is known. */
  hasAppToEmail: boolean
}

/** @param shared returns one object for equal apps, to save memory */
export function summarize(
  recorded: Person,
  keepState: Parameters<typeof forCampaign>[2] = { massDisconnects: [] },
  shared = (app: PersonApp) => app,
): PersonSummary {
  const person = personForCounts(recorded, keepState)
  const { campaigns, lastCheck, delistedInstances } = person
  const newAppEmails = campaignEmails(person, NEW_APPS).filter(mayHaveBeenSent)
  const episodeEmails = [LAPSES, NEW_APPS]
    .flatMap((name) => campaignEmails(person, name))
    .filter(mayHaveBeenSent)
  const apps = appsOf(person).map((app, index) => {
    const { previousLapsedAt } = lastCheck?.apps[index] ?? {}
    // An email about a loss still counts once the person has the app again.
    const isRegained =
      app.state === 'connected' && isEmailedSince(episodeEmails, app.instance, previousLapsedAt)
    const lostAt = isRegained ? previousLapsedAt : undefined
    return shared(withMassDisconnect(withFormerLoss(app, person), keepState.massDisconnects, lostAt))
  })
  const emails = campaigns.flatMap(({ name, emails: own }) =>
    // Emails about an approval aren't reminders.
    own.map(({ state, at, reminder }) => ({ state, at, reminder: name === APPROVALS ? 0 : reminder })),
  )
  const reminders = campaigns
    .flatMap(({ name, emails: own }) =>
      name === LAPSES || name === NEW_APPS
        ? own
        : own.filter(({ reminder }) => reminder > 0 && name !== APPROVALS),
    )
    .filter(mayHaveBeenSent)
  const connectedInstances = new Set(
    apps.flatMap(({ instance, state }) => (state === 'connected' ? instance : [])),
  )
  const sentTimes = emails.filter(mayHaveBeenSent).map(({ at }) => at)
  const newest = emails.toSorted((one, other) => one.at - other.at).at(-1)
  const emailState = newest && emailStateOf(newest)
  const progress = progressOf(person, apps, emailState)
  const delistedRecords =
    recorded.lastCheck?.apps.filter(({ instance }) => delistedInstances.includes(instance)) ?? []
  const delistedTimes = delistedRecords.flatMap(({ delistedAt }) => delistedAt ?? [])
  const finishedAt = person.finishedAt ?? (isFinished(person, apps) ? lastCheck?.checkedAt : undefined)
  const connectedTimes = (lastCheck?.apps ?? []).flatMap(({ status, since, movedTo }) =>
    status === 'connected' && movedTo === undefined ? since : [],
  )
  return {
    person: rowOf(person),
    checkedAt: lastCheck?.checkedAt,
    emptyAt: lastCheck?.emptyAt,
    apps,
    delistedInstances,
    delistedAt: delistedTimes.length === 0 ? undefined : Math.max(...delistedTimes),
    ...emailedAndAwaited(apps, person, { newAppEmails, episodeEmails }),
    emails,
    invitedAt: sentTimes.length === 0 ? undefined : Math.min(...sentTimes),
    emailState,
    reminderTimes: reminders.map(({ at }) => at),
    actedTimes: reminders.flatMap(({ at, apps: listed }) =>
      (listed?.every((instance) => connectedInstances.has(instance)) ?? progress === 'ready') ? at : [],
    ),
    finishedAt,
    lastFinishedAt: finishedAt && Math.max(finishedAt, ...connectedTimes),
    goneAt: isGone(person) ? Math.min(person.leftAt ?? Infinity, person.unknownAt ?? Infinity) : undefined,
    returnedAt: returnedAt(lastCheck?.apps ?? []),
    newAppAt: progress === 'gone' ? undefined : newAppAt(apps),
    progress,
    hasAppToEmail: progress === 'notStarted' && !isReady(forCampaign(ONBOARDING, recorded, keepState)),
  }
}

const isEmailedSince = (emails: readonly EmailRecord[], instance: string, since = Infinity) =>
  emails.some(({ at, apps: about }) => at >= since && about?.includes(instance))

/** Instances about which the person was emailed, and those about which they still are to be. */
function emailedAndAwaited(
  apps: readonly PersonApp[],
  person: Person,
  { newAppEmails, episodeEmails }: Record<'newAppEmails' | 'episodeEmails', EmailRecord[]>,
) {
  const emailedApps = apps.flatMap(({ instance, newAt = 0, lapsedAt, state, massDisconnect }) =>
    (state === 'connected' && massDisconnect !== undefined) ||
    isEmailedSince(lapsedAt === undefined ? newAppEmails : episodeEmails, instance, lapsedAt ?? newAt)
      ? instance
      : [],
  )
  const isAwaited = (app: PersonApp) => {
    if (app.state !== 'unconnected' || emailedApps.includes(app.instance)) return false
    // Only these can be, and they are few.
    if ((app.lapsedAt ?? app.newAt) === undefined || app.massDisconnect === 'paused') return false
    const { isLapse, isNew } = emailKindOf([app], person)
    return isLapse || isNew
  }
  return { emailedApps, awaitedApps: apps.flatMap((app) => (isAwaited(app) ? app.instance : [])) }
}

type CountedPerson = ReturnType<typeof personForCounts>

/** Lost access to an app that has moved isn't back before the new instance is connected. */
function withFormerLoss(app: PersonApp, { lastCheck, movedApps }: CountedPerson): PersonApp {
  const { instance, state, lapsedAt, movedFrom } = app
  if (state === 'connected' || state === 'off' || lapsedAt !== undefined) return app
  const records = movedFrom === undefined ? [] : (lastCheck?.apps ?? [])
  const lostAt = records.find((one) => one.instance === instance)?.previousLapsedAt
  if (lostAt !== undefined) return { ...app, lapsedAt: lostAt }
  const former = movedApps.find((one) => one.movedTo === instance && one.previousLapsedAt)
  if (former === undefined) return app
  return { ...app, lapsedAt: former.previousLapsedAt, newAt: undefined, lostAs: former.instance }
}

/**
 * Marks a loss in a mass disconnect. An earlier loss isn't part of it, because the person may have been emailed.
 * @param lostAt of a regained app
 */
function withMassDisconnect(
  app: PersonApp,
  massDisconnects: KeepState['massDisconnects'],
  lostAt: number | undefined,
): PersonApp {
  const { instance, lapsedAt = lostAt, lostAs = instance, movedFrom = instance } = app
  if (lapsedAt === undefined) return app
  const pauses = massDisconnects.filter(
    ({ instance: lost, movedTo = lost, since, resumedAt = Infinity }) =>
      since <= lapsedAt &&
      lapsedAt < resumedAt &&
      [instance, lostAs, movedFrom].some((id) => id === lost || id === movedTo),
  )
  const isActive = pauses.some(({ resumedAt }) => resumedAt === undefined)
  return pauses.length === 0 || (isActive && lostAt !== undefined)
    ? app
    : { ...app, massDisconnect: isActive ? 'paused' : 'resumed' }
}

function returnedAt(apps: readonly AppRecord[]): number | undefined {
  const lapsedApps = apps.filter((app) => (app.lapsedAt ?? app.previousLapsedAt) !== undefined)
  const isBack = lapsedApps.length > 0 && lapsedApps.every(({ status }) => status === 'connected')
  return isBack ? Math.max(...lapsedApps.map(({ since }) => since)) : undefined
}

/** @returns milliseconds since 1970; undefined unless only new apps are left */
function newAppAt(apps: readonly PersonApp[]): number | undefined {
  const leftApps = apps.filter(({ state }) => state !== 'connected' && state !== 'off')
  const times = leftApps.flatMap(({ newAt, lapsedAt }) => (lapsedAt === undefined && newAt) || [])
  return leftApps.length > 0 && times.length === leftApps.length ? Math.min(...times) : undefined
}

function progressOf(person: Person, apps: readonly PersonApp[], emailState?: EmailState): Progress {
  const isHere = person.signedInAt !== undefined
  const hadEverything = person.finishedAt !== undefined
  if (isGone(person)) return 'gone'
  if (isReady(person, apps)) return 'ready'
  if (
    apps.some(({ state, isUnconfirmed }) => state === 'blocked' || isUnconfirmed) ||
    (!isHere && emailState === 'failed')
  )
    return 'stuck'
  if (hadEverything && apps.some(({ lapsedAt }) => lapsedAt !== undefined)) return 'fellBack'
  return isHere ? 'inProgress' : 'notStarted'
}

const hasAppIn = ({ apps }: Pick<PersonSummary, 'apps'>, state: PersonApp['state']): boolean =>
  apps.some((app) => app.state === state)

export const CRITERIA = {
  invited: ({ invitedAt }) => invitedAt !== undefined,
  reminded: ({ emails }) => emails.some((email) => email.reminder > 0 && mayHaveBeenSent(email)),
  uncertain: ({ emails }) => emails.some((email) => emailStateOf(email) === 'uncertain'),
  /** The mail server deferred the newest email, or rejected it. */
  deferred: ({ emailState }) => emailState === 'deferred',
  failed: ({ emailState }) => emailState === 'failed',
  opened: ({ person }) => person.openedAt !== undefined,
  signedIn: ({ person }) => person.signedInAt !== undefined,
  /** Has connected an app. */
  connecting: (summary) => hasAppIn(summary, 'connected'),
  finished: (summary) => summary.progress === 'ready' && hasAppIn(summary, 'connected'),
  /** Everyone meets exactly one of these three. Apps connected before the person's first check are unknown. */
  hadToConnect: ({ apps }) => apps.some(({ state }) => state !== 'off'),
  nothing: (summary) => summary.progress === 'ready' && !hasAppIn(summary, 'connected'),
  unchecked: ({ checkedAt }) => checkedAt === undefined,
  emptied: ({ emptyAt }) => emptyAt !== undefined,
  ready: ({ progress }) => progress === 'ready',
  skipped: (summary) => hasAppIn(summary, 'skipped'),
  blocked: (summary) => hasAppIn(summary, 'blocked'),
  unconfirmed: ({ apps }) => apps.some(({ isUnconfirmed }) => isUnconfirmed),
  optedOut: ({ person }) => person.optedOutAt !== undefined,
  inProgress: ({ progress }) => progress === 'inProgress',
  notStarted: ({ progress }) => progress === 'notStarted',
  notInvited: ({ progress, invitedAt, person }) =>
    progress === 'notStarted' && invitedAt === undefined && person.optedOutAt === undefined,
  notStartedOptedOut: ({ progress, person }) => progress === 'notStarted' && person.optedOutAt !== undefined,
  stuck: ({ progress }) => progress === 'stuck',
  fellBack: ({ progress }) => progress === 'fellBack',
  gone: ({ progress }) => progress === 'gone',
} satisfies Record<string, (summary: PersonSummary) => boolean>

export async function* summarizeAll(people: AsyncIterable<Person>, state?: Parameters<typeof summarize>[1]) {
  for await (const person of people) yield summarize(person, state)
}
