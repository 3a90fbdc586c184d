// onramp registration forget: removes the client, so that the next start registers again.
import { useProxy } from '../http/proxy.ts'
import { printable } from '@onramp/terminal/printable'
import { createKeyRing } from '../records/data-key.ts'
import { loadSettings } from '../settings/settings.ts'
import { removeClient } from '../sign-in/registration/register.ts'
import { Registration } from '../sign-in/registration/registration.ts'
import { storeLabel, withStore } from './store.ts'
import { confirm } from './terminal.ts'
import type { CommandContext } from '@onramp/terminal/command-context'

const REMOVALS = {
  removed: 'It was also removed from the authorization server.',
  unsupported: 'The authorization server does not support removal (RFC 7592): remove it there yourself.',
  'no-response':
    "The authorization server didn't respond, so it wasn't removed there: remove it there yourself.",
}

function describeRemoval(removal: keyof typeof REMOVALS | number): string {
  if (typeof removal !== 'number') return REMOVALS[removal]
  // RFC 7592 2.3: 401 if the client doesn't exist.
  return [401, 404, 410].includes(removal)
    ? `It seems to be removed from the authorization server already (${removal}).`
    : `The authorization server refused to remove it (${removal}): remove it there yourself.`
}

export async function forgetRegistration({ yes }: { yes?: boolean }, context: CommandContext) {
  const { stdout, now } = context
  const settings = loadSettings(context.env)
  useProxy(settings)
  if (!(await confirm(yes, `Delete the client registered at ${settings.OIDC_ISSUER}?`, context))) return 1
  const client = await withStore(settings, async (records) => {
    const keyRing = createKeyRing(records, settings.SESSION_SECRET)
    return await new Registration(settings, { records, keyRing, now }).forget()
  })
  const store = storeLabel(settings)
  stdout.write(
    client === undefined
      ? `No client is registered with these settings (${store}).\nThe next start can register one right away.\n`
      : `Deleted the client ${printable(client.client_id)} (${store}).\n${describeRemoval(await removeClient(client))}\nA running server can keep using it for up to ten minutes: restart it to register again now.\n`,
  )
  return 0
}
