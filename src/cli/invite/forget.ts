// onramp invite forget: removes what is known of a person: their walk too, and that they want no emails.
import { PersonUnreadable } from '../../people/people.ts'
import { eraseWalk } from '../../onboarding/walks.ts'
import { createInstallation } from '../../records/installation.ts'
import { loadSettings } from '../../settings/settings.ts'
import { explained } from './endings.ts'
import { openPeople, storeInWords, withStore } from './setup.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

export async function run(email: string, parts: CliParts): Promise<number> {
  const settings = loadSettings(parts.env)
  return await explained(parts, 'invite forget', async () => {
    const isForgotten = await withStore(settings, async (records) => {
      const people = openPeople({ records, settings, now: parts.now })
      // The walks first: without the record no one could find them.
      const { signIns = [] } = (await people.get(email).catch(ifUnreadable)) ?? {}
      const vault = await createInstallation(records, settings.SESSION_SECRET).vault()
      for (const person of signIns) await eraseWalk(records, person, vault)
      return await people.forget(email)
    })
    parts.stdout.write(
      isForgotten ? `Deleted all data for ${email}\n` : `No data for ${email} (${storeInWords(settings)})\n`,
    )
    return 0
  })
}

/** It goes all the same, and the walks that it named expire. */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof PersonUnreadable)) throw error
}
