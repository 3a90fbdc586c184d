// Counts the people who are due for an invitation or a reminder. Pure.
import { MAX_REMINDERS } from '../campaigns/campaign.ts'
import { mayHaveBeenSent } from '../people/person.ts'
import type { PersonSummary } from './person-summary.ts'

/** Days after an email before the next one, as docs/invitations.md suggests. */
export const REMIND_AFTER_DAYS = 7

const DAY_MS = 86_400_000

/** @returns milliseconds since 1970; 0: no email yet; undefined: never */
function dueAt({ person, emails, emailState }: PersonSummary): number | undefined {
  const hadAll = emails.some(({ reminder }) => reminder >= MAX_REMINDERS)
  if (person.optedOutAt !== undefined || emailState === 'failed' || emailState === 'uncertain' || hadAll)
    return undefined
  return emails
    .filter(mayHaveBeenSent)
    .reduce((last, { at }) => Math.max(last, at + REMIND_AFTER_DAYS * DAY_MS), 0)
}

export class DueReminders {
  due = 0
  /** Due after `now`; `from`: the first of them, milliseconds since 1970. */
  later = { count: 0, from: Infinity }
  readonly #now: number

  /** @param now milliseconds since 1970 */
  constructor(now: number) {
    this.#now = now
  }

  add(summary: PersonSummary): void {
    const at = dueAt(summary)
    if (at === undefined) return
    if (at <= this.#now) this.due++
    else this.later = { count: this.later.count + 1, from: Math.min(this.later.from, at) }
  }
}
