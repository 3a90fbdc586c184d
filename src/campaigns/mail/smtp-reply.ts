// What a mail server says, as it is shown to people. Pure.
import { printable } from '@onramp/deprecations/command-line/printable'

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
