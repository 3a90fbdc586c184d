// When emails are refused through no fault of the people they are for. Pure. A mail server that refuses one person after
// the other has something against us, whatever its replies say, and then no one may count as refused.
import type { Posted } from './mail/outcome.ts'
import { saysOf } from './mail/smtp-reply.ts'

/** Whose email it is, and which of the campaign. */
type MailOf = { email: string; reminder: number }

export type Refusals = {
  /**
   * @param isFirst the first try: a server that does not know us yet may say "not now" to everyone once
   * @returns why the run has to stop, for people: what happened, what the mail server says, what to do
   */
  note(posted: Posted, mail: MailOf, isFirst: boolean): string | undefined
  /** The campaign's email to a person was taken in an earlier run, so not everyone is refused. */
  earlier(): void
  /**
   * The run is over. If no email was taken, replies that tell nothing are no one's fault: with `--limit` there may be too
   * few for a row. Nor is a reply that many got in the same words, and after them no one their email.
   */
  end(): void
  /** People who were written down as refused and are to count as not tried. */
  toUnmark(): readonly MailOf[]
  /** Every delayed try but a person's first, if no email was taken: the server is the cause, so no tries are used up. */
  putOff(): readonly MailOf[]
  /** Why a run that sent no email has failed, for people; undefined where it has not. */
  failure(): string | undefined
}

/** The weight of one email that was not sent; `stopAfter` times this in a row ends the run. */
const WEIGHT = 40
/**
 * The reply names the mailbox: a list may well hold a row of people who have left. The same for a sender that is refused after
 * this run had an email taken: a group of mailboxes may take none from outside.
 */
const PERSONAL = 10
/** They are tried again, so they cost little. */
const NOT_NOW = 1
/**
 * Refused because of us, beside people who have had their email: perhaps by these mailboxes alone. No one is marked, and
 * the next run has them all in a row, so it has to get past them.
 */
const FORGIVEN = 2

/** From so many on, more refused than taken ends the run too. */
const MIN_REFUSED = 20
const MAX_REMEMBERED = 1_000
/** If the emails of so many people are delayed and none is taken, the recipients are hardly the cause. */
const MIN_PUT_OFF = 5
/** So many people who get the same words did hardly all leave. */
const MANY_ALIKE = 10

/** Without what differs from person to person: addresses, and numbers of emails. */
const alike = (reply: string) => reply.replaceAll(/\S*[@\d]\S*/g, '…')

function weightOf(posted: Posted, isFirst: boolean, hasSent: boolean): number {
  if (posted.outcome === 'sent') return 0
  if (posted.outcome === 'deferred') return isFirst ? 0 : NOT_NOW
  const isPersonal =
    'blame' in posted && (posted.blame === 'person' || (hasSent && posted.blame === 'sender'))
  return isPersonal ? PERSONAL : WEIGHT
}

type NotSent = Exclude<Posted, { outcome: 'sent' }>
type Refused = Extract<Posted, { blame: unknown }>

/** What the mail server holds against every email, and where to look. */
function objectionOf({ reply, blame }: Refused): string {
  const says = saysOf(reply)
  if (blame === 'sender')
    return `the mail server refuses the sender, so no email can leave (${says}): see MAIL_FROM, and the name and password in SMTP_URL`
  if (reply.startsWith('421')) return `the mail server closes every connection (${says}): see SMTP_URL`
  return `the mail server accepted no email (${says}). Check SMTP_URL and MAIL_FROM`
}

