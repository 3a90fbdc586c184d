// onramp registration forget: the next start registers again, whatever was registered or failed before.
import { createInterface } from 'node:readline/promises'
import { useProxy } from '../client-api/proxy.ts'
import { registrationOf } from '../sign-in/server/client.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { createInstallation } from '../records/installation.ts'
import { loadSettings, type Settings } from '../settings/settings.ts'
import { removeClient, type Removal } from '../sign-in/registration/request.ts'
import { openStore } from '../records/store.ts'
import { createLog } from '../web/log.ts'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import { explained } from './invite/endings.ts'
import { storeInWords } from './invite/setup.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

/** @throws {UsageError} where there is no one to ask */
async function isConfirmed({ stdin, stderr }: CliParts, { OIDC_ISSUER }: Settings): Promise<boolean> {
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new UsageError('--yes is required without a terminal')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`Delete the client registered at ${OIDC_ISSUER}? [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

function removalInWords(removal: Removal): string {
  switch (removal.kind) {
    case 'removed':
      return 'It was also removed from the authorization server.'
    case 'no-means':
      return 'The authorization server has no way to remove it automatically: remove it there yourself.'
    case 'refused':
      // RFC 7592 2.3: 401 is what a client that does not exist is answered.
      if ([401, 404, 410].includes(removal.status))
        return `It seems to be gone from the authorization server already (${removal.status}).`
      return `The authorization server refused to remove it (${removal.status}): remove it there yourself.`
    case 'unanswered':
      return "The authorization server didn't respond, so it wasn't removed there: remove it there yourself."
  }
}

async function forgetClient(settings: Settings, { stdout, now }: CliParts): Promise<void> {
  const store = openStore(settings, createLog('silent'))
  try {
    const installation = createInstallation(store.records, settings.SESSION_SECRET)
    const client = await registrationOf(settings, { records: store.records, installation, now }).forget()
    if (client === undefined) {
      stdout.write(`No client is registered with these settings (${storeInWords(settings)}).\n`)
      stdout.write('The next start can register one right away.\n')
      return
    }
    stdout.write(`Deleted the client ${printable(client.client_id)} (${storeInWords(settings)}).\n`)
    stdout.write(`${removalInWords(await removeClient(client))}\n`)
    stdout.write(
      'A running server can keep using it for up to ten minutes: restart it to register again now.\n',
    )
  } finally {
    await store.close()
  }
}

export async function forget({ yes }: { yes?: boolean }, parts: CliParts): Promise<number> {
  const settings = loadSettings(parts.env)
  useProxy(settings)
  if (!yes && !(await isConfirmed(parts, settings))) {
    parts.stderr.write('Nothing was deleted.\n')
    return 1
  }
  return await explained(parts, 'registration forget', async () => {
    await forgetClient(settings, parts)
    return 0
  })
}
