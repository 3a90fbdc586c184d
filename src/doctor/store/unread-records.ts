// Records about people that cannot be read. They are in no count, and the people they may be about get no mail.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createPeople } from '../../people/people.ts'
import { noneUnread, remediesFor, unreadInWords, type Unread } from '../../people/unread.ts'
import { StoreUnavailable } from '../../records/records.ts'
import { createSealer } from '../../records/seal.ts'
import type { Settings } from '../../settings/settings.ts'
import { openStore, storeOf } from '../../records/store.ts'
import { createLog } from '../../web/log.ts'
import type { Subject } from '../check.ts'
import { missing, ok, skip, warn, type Finding } from '../finding.ts'

/** @throws {StoreUnavailable} */
async function countUnread(settings: Settings, now: () => number): Promise<Unread> {
  const store = openStore(settings, createLog('silent'))
  try {
    const { INVITE_SECRET, SESSION_SECRET, INVITE_RETENTION_DAYS: retentionDays } = settings
    const sealer = createSealer(INVITE_SECRET ?? SESSION_SECRET)
    const people = createPeople({ records: store.records, sealer, now, retentionDays })
    const unread = noneUnread()
    for await (const _arrival of people.all(unread));
    return unread
  } finally {
    await store.close()
  }
}

export async function unreadRecords({ settings, faults, now }: Subject): Promise<Finding> {
  if (faults.some((fault) => /^(SESSION_SECRET|INVITE_|REDIS_|DATA_DIR)/.test(fault)))
    return missing('the settings of the store and its secret')
  // Checking must not create a store.
  if (storeOf(settings).name === 'SQLite' && !existsSync(join(settings.DATA_DIR ?? '', 'onramp.sqlite')))
    return skip('none yet.')
  try {
    const unread = await countUnread(settings as Settings, now)
    const records = unreadInWords(unread)
    if (records === undefined) return ok('All records about people can be read.')
    return warn(
      `Some records about people can't be read: ${records}. They aren't included in any count, and onramp doesn't email the people they may be about.`,
      {
        settings: ['INVITE_SECRET', 'SESSION_SECRET', 'REDIS_PREFIX'],
        fix: remediesFor(unread).join('; '),
      },
    )
  } catch (error) {
    if (error instanceof StoreUnavailable) return skip('the store is unreachable.')
    throw error
  }
}
