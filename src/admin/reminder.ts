// Who is due for a reminder, and the command that emails the people of a list: it reads the exported file, so it is about
// exactly these. Pure.
import { MAX_REMINDERS } from '../campaigns/campaign.ts'
import { mayHaveBeenSent } from '../people/person.ts'
import type { PersonSummary } from './person-summary.ts'
import { COMMAND } from '../version.ts'
import type { Filter, PeopleQuery } from './filters.ts'

/** What the export of people is called; `onramp invite send` reads its column "email". */
export const PEOPLE_FILE = 'onramp-people.csv'

/** People who got an email since then are left out, as docs/invitations.md suggests. */
export const REMIND_AFTER_DAYS = 7

const DAY_MS = 86_400_000

/**
 * When the command would email a person who has apps left.
 * @returns milliseconds since 1970; 0: they had no email yet; undefined: never, or only with `--retry-unknown`
 */
function remindableAt({ person, mailings, mail }: PersonSummary): number | undefined {
  const hadAll = mailings.some(({ reminder }) => reminder >= MAX_REMINDERS)
  if (person.optedOutAt !== undefined || mail === 'failed' || mail === 'uncertain' || hadAll) return undefined
  return mailings
    .filter(mayHaveBeenSent)
    .reduce((last, { at }) => Math.max(last, at + REMIND_AFTER_DAYS * DAY_MS), 0)
}

/** Counts whom the command would email now, and how many later, the first of them when. @param now milliseconds since 1970 */
export function countDue(now: number) {
  const counts = { due: 0, later: { count: 0, from: Infinity } }
  return {
    counts,
    add(summary: PersonSummary): void {
      const at = remindableAt(summary)
      if (at === undefined) return
      if (at <= now) counts.due++
      else counts.later = { count: counts.later.count + 1, from: Math.min(counts.later.from, at) }
    },
  }
}

/** What needs no quotes in a shell. */
const PLAIN = /^\w[\w.-]*$/

/** Whom `invite send` has something to say to. It would pass over everyone in the others. */
export const ACTION: Record<Filter, 'remind' | 'retryUnknown' | undefined> = {
  all: 'remind',
  ready: undefined,
  inProgress: 'remind',
  notStarted: 'remind',
  stuck: 'remind',
  fellBack: 'remind',
  gone: undefined,
  waiting: 'remind',
  skipped: 'remind',
  blocked: undefined,
  lapsed: 'remind',
  unconfirmed: 'remind',
  finished: undefined,
  nothing: undefined,
  absent: 'remind',
  undelivered: 'remind',
  failed: undefined,
  deferred: 'remind',
  uncertain: 'retryUnknown',
  optedOut: undefined,
}

/** Sends the emails about an app that are held back. Undefined: a shell would read more in its name. */
export const releaseCommand = (instance: string): string | undefined =>
  PLAIN.test(instance) ? `${COMMAND} keep PEOPLE.csv --release ${instance}` : undefined

/** Filters that are about one app when one is asked for. */
const ABOUT_APPS: readonly Filter[] = ['waiting', 'skipped', 'unconfirmed']

/** @returns undefined where no command would email these people */
export function reminderFor({ filter, app }: PeopleQuery): string | undefined {
  const action = ACTION[filter]
  if (action === undefined) return undefined
  const words = [`${COMMAND} invite send`, PEOPLE_FILE]
  if (ABOUT_APPS.includes(filter) && PLAIN.test(app)) words.push(`--datasource ${app}`)
  words.push(action === 'retryUnknown' ? '--retry-unknown' : `--remind-after ${REMIND_AFTER_DAYS}`)
  return words.join(' ')
}
