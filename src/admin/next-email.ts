// The time of a person's next email about what is left: seven days after the last one, four in a quarter. Pure.
import { MAX_REMINDERS, nextAllowedAt } from '../campaigns/campaign.ts'
import { mayHaveBeenSent } from '../people/person.ts'
import type { PersonSummary } from './person-summary.ts'

/** From an email to the next one, as docs/invitations.md and the command on /admin suggest. */
const REMIND_AFTER_MS = 7 * 86_400_000

/**
 * `limitedUntil`: set while an app is unconnected and the quarterly limit of emails is reached. `dueAt`: when the next
 * email is due; 0: no email was sent yet; Infinity: none is due, such as at the limit, or about apps on hold. Times are
 * milliseconds since 1970.
 */
export function nextEmailTimes(summary: PersonSummary, now: number) {
  const { person, progress, emails, emailState, hasAppToEmail } = summary
  const mayBeDue = progress !== 'ready' && progress !== 'gone' && person.optedOutAt === undefined
  const allowedAt = mayBeDue ? nextAllowedAt(emails, now) : 0
  const limitedUntil = allowedAt > now ? allowedAt : undefined
  const hadAll = emails.some(({ reminder }) => reminder >= MAX_REMINDERS)
  const isStopped = emailState === 'failed' || emailState === 'uncertain' || hadAll
  if (!mayBeDue || !hasAppToEmail || limitedUntil !== undefined || isStopped)
    return { limitedUntil, dueAt: Infinity }
  const sentEmails = emails.filter(mayHaveBeenSent)
  return { limitedUntil, dueAt: Math.max(0, ...sentEmails.map(({ at }) => at + REMIND_AFTER_MS)) }
}