/** @param stopAfter emails in a row that end the run; 0: it goes on whatever happens */
export function createRefusals(stopAfter: number): Refusals {
  const limit = stopAfter === 0 ? Infinity : stopAfter * WEIGHT
  let weight = 0
  let sent = 0
  let refused = 0
  /** Refused because of us since an email was taken, in this run or an earlier one. */
  let ours = 0
  /** What of the weight is theirs, and goes away for people who have had their email. */
  let forgivable = 0
  let isKnown = false
  /** The last objection that is not about a person, and the last of any kind. */
  let last: Refused | undefined
  let latest: Refused | undefined
  /** Goes up with each email that is taken. */
  let row = 0
  let failed: (MailOf & { row: number; isUnclear: boolean; said: string })[] = []
  let putOff: MailOf[] = []
  /** What ended the run decides who is unmarked. */
  let found: 'row' | 'all' | 'end' | undefined

  function remember(posted: Posted, mail: MailOf): void {
    // What was under way when the run ended says nothing more about the others.
    if (posted.outcome === 'sent' && found === undefined) {
      sent++
      weight = 0
      ours = 0
      forgivable = 0
      row++
    }
    if (posted.outcome === 'refused' || posted.outcome === 'failed') refused++
    if (posted.outcome === 'refused') ours++
    if ('blame' in posted) latest = posted
    if ('blame' in posted && posted.blame !== 'person') last = posted
    if (posted.outcome !== 'failed') return
    const [isUnclear, said] = [posted.blame !== 'person', alike(posted.reply)]
    failed = [...failed, { ...mail, row, isUnclear, said }].slice(-MAX_REMEMBERED)
  }

  function toUnmark(): readonly MailOf[] {
    if (found === undefined) return []
    if (found === 'all') return failed
    const inRow = failed.filter((mail) => mail.row === row)
    if (found === 'row') return inRow
    const isOfMany = ({ said }: { said: string }) =>
      inRow.filter((other) => other.said === said).length >= MANY_ALIKE
    return inRow.filter((mail) => (sent === 0 && mail.isUnclear) || isOfMany(mail))
  }

  function why(what: string, posted: NotSent): string {
    const isOfAll = 'blame' in posted && (posted.blame === 'sender' || posted.blame === 'closing')
    if (isOfAll && sent === 0 && !isKnown)
      return `${objectionOf(posted)}; if the list is the cause, --stop-after 0 continues`
    const unmarked = toUnmark().length === 0 ? '' : ' None of these people counts as rejected.'
    const says = saysOf(posted.reply, 'The mail server says: ', 'What happened: ')
    const advice = 'check SMTP_URL and MAIL_FROM; if the list is the cause, --stop-after 0 continues'
    return `${what}, which is hardly the recipients' fault.${unmarked} ${says}: ${advice}`
  }

  return {
    note(posted, mail, isFirst) {
      const more = weightOf(posted, isFirst, sent > 0)
      weight += more
      // The first try stays written down: that it is not the first tells the next run that this is no greylisting.
      if (posted.outcome !== 'deferred') putOff = putOff.filter(({ email }) => email !== mail.email)
      else if (!isFirst) putOff.push(mail)
      if (posted.outcome === 'refused') forgivable += more - FORGIVEN
      remember(posted, mail)
      if (posted.outcome === 'sent' || limit === Infinity) return undefined
      if (weight >= limit) {
        found ??= 'row'
        return why('many emails in a row were not sent', posted)
      }
      if (refused < MIN_REFUSED || refused <= sent) return undefined
      found ??= 'all'
      return why('more emails were refused than taken', posted)
    },
    earlier() {
      isKnown = true
      weight -= forgivable
      refused -= ours
      ours = 0
      forgivable = 0
    },
    end() {
      if (limit !== Infinity) found ??= 'end'
    },
    toUnmark,
    putOff: () => (sent === 0 && new Set(putOff.map(({ email }) => email)).size >= MIN_PUT_OFF ? putOff : []),
    failure() {
      const isUnmarked = toUnmark().length > 0
      const objection = last ?? (isUnmarked ? latest : undefined)
      if (sent > 0 || objection === undefined || (isKnown && !isUnmarked)) return undefined
      const otherwise = isUnmarked
        ? '; if the list is the cause, --stop-after 0 counts these people as rejected'
        : ''
      return `${objectionOf(objection)}${otherwise}`
    },
  }
}
