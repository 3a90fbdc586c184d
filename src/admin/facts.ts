// What may be true of a person, as the report, the list and the export count it. Pure.
import {
  hadNothing,
  isOut,
  isReady,
  type Arrival,
  type Mailing,
  type SourceState,
} from '../arrivals/arrival.ts'

export const mailsOf = ({ campaigns }: Arrival): Mailing[] => campaigns.flatMap(({ mailings }) => mailings)

/** When the first email went out, if one did. */
export const invitedAt = (arrival: Arrival): number | undefined =>
  mailsOf(arrival)
    .filter(isOut)
    .reduce<number | undefined>((first, { at }) => Math.min(first ?? at, at), undefined)

export type MailState = 'sent' | 'deferred' | 'failed' | 'uncertain'

const stateOf = ({ state }: Mailing): MailState =>
  state === 'sending' || state === 'unknown' ? 'uncertain' : state

/** The state of a person's newest email, if there is one. */
export function mailStateOf(arrival: Arrival): MailState | undefined {
  const [first, ...others] = mailsOf(arrival)
  return first && stateOf(others.reduce((newest, one) => (one.at >= newest.at ? one : newest), first))
}

export const isIn = (arrival: Arrival, state: SourceState): boolean =>
  arrival.sources.some((source) => source.state === state)

/** What may be true of a person, as the report counts it. */
export const FACTS = {
  invited: (arrival) => invitedAt(arrival) !== undefined,
  reminded: (arrival) => mailsOf(arrival).some((mailing) => mailing.wave > 0 && isOut(mailing)),
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
  optedOut: ({ optedOutAt }) => optedOutAt !== undefined,
} satisfies Record<string, (arrival: Arrival) => boolean>

export type Fact = keyof typeof FACTS
