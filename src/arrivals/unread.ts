// What could not be read of what was written down, in words for operators: how much, why, and what to do. Pure.
import type { Unreadable } from '../session/sealed-json.ts'

/** Records, or parts of one, that could not be read. */
export type Unread = Record<Unreadable, number>

export const noneUnread = (): Unread => ({ otherSecret: 0, damaged: 0, newer: 0 })

const WHYS: Record<Unreadable, { reason: string; remedy: string }> = {
  otherSecret: {
    reason: 'sealed under another secret',
    remedy:
      'put the earlier INVITE_SECRET (or SESSION_SECRET) back, behind the new one and a comma; where another installation shares the store, give each a REDIS_PREFIX of its own',
  },
  damaged: {
    reason: 'damaged',
    remedy: 'restore the store from a backup, or remove what is damaged with onramp invite forget EMAIL',
  },
  newer: { reason: 'written by a newer version', remedy: 'update this onramp' },
}

const ORDER = ['otherSecret', 'damaged', 'newer'] as const satisfies readonly Unreadable[]

const found = (unread: Unread) => ORDER.filter((why) => unread[why] > 0)

/** `2 records (1 sealed under another secret, 1 damaged)`; undefined: everything could be read. */
export function unreadInWords(unread: Unread): string | undefined {
  const whys = found(unread)
  const total = whys.reduce((sum, why) => sum + unread[why], 0)
  if (total === 0) return undefined
  const [only] = whys
  const details =
    whys.length === 1 && only !== undefined
      ? WHYS[only].reason
      : whys.map((why) => `${unread[why].toLocaleString('en')} ${WHYS[why].reason}`).join(', ')
  return `${total === 1 ? 'one record' : `${total.toLocaleString('en')} records`} (${details})`
}

/** What to do about each of the reasons that there are. */
export const remediesFor = (unread: Unread): string[] => found(unread).map((why) => WHYS[why].remedy)
