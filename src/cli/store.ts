// onramp store adopt: a new key for a store whose former secret is lost. What that one sealed can't be read afterwards.
import { createInterface } from 'node:readline/promises'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { adoptStore, lookAtInstallation } from '../records/installation.ts'
import { loadSettings } from '../settings/settings.ts'
import { explained } from './invite/endings.ts'
import { storeInWords, withStore } from './invite/setup.ts'

/** @throws {UsageError} where there is no one to ask */
async function isConfirmed({ stdin, stderr }: CliParts, store: string): Promise<boolean> {
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new UsageError('--yes is required without a terminal')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const lost = 'who was emailed, who opted out, and progress'
    const answer = await terminal.question(
      `Give up what is stored about people in ${store} (${lost})? [y/N] `,
    )
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

export async function adopt({ yes }: { yes?: boolean }, parts: CliParts): Promise<number> {
  const settings = loadSettings(parts.env)
  const store = storeInWords(settings)
  return await explained(parts, 'store adopt', () =>
    withStore(settings, async (records) => {
      if ((await lookAtInstallation(records, settings.SESSION_SECRET)) !== 'other secret') {
        parts.stdout.write(`onramp can use the store as it is (${store}): nothing was changed.\n`)
        return 0
      }
      if (!yes && !(await isConfirmed(parts, store))) {
        parts.stderr.write('Nothing was changed.\n')
        return 1
      }
      await adoptStore(records, settings.SESSION_SECRET)
      parts.stdout.write(`The store has a new key (${store}). Restart the servers.\n`)
      return 0
    }),
  )
}
