// What can go wrong with a run, or with the mail of one person in it. Pure.
import type { Certainty } from '../arrivals/arrivals.ts'
import type { Asked } from './ask.ts'
import type { Policy } from './campaign.ts'

/** The run ends before its list does; the message says why. Starting it again goes on where it ended. */
export class RunStopped extends Error {
  override name = 'RunStopped'
}

/** not-taken: the mail server refused it for what we are, not for whom it is to. */
export type Trouble =
  Exclude<Asked['kind'], 'left'> | 'deferred' | 'failed' | 'uncertain' | 'not-taken' | Doubt

/** They may have asked for no mails, in a record that cannot be read, or that was removed without being read. */
export type Doubt = 'unreadable' | 'removed'

/** Nothing lets a mail leave while a record is there that cannot be read. */
export const doubtOf = (certainty: Certainty, { mailInDoubt }: Policy): Doubt | undefined =>
  certainty === 'certain' || (certainty === 'removed' && mailInDoubt) ? undefined : certainty
