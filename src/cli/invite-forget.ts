// onramp invite forget: removes what is known of a person, their wish for no mails too.
import { addressToInvite } from '../invites/address.ts'
import { untilReachable } from '../records/until-reachable.ts'
import { loadSettings } from '../settings.ts'
import { openStore } from '../store.ts'
import { createLog } from '../web/log.ts'
import { readArguments, UsageError } from './arguments.ts'
import { explained } from './invite-endings.ts'
import { arrivalsIn, storeOf } from './invite-set-up.ts'
import type { Run } from './parts.ts'

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
      const found = await arrivalsIn(store.records, settings, parts.now).forget(email)
      parts.stdout.write(
        found ? `${email} is forgotten\n` : `${email} was not known (${storeOf(settings)})\n`,
      )
      return 0
    } finally {
      await store.close()
    }
  })
}
