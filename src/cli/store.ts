// Opens the store for a command, copies it (onramp backup), and gives it a new key (onramp store adopt).
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import type { Company } from '../company/company.ts'
import { PeopleStore } from '../people/people-store.ts'
import { KeepStateStore } from '../people/keep-state.ts'
import { formatFault, adoptStore, createKeyRing, readDataKey } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { backUpFolder } from '../records/sqlite-backup.ts'
import { openStore, describeStore } from '../records/store.ts'
import { loadSettingsWithoutClient, loadSettingsNamed, type Settings } from '../settings/settings.ts'
import { createLog } from '../web/log.ts'
import { confirm } from './terminal.ts'

export function storeLabel(settings: Settings): string {
  const { name, place } = describeStore(settings)
  return `${name} ${place}`
}

/** @throws {StoreUnavailable} {FolderUnusable} */
export async function withStore<T>(
  settings: Settings,
  work: (records: Records) => Promise<T>,
  options?: Parameters<typeof openStore>[2],
): Promise<T> {
  const store = openStore(settings, createLog('silent'), options)
  try {
    return await work(store.records)
  } finally {
    await store.close()
  }
}

/** People for a command, which only records events: the server sends them. */
export function openPeople(
  { records, settings, now }: { records: Records; settings: Settings; now: () => number },
  company?: Pick<Company, 'isVisible' | 'activeReplacements' | 'activateReplacements' | 'shownApps'>,
): PeopleStore {
  return new PeopleStore({
    records,
    keyRing: createKeyRing(records, settings.SESSION_SECRET, now),
    retentionDays: settings.INVITE_RETENTION_DAYS,
    company,
    onEvents: settings.WEBHOOK_URL === undefined ? undefined : () => {},
    now,
  })
}

export const openKeepState = (records: Records, { SESSION_SECRET }: Settings) =>
  new KeepStateStore(records, createKeyRing(records, SESSION_SECRET))

/** Creates a data key after the secret was lost. Records sealed under the former key become unreadable. */
export async function adopt({ yes }: { yes?: boolean }, context: CommandContext): Promise<number> {
  const settings = loadSettingsWithoutClient(context.env)
  const store = storeLabel(settings)
  const work = async (records: Records) => {
    const hasOtherSecret = (await readDataKey(records, settings.SESSION_SECRET)) === 'other secret'
    if (!hasOtherSecret && (await formatFault(records)) === undefined) {
      context.stdout.write(`onramp can use the store as it is (${store}): nothing was changed.\n`)
      return 0
    }
    const losses = 'who was emailed, who opted out, and progress'
    if (!(await confirm(yes, `Give up what is stored about people in ${store} (${losses})?`, context)))
      return 1
    await adoptStore(records, settings.SESSION_SECRET)
    context.stdout.write(`The store has a new key (${store}). Restart the servers.\n`)
    return 0
  }
  return await withStore(settings, work, { isAdopting: true })
}

export async function backup(
  file: string,
  { force = false, json }: { force?: boolean; json?: boolean },
  { env, stdout }: CommandContext,
): Promise<number> {
  if (file === '') throw new UsageError('FILE is missing')
  if (file === '-')
    throw new UsageError(
      'the backup is verified by reading it, so it needs a file, not standard output: give a path (./- for a file called -)',
    )

  const { REDIS_URL: redis, DATA_DIR: folder = '' } = loadSettingsNamed(['REDIS_URL', 'DATA_DIR'], env)
  if (redis !== undefined)
    throw new UsageError(
      'the store is Redis (REDIS_URL), which has backups of its own: copy its RDB file after BGSAVE, or use the snapshots of your provider (docs/operations.md)',
    )

  const copy = await backUpFolder(folder, file, { isReplaced: force })
  stdout.write(
    json
      ? `${JSON.stringify({ schema_version: 1, ...copy })}\n`
      : `Backed up ${copy.records} records (${copy.bytes} bytes) to ${printable(copy.file)}\n`,
  )
  return 0
}
