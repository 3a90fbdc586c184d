// What the report, the list and the export count of a person, worked out once for each: a small row, because pages hold
// everyone's, without the records that they are made from. Pure.
import {
  appsOf,
  hasFallenBack,
  isFinished,
  isGone,
  mayHaveBeenSent,
  isReady,
  type PersonApp,
  type EmailRecord,
  type Person,
} from '../people/person.ts'

type MailState = 'sent' | 'deferred' | 'failed' | 'uncertain'

const stateOf = ({ state }: EmailRecord): MailState =>
  state === 'sending' || state === 'unknown' ? 'uncertain' : state

/**
 * Where a person is; everyone is in exactly one, so all but `gone` add up to everyone who is counted.
 * - `ready`: everything is connected, or there was nothing to connect.
 * - `stuck`: the person can't continue alone. An app waits for an admin, a consent never showed, or they never signed in
 *   and the mail server refused their newest email. A refused email no longer matters once they have signed in.
 * - `fellBack`: had connected everything, and has lost some of it.
 * - `inProgress`: signed in, and something is left.
 * - `notStarted`: known, invited or not, and never signed in.
 * - `gone`: no longer on the list, or the service knows no one with this address. Counted apart.
 */
export type Progress = 'ready' | 'stuck' | 'fellBack' | 'inProgress' | 'notStarted' | 'gone'

type SummarizedPerson = Omit<Person, 'campaigns' | 'lastCheck' | 'intents' | 'outbox' | 'signIns'>

export type PersonSummary = {
  person: SummarizedPerson
  /** When the service was asked, if it was. */
  checkedAt: number | undefined
  apps: readonly PersonApp[]
  /** When the newest of those that are connected came to be so; -Infinity: none is. */
  connectedAt: number
  mailings: readonly EmailRecord[]
  /** When the first email went out, if one did; milliseconds since 1970. */
  invitedAt: number | undefined
  /** The state of the newest email, if there is one. */
  mail: MailState | undefined
  /** The newest reminder, or email about what ended, if one left. */
  reminder: EmailRecord | undefined
  /** When everything was connected the first time. */
  finishedAt: number | undefined
  progress: Progress
}

/** @param shared gives one object for equal apps, where many summaries are held */
export function summarize(person: Person, shared = (app: PersonApp) => app): PersonSummary {
  const { campaigns, lastCheck, intents: _intents, outbox: _outbox, signIns: _signIns, ...row } = person
  const apps = appsOf(person).map((app) => shared(app))
  const mailings = campaigns.flatMap((campaign) =>
    campaign.emails.map(({ runId: _by, ...mailing }): EmailRecord => mailing),
  )
  const sent = mailings.filter(mayHaveBeenSent).map(({ at }) => at)
  const newest = mailings.reduce<EmailRecord | undefined>(
    (last, one) => (last === undefined || one.at >= last.at ? one : last),
    undefined,
  )
  const mail = newest && stateOf(newest)
  const connected = lastCheck?.apps.filter(({ status }) => status === 'connected') ?? []
  return {
    person: row,
    checkedAt: lastCheck?.checkedAt,
    apps,
    connectedAt: Math.max(...connected.map(({ since }) => since)),
    mailings,
    invitedAt: sent.length === 0 ? undefined : Math.min(...sent),
    mail,
    reminder: mailings
      .filter((mailing) => mayHaveBeenSent(mailing) && (mailing.reminder > 0 || mailing.apps))
      .toSorted((one, other) => other.at - one.at)[0],
    finishedAt: person.finishedAt ?? (isFinished(person) ? lastCheck?.checkedAt : undefined),
    progress: progressOf(person, apps, mail),
  }
}

function progressOf(person: Person, apps: readonly PersonApp[], mail: MailState | undefined): Progress {
  const isHere = person.signedInAt !== undefined
  if (isGone(person)) return 'gone'
  if (isReady(person)) return 'ready'
  if (apps.some(isStuckApp)) return 'stuck'
  if (!isHere && mail === 'failed') return 'stuck'
  if (hasFallenBack(person)) return 'fellBack'
  return isHere ? 'inProgress' : 'notStarted'
}

/** Since when someone who fell back has, as milliseconds since 1970; undefined for everyone else. */
export const fellBackAt = ({ apps, progress }: PersonSummary): number | undefined =>
  progress === 'fellBack' ? Math.min(...apps.flatMap(({ lapsedAt }) => lapsedAt ?? [])) : undefined

/** The person can't continue with it alone. */
export const isStuckApp = ({ state, isUnconfirmed }: PersonApp): boolean =>
  state === 'blocked' || isUnconfirmed

export const hasAppIn = ({ apps }: Pick<PersonSummary, 'apps'>, state: PersonApp['state']): boolean =>
  apps.some((app) => app.state === state)

/** What may be true of a person, as the report counts it. */
export const CRITERIA = {
  invited: ({ invitedAt }) => invitedAt !== undefined,
  reminded: ({ mailings }) => mailings.some((mailing) => mailing.reminder > 0 && mayHaveBeenSent(mailing)),
  /** An email may or may not have arrived. */
  uncertain: ({ mailings }) => mailings.some((mailing) => stateOf(mailing) === 'uncertain'),
  /** The mail server put their newest email off, or refused it. */
  deferred: ({ mail }) => mail === 'deferred',
  failed: ({ mail }) => mail === 'failed',
  opened: ({ person }) => person.openedAt !== undefined,
  signedIn: ({ person }) => person.signedInAt !== undefined,
  /** Everything is connected. */
  finished: (summary) => summary.progress === 'ready' && hasAppIn(summary, 'connected'),
  nothing: (summary) => summary.progress === 'ready' && !hasAppIn(summary, 'connected'),
  /** Finished, or nothing to connect. */
  ready: ({ progress }) => progress === 'ready',
  /** At least one app was skipped, or waits for an administrator. */
  skipped: (summary) => hasAppIn(summary, 'skipped'),
  blocked: (summary) => hasAppIn(summary, 'blocked'),
  unconfirmed: ({ apps }) => apps.some(({ isUnconfirmed }) => isUnconfirmed),
  optedOut: ({ person }) => person.optedOutAt !== undefined,
  inProgress: ({ progress }) => progress === 'inProgress',
  notStarted: ({ progress }) => progress === 'notStarted',
  stuck: ({ progress }) => progress === 'stuck',
  fellBack: ({ progress }) => progress === 'fellBack',
  gone: ({ progress }) => progress === 'gone',
} satisfies Record<string, (summary: PersonSummary) => boolean>

export type Criterion = keyof typeof CRITERIA

export async function* summarizeAll(people: AsyncIterable<Person>): AsyncGenerator<PersonSummary> {
  for await (const person of people) yield summarize(person)
}
