// Whose fault a refusal of the mail server is. Pure. Postfix answers RCPT TO with what it holds against the sender
// (smtpd_delay_reject), so the refused command doesn't decide; the status code and the words do.
import { printable } from '@onramp/deprecations/command-line/printable'

/**
 * person: this mailbox takes no email. sender: the server won't take MAIL_FROM, or wants a sign-in, for any email.
 * system: relaying, a blocklist, a limit that lasts, or a policy about this machine. unclear: the reply doesn't say, or asks
 * to try later.
 */
export type Blame = 'person' | 'sender' | 'system' | 'unclear'

/**
 * Enhanced status codes, subject and detail (RFC 3463, 5248, 7372, 7505, and those of Exchange Online). Few are about a
 * person: 5.2.0 and 5.4.x are also said of what the sender may send.
 */
const CODES: readonly (readonly [Blame, RegExp])[] = [
  ['sender', /^(1\.([78]|20)|2\.252|7\.([89]|1[13]|2[0-4]|2[679]|57|60|509|515))$/],
  ['person', /^(1\.([1-6]|10)|2\.([124]|14)|4\.(4|310)|7\.(2|17|18|13[3-6]))$/],
  ['system', /^([356]\.\d+|1\.90|2\.3|4\.[56]|7\.(10|2[58]|3\d|54|64|5\d\d|6\d\d|7\d\d))$/],
]

/**
 * How much we may send, in a day or at once. Some servers say it with the code of a full mailbox, or in a line that begins
 * with "Recipient address rejected".
 */
const LIMIT =
  /\b(sending|outgoing|outbound|submission|relay|message|e-?mail) ?(rate|volume|quota|limit|allowance|activity)|\b(daily|hourly|monthly|24-hour|per (second|minute|hour|day|month))\b.{0,60}\b(quota|limit|allowance|exceeded|reached)|you('ve| have) (exceeded|reached)|exceeded (the max|threshold)|credits exceeded|\b(mail|sender) rate|rate[- ]limit|receiving (e?mail|messages) (at a rate|too quickly)|too many (e?mails|messages)|messaging limits|failure sending mail/i

/** It passes within minutes. */
const PACE = /\brate\b|per (second|minute)|too (quickly|many)/i

/** Policy services refuse a sender at RCPT TO in a line that begins with "Recipient address rejected". */
const SENDER =
  /mail from \S{0,200}@\S{0,200} (is |was |has been )?(rejected|refused|denied|blocked|not (accepted|allowed))|sending (is |has been )?(suspended|disabled|paused|blocked)|your (e-?mail )?account|not allowed to send|sandbox subdomains?|sending domain|(bad outbound|banned) sender|sender (e-?mail )?(address )?(is |was )?(rejected|denied|refused|unverified|not (verified|accepted|allowed|permitted))|sender (verify|verification) failed|sender identity|(unverified|unauthori[sz]ed) sender|(sender|from) (address )?does not match|not owned by|that smtp user|invalid dns mx|send ?as\b|send as this sender|not (allowed|authori[sz]ed|permitted) to (send|use)( e?mails?)? (as|from|using|with)|domain of sender|from address|address is not verified|\b(spf|dkim|dmarc)\b|authentication (is )?(required|failed|unsuccessful|credentials)|must (first )?(authenticate|log ?in|be authenticated)|not (authenticated|logged in)|(authenticate|log ?in|sign in) first/i

const SYSTEM =
  /relay(ing)?( access)?( is| was)? (denied|refused|prohibited|not (permitted|allowed))|(unable|not (permitted|allowed|authori[sz]ed)|cannot|can't|will not|won't|(do|does) not|refuses?)( \S+)? relay|client host\b.*(blocked|rejected|denied|refused)|\b(block(ed|s)? using|(block|black|deny)[- ]?list(ed)?|spamhaus|spamcop|barracuda|dnsbl|rbl|reputation)\b|helo command rejected|reverse (dns|hostname|lookup)|\bptr\b|starttls (command )?first|mail from \S{1,200} (is |was |has been )?(rejected|refused|denied|blocked)|\b(spam|unsolicited|virus|phishing|content filter|policy (reasons|restrictions|violations?))\b|message('s)? (file |body )?(is )?(size|exceed|too (big|large|long))/i

const PERSON =
  /(user|recipient|mailbox|address)\b.{0,40}\b(unknown|not found|unavailable|disabled|inactive|full|not exist|doesn't exist|no longer)|account\b.{0,40}\b(unknown|not found|full|not exist|doesn't exist|no longer)|(unknown|invalid|no such|bad|nonexistent) (local )?(user|recipient|mailbox|account|person|address|destination)|undeliverable address|over ?quota|(user|mailbox|recipient|disk|storage) quota/i

/**
 * Says nothing of whom it is about: what follows does. Exchange Online says no more than this of people it doesn't know, and
 * the servers of GMX, mail.com and IONOS begin all they refuse with the words of RFC 5321 4.2.3.
 */
const PREFIX = /recipient (address )?rejected:?|requested (mail )?action not taken: mailbox unavailable\s*\n/i
const UNKNOWN_TO_EXCHANGE = /^550 5\.4\.1 recipient address rejected: access denied/i

const STATUS = /^\d{3}[ -]#?[245]\.(\d{1,3}\.\d{1,3})(?![.\d])/gm

/** @param reply as it came, with its code and all its lines */
export function blameOf(reply: string): Blame {
  // Of several lines, the last one that says something decides.
  const status = [...reply.matchAll(STATUS)].at(-1)?.[1] ?? ''
  const byCode = CODES.find(([, codes]) => codes.test(status))?.[0]
  // A mailbox that takes no emails from us says why, in words about the sender.
  if (byCode === 'person' && status.startsWith('7.')) return byCode
  const isForNow = reply.startsWith('4')
  if (byCode !== 'sender' && LIMIT.test(reply)) return isForNow && PACE.test(reply) ? 'unclear' : 'system'
  if (byCode === 'sender' || SENDER.test(reply)) return 'sender'
  // A full disk, a lookup that failed, a server that is busy: over in minutes, where the reply says no more than this.
  if (isForNow) return 'unclear'
  if (SYSTEM.test(reply)) return 'system'
  if (byCode === 'person' || UNKNOWN_TO_EXCHANGE.test(reply)) return 'person'
  if (PERSON.test(reply.replace(PREFIX, ''))) return 'person'
  // Without a status code: a sign-in is wanted (RFC 4954 6), or the command itself is not understood.
  if (/^53[058]/.test(reply)) return 'sender'
  return byCode ?? (/^50[0-4]/.test(reply) ? 'system' : 'unclear')
}

/** Characters. */
const MAX_SHOWN = 300

/**
 * A reply as one line of at most 300 characters. Filters quote what they dislike, and an invitation's link is personal:
 * only the host of an address is shown, and nothing as long as a token.
 */
export function replyShown(reply: string): string {
  const line = reply
    .slice(0, 4 * MAX_SHOWN)
    .replaceAll(/\s*\r?\n(\d{3}[ -])?/g, ' ')
    .replaceAll(/(https?:\/\/[^\s/]+)\/\S*/gi, '$1/…')
    .replaceAll(/(\/invite\/|[\w-]{40})[\w.-]*/g, '…')
  const shown = printable(line).replaceAll(/ {2,}/g, ' ').trim()
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown
}

/** @param reply the mail server's, or our words for why there is none */
export const saysOf = (reply: string, says = 'it says: ', happened = ''): string =>
  (/^\d{3}/.test(reply) ? says : happened) + reply
