// What the report, the list and the export count of a person, worked out once for each. Pure.
import {
  appsOf,
  hasFallenBack,
  isFinished,
  isGone,
  isOut,
  isReady,
  type App,
  type AppState,
  type Mailing,
  type Person,
} from '../people/person.ts'

type MailState = 'sent' | 'deferred' | 'failed' | 'uncertain'

const stateOf = ({ state }: Mailing): MailState =>
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

export type Profile = {
  person: Person
  apps: readonly App[]
  mailings: readonly Mailing[]
  /** When the first email went out, if one did; milliseconds since 1970. */
  invitedAt: number | undefined
  /** The state of the newest email, if there is one. */
  mail: MailState | undefined
  /** The newest reminder, or email about what ended, if one left. */
  reminder: Mailing | undefined
  /** When everything was connected the first time. */
  finishedAt: number | undefined
  progress: Progress
}

export function profileOf(person: Person): Profile {
  const apps = appsOf(person)
  const mailings = person.campaigns.flatMap((campaign) => campaign.mailings)
  const sent = mailings.filter(isOut).map(({ at }) => at)
  const newest = mailings.reduce<Mailing | undefined>(
    (last, one) => (last === undefined || one.at >= last.at ? one : last),
    undefined,
  )
  const mail = newest && stateOf(newest)
  const finishedAt = person.finishedAt ?? (isFinished(person) ? person.answer?.askedAt : undefined)
  return {
    person,
    apps,
    mailings,
    invitedAt: sent.length === 0 ? undefined : Math.min(...sent),
    mail,
    reminder: mailings
      .filter((mailing) => isOut(mailing) && (mailing.reminder > 0 || mailing.apps))
      .toSorted((one, other) => other.at - one.at)[0],
    finishedAt,
    progress: progressOf(person, apps, mail),
  }
}

function progressOf(person: Person, apps: readonly App[], mail: MailState | undefined): Progress {
  const isHere = person.signedInAt !== undefined
  if (isGone(person)) return 'gone'
  if (isReady(person)) return 'ready'
  if (apps.some(isHeldUp)) return 'stuck'
  if (!isHere && mail === 'failed') return 'stuck'
  if (hasFallenBack(person)) return 'fellBack'
  return isHere ? 'inProgress' : 'notStarted'
}

/** Since when someone who fell back has, as milliseconds since 1970; undefined for everyone else. */
export const fellBackAt = ({ apps, progress }: Profile): number | undefined =>
  progress === 'fellBack' ? Math.min(...apps.flatMap(({ lapsedAt }) => lapsedAt ?? [])) : undefined

/** The person can't continue with it alone. */
export const isHeldUp = ({ state, isUnconfirmed }: App): boolean => state === 'blocked' || isUnconfirmed

export const isIn = ({ apps }: Pick<Profile, 'apps'>, state: AppState): boolean =>
  apps.some((app) => app.state === state)

/** What may be true of a person, as the report counts it. */
export const FACTS = {
  invited: ({ invitedAt }) => invitedAt !== undefined,
  reminded: ({ mailings }) => mailings.some((mailing) => mailing.reminder > 0 && isOut(mailing)),
  /** An email may or may not have arrived. */
  uncertain: ({ mailings }) => mailings.some((mailing) => stateOf(mailing) === 'uncertain'),
  /** The mail server put their newest email off, or refused it. */
  deferred: ({ mail }) => mail === 'deferred',
  failed: ({ mail }) => mail === 'failed',
  opened: ({ person }) => person.openedAt !== undefined,
  signedIn: ({ person }) => person.signedInAt !== undefined,
  /** Everything is connected. */
  finished: ({ progress, person }) => progress === 'ready' && isFinished(person),
  nothing: ({ progress, person }) => progress === 'ready' && !isFinished(person),
  /** Finished, or nothing to connect. */
  ready: ({ progress }) => progress === 'ready',
  /** At least one app was skipped, or waits for an administrator. */
  skipped: (profile) => isIn(profile, 'skipped'),
  blocked: (profile) => isIn(profile, 'blocked'),
  unconfirmed: ({ apps }) => apps.some(({ isUnconfirmed }) => isUnconfirmed),
  optedOut: ({ person }) => person.optedOutAt !== undefined,
  inProgress: ({ progress }) => progress === 'inProgress',
  notStarted: ({ progress }) => progress === 'notStarted',
  stuck: ({ progress }) => progress === 'stuck',
  fellBack: ({ progress }) => progress === 'fellBack',
  gone: ({ progress }) => progress === 'gone',
} satisfies Record<string, (profile: Profile) => boolean>

export type Fact = keyof typeof FACTS

export async function* profilesOf(people: AsyncIterable<Person>): AsyncGenerator<Profile> {
  for await (const person of people) yield profileOf(person)
}
