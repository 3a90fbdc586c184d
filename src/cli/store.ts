// The store: opened for the work of one command, and adopted (onramp store adopt) when the secret of its key is lost.
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import type { Company } from '../company/company.ts'
import { createPeople, type People } from '../people/people.ts'
import { adoptStore, createInstallation, lookAtInstallation } from '../records/installation.ts'
import type { Records } from '../records/records.ts'
import { openStore, storeOf, type StoreOptions } from '../records/store.ts'
import { loadSettings, type Settings } from '../settings/settings.ts'
import { createLog } from '../web/log.ts'
import { isSure } from './terminal.ts'

/** Where everything is kept, for people. */
export function storeInWords(settings: Settings): string {
  const { name, place } = storeOf(settings)
  return `${name} ${place}`
}

/** Opens the store for the work. @throws {StoreUnavailable} {FolderUnusable} */
export async function withStore<T>(
  settings: Settings,
  work: (records: Records) => Promise<T>,
  options?: StoreOptions,
): Promise<T> {
  const store = openStore(settings, createLog('silent'), options)
  try {
    return await work(store.records)
  } finally {
    await store.close()
  }
}

/** What a command notices of people is sent by the server, which finds it in the store. */
export function openPeople(
  { records, settings, now }: { records: Records; settings: Settings; now: () => number },
  company?: Pick<Company, 'arrange'>,
): People {
  return createPeople({
    records,
    installation: createInstallation(records, settings.SESSION_SECRET, now),
    retentionDays: settings.INVITE_RETENTION_DAYS,
    ...(company && { arrange: (apps) => company.arrange(apps) }),
    onEvents: settings.WEBHOOK_URL === undefined ? undefined : () => {},
    now,
  })
}

/** A new key for a store whose former secret is lost. What that one sealed can't be read afterwards. */
export async function adopt({ yes }: { yes?: boolean }, parts: CliParts): Promise<number> {
  const settings = loadSettings(parts.env)
  const store = storeInWords(settings)
  return await withStore(settings, async (records) => {
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
  })
}
