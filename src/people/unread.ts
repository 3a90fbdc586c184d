// What could not be read of the stored records, in words for operators: how much, why, and what to do. Pure.
import type { Unreadable } from '../records/sealed-json.ts'

/** Records, or parts of one, that could not be read. */
export type Unread = Record<Unreadable, number>

export const noneUnread = (): Unread => ({ otherSecret: 0, damaged: 0, newer: 0 })

const REASONS: [why: Unreadable, reason: string, remedy: string][] = [
  [
    'otherSecret',
    'sealed under another secret',
    'add the earlier INVITE_SECRET (or SESSION_SECRET) back after the new one, separated by a comma; if another installation shares the store, give each its own REDIS_PREFIX',
  ],
  [
    'damaged',
    'damaged',
    'restore the store from a backup, or delete the damaged records with onramp invite forget EMAIL',
  ],
  ['newer', 'written by a newer version', 'update this onramp'],
]

const found = (unread: Unread) => REASONS.filter(([why]) => unread[why] > 0)

/** `2 records (1 sealed under another secret, 1 damaged)`; undefined: everything could be read. */
export function unreadInWords(unread: Unread): string | undefined {
  const reasons = found(unread)
  const total = reasons.reduce((sum, [why]) => sum + unread[why], 0)
  if (total === 0) return undefined
  const counted = reasons.map(([why, reason]) => `${unread[why].toLocaleString('en')} ${reason}`)
  const details = reasons.length === 1 ? reasons[0]?.[1] : counted.join(', ')
  return `${total === 1 ? 'one record' : `${total.toLocaleString('en')} records`} (${details})`
}

/** What to do, for each reason that applies. */
export const remediesFor = (unread: Unread): string[] => found(unread).map(([, , remedy]) => remedy)
