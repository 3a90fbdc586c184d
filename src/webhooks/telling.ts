// What the log says of the receiver: when it begins to fail, when it works again, and what was dropped. Never its address,
// which may hold a token.
import { silenceInWords } from '../client-api/silence.ts'
import { MAX_AGE_MS } from './claims.ts'
import type { Outcome } from './post.ts'

export type TellingLog = Record<'info' | 'warn', (fields: object, message: string) => void>

const TOLD_EVERY_MS = 60_000
const DAYS = MAX_AGE_MS / 86_400_000

export function createTelling(log: TellingLog, now: () => number) {
  let isFailing = false
  let failedAt = -Infinity
  let dropped = 0
  let toldAt = -Infinity
  return {
    answered(outcome: Outcome): void {
      if (outcome.kind === 'taken') {
        if (isFailing) log.info({}, 'the receiver of WEBHOOK_URL takes events again')
        isFailing = false
        return
      }
      // A receiver that takes some and refuses others would fill the log.
      if (isFailing || now() - failedAt < TOLD_EVERY_MS) return
      const why = outcome.kind === 'silent' ? silenceInWords(outcome.why) : outcome.why
      log.warn(
        { why },
        `an event could not be delivered to WEBHOOK_URL (${why}): events are kept, and tried again for ${DAYS} days`,
      )
      isFailing = true
      failedAt = now()
    },
    dropped(count: number): void {
      dropped += count
      if (dropped === 0 || now() - toldAt < TOLD_EVERY_MS) return
      log.warn(
        { dropped },
        `events for WEBHOOK_URL were dropped, the oldest first: the receiver took none of them for ${DAYS} days, or there were too many of one person`,
      )
      dropped = 0
      toldAt = now()
    },
  }
}
