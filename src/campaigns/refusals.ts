// When mails that don't leave are hardly the fault of the people they are for. Pure. Whatever the replies say: a mail
// server that refuses one person after the other has something against us, and no one may count as refused for that.
import type { Posted } from './mail/server.ts'

/** One mail: whose, and which of the campaign. */
type MailOf = { email: string; wave: number }

export type Refusals = {
  /**
   * @param isFirst the first try: a server that does not know us yet may say "not now" to all people once
   * @returns why the run has to stop, for people: what happened, what the mail server says, what to do
   */
  note(posted: Posted, mail: MailOf, isFirst: boolean): string | undefined
  /**
   * The run is over. Where no mail was taken, replies that tell nothing are no one's fault: a first few (`--limit`) are
   * too few for a row.
   */
  end(): void
  /** Who was written down as refused, and is to be as if no mail had been tried. */
  toUnmark(): readonly MailOf[]
}

/** Of one mail that was not sent, where so many times `WEIGHT` in a row end the run. */
const WEIGHT = 40
/** The reply names the mailbox: a list can well hold a row of people who have left. */
const PERSONAL = 10
/** They are tried again, so they cost little. */
const NOT_NOW = 1

/** So many refused, and more than were taken: it is not the people either. */
const MIN_REFUSED = 20
/** Beyond so many they are not remembered; the list is too bad, or the server too good, for that to matter. */
const MAX_REMEMBERED = 1_000

function weightOf(posted: Posted, isFirst: boolean): number {
  switch (posted.outcome) {
    case 'sent':
      return 0
    case 'deferred':
      return isFirst ? 0 : NOT_NOW
    case 'failed':
      return posted.blame === 'person' ? PERSONAL : WEIGHT
    case 'refused':
    case 'unknown':
      return WEIGHT
  }
}

/** @param stopAfter mails in a row that end the run; 0: it goes on whatever happens */
export function createRefusals(stopAfter: number): Refusals {
  const limit = stopAfter === 0 ? Infinity : stopAfter * WEIGHT
  let weight = 0
  let sent = 0
  let refused = 0
  let inRow: MailOf[] = []
  let all: MailOf[] = []
  let unclear: MailOf[] = []
  /** Those that `toUnmark` names; which of them depends on what ended the run. */
  let found: 'inRow' | 'all' | 'unclear' | undefined

  function remember(posted: Posted, mail: MailOf): void {
    // What was under way when the run ended says nothing more about the others.
    if (posted.outcome === 'sent' && found === undefined) {
      sent++
      weight = 0
      inRow = []
    }
    if (posted.outcome === 'refused' || posted.outcome === 'failed') refused++
    if (posted.outcome !== 'failed') return
    inRow = [...inRow, mail].slice(-MAX_REMEMBERED)
    all = [...all, mail].slice(-MAX_REMEMBERED)
    if (posted.blame !== 'person') unclear = [...unclear, mail].slice(-MAX_REMEMBERED)
  }

  const toUnmark = () => (found === undefined ? [] : { inRow, all, unclear }[found])

  function why(what: string, posted: Posted): string {
    const unmarked = toUnmark().length === 0 ? '' : ' None of these people counts as refused.'
    const said =
      'reply' in posted ? `The mail server says: ${posted.reply}` : 'The connection broke each time'
    const advice = 'see SMTP_URL and MAIL_FROM; if it is the list, --stop-after 0 goes on'
    return `${what}, which is hardly the recipients' fault.${unmarked} ${said}: ${advice}`
  }

  return {
    note(posted, mail, isFirst) {
      weight += weightOf(posted, isFirst)
      remember(posted, mail)
      if (posted.outcome === 'sent' || limit === Infinity) return undefined
      if (weight >= limit) {
        found ??= 'inRow'
        return why('many mails in a row were not sent', posted)
      }
      if (refused < MIN_REFUSED || refused <= sent || !('reply' in posted)) return undefined
      found ??= 'all'
      return why('more mails were refused than taken', posted)
    },
    end() {
      if (sent === 0 && limit !== Infinity) found ??= 'unclear'
    },
    toUnmark,
  }
}
