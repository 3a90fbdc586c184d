// onramp invite forget: removes what is known of a person, their wish for no mails too.
import { addressToInvite } from '../../arrivals/address.ts'
import { untilReachable } from '../../records/until-reachable.ts'
import { loadSettings } from '../../settings/settings.ts'
import { openStore } from '../../records/store.ts'
import { createLog } from '../../web/log.ts'
import { readArguments, UsageError } from '@onramp/deprecations/command-line/arguments'
import { explained } from './endings.ts'
import { unreadInWords } from '../../arrivals/unread.ts'
import { arrivalsIn, storeOf } from './set-up.ts'
import type { Run } from '@onramp/deprecations/command-line/parts'

export const run: Run = async (args, parts) => {
  const { words } = readArguments(args, {}, 1)
  const [address] = words
  if (address === undefined) throw new UsageError('it takes one address')
  const email = addressToInvite(address)
  if (email === undefined) throw new UsageError('this is not one plain email address like ada@acme.example')
  const settings = loadSettings(parts.env)
  return await explained(parts, 'invite forget', async () => {
    const store = openStore(settings, createLog('silent'))
    try {
      await untilReachable(store.records)
      const { wasKnown, unread } = await arrivalsIn(store.records, settings, parts.now).forget(email)
      const removed = unreadInWords(unread)
      const isForgotten = wasKnown || removed !== undefined
      parts.stdout.write(
        isForgotten ? `${email} is forgotten\n` : `${email} was not known (${storeOf(settings)})\n`,
      )
      if (removed !== undefined)
        parts.stderr.write(
          `${removed.replace(/^one/, 'One')} was removed without being read: it may have been about this person, and about others.\n` +
            'It may have said that they want no mails: without --mail-in-doubt, invite send leaves them out.\n',
        )
      return 0
    } finally {
      await store.close()
    }
  })
}
