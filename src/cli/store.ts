// onramp store adopt: a new key for a store whose former secret is lost. What that one sealed can't be read afterwards.
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { adoptStore, lookAtInstallation } from '../records/installation.ts'
import { loadSettings } from '../settings/settings.ts'
import { isSure } from './confirm.ts'
import { explained } from './invite/endings.ts'
import { storeInWords, withStore } from './invite/setup.ts'

export async function adopt({ yes }: { yes?: boolean }, parts: CliParts): Promise<number> {
  const settings = loadSettings(parts.env)
  const store = storeInWords(settings)
  return await explained(parts, 'store adopt', () =>
    withStore(settings, async (records) => {
      if ((await lookAtInstallation(records, settings.SESSION_SECRET)) !== 'other secret') {
        parts.stdout.write(`onramp can use the store as it is (${store}): nothing was changed.\n`)
        return 0
      }
      const lost = 'who was emailed, who opted out, and progress'
      if (!(await isSure(yes, `Give up what is stored about people in ${store} (${lost})?`, parts))) {
        parts.stderr.write('Nothing was changed.\n')
        return 1
      }
      await adoptStore(records, settings.SESSION_SECRET)
      parts.stdout.write(`The store has a new key (${store}). Restart the servers.\n`)
      return 0
    }),
  )
}
