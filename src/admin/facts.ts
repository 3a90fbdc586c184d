// What may be true of a person, as the report, the list and the export count it. Pure.
import { hadNothing, isOut, isReady, type Person, type Mailing, type SourceState } from '../people/person.ts'

export const mailsOf = ({ campaigns }: Person): Mailing[] => campaigns.flatMap(({ mailings }) => mailings)

/** When the first email went out, if one did. */
export const invitedAt = (arrival: Person): number | undefined =>
  mailsOf(arrival)
    .filter(isOut)
    .reduce<number | undefined>((first, { at }) => Math.min(first ?? at, at), undefined)

export type MailState = 'sent' | 'deferred' | 'failed' | 'uncertain'

const stateOf = ({ state }: Mailing): MailState =>
  state === 'sending' || state === 'unknown' ? 'uncertain' : state

/** The state of a person's newest email, if there is one. */
export function mailStateOf(arrival: Person): MailState | undefined {
  const [first, ...others] = mailsOf(arrival)
  return first && stateOf(others.reduce((newest, one) => (one.at >= newest.at ? one : newest), first))
}

export const isIn = (arrival: Person, state: SourceState): boolean =>
  arrival.sources.some((source) => source.state === state)

export const isUnconfirmed = (arrival: Person): boolean =>
  arrival.sources.some(({ unconfirmed }) => unconfirmed === true)

/**
 * Where a person is; everyone is in exactly one, so the four add up to everyone known.
 * - `ready`: everything is connected, or there was nothing to connect.
 * - `stuck`: the person can't continue alone. An app waits for an admin, a consent never showed, or they never signed in
 *   and the mail server refused their newest email. A refused email no longer matters once they have signed in.
 * - `inProgress`: signed in, and something is left.
 * - `notStarted`: known, invited or not, and never signed in.
 */
export type Progress = 'ready' | 'stuck' | 'inProgress' | 'notStarted'

export function progressOf(arrival: Person): Progress {
  const isHere = arrival.signedInAt !== undefined
  if (isReady(arrival)) return 'ready'
  if (isIn(arrival, 'blocked') || isUnconfirmed(arrival)) return 'stuck'
  if (!isHere && mailStateOf(arrival) === 'failed') return 'stuck'
  return isHere ? 'inProgress' : 'notStarted'
}

/** What may be true of a person, as the report counts it. */
export const FACTS = {
  invited: (arrival) => invitedAt(arrival) !== undefined,
  reminded: (arrival) => mailsOf(arrival).some((mailing) => mailing.reminder > 0 && isOut(mailing)),
  /** An email may or may not have arrived. */
  uncertain: (arrival) => mailsOf(arrival).some((mailing) => stateOf(mailing) === 'uncertain'),
  /** The mail server put their newest email off, or refused it. */
  deferred: (arrival) => mailStateOf(arrival) === 'deferred',
  failed: (arrival) => mailStateOf(arrival) === 'failed',
  opened: ({ openedAt }) => openedAt !== undefined,
  signedIn: ({ signedInAt }) => signedInAt !== undefined,
  /** Everything is connected. */
  finished: ({ finishedAt }) => finishedAt !== undefined,
  nothing: hadNothing,
  /** Finished, or nothing to connect. */
  ready: isReady,
  /** At least one datasource was skipped, or waits for an administrator. */
  skipped: (arrival) => isIn(arrival, 'skipped'),
  blocked: (arrival) => isIn(arrival, 'blocked'),
  unconfirmed: isUnconfirmed,
  optedOut: ({ optedOutAt }) => optedOutAt !== undefined,
  inProgress: (arrival) => progressOf(arrival) === 'inProgress',
  notStarted: (arrival) => progressOf(arrival) === 'notStarted',
  stuck: (arrival) => progressOf(arrival) === 'stuck',
} satisfies Record<string, (arrival: Person) => boolean>

export type Fact = keyof typeof FACTS
