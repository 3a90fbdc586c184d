// onramp backup FILE: the embedded store, as it is at one moment, beside a running server. Reads two settings only.
import { printable } from '@onramp/deprecations/command-line/printable'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { backUpFolder } from '../records/sqlite-backup.ts'
import { loadSome } from '../settings/settings.ts'

export async function backup(
  file: string,
  { force = false, json }: { force?: boolean; json?: boolean },
  { env, stdout }: CliParts,
): Promise<number> {
  if (file === '') throw new UsageError('FILE is missing')
  if (file === '-')
    throw new UsageError(
      'the backup is read back before it counts, so it goes to a file and not to standard output: give its path (./- for a file called -)',
    )

  const { REDIS_URL: redis, DATA_DIR: folder = '' } = loadSome(['REDIS_URL', 'DATA_DIR'], env)
  if (redis !== undefined)
    throw new UsageError(
      'the store is Redis (REDIS_URL), which has backups of its own: copy its RDB file after BGSAVE, or use the snapshots of your provider (docs/operations.md)',
    )

  const done = await backUpFolder(folder, file, { isReplaced: force })
  stdout.write(
    json
      ? `${JSON.stringify({ schema_version: 1, ...done })}\n`
      : `Backed up ${done.records} records (${done.bytes} bytes) to ${printable(done.file)}\n`,
  )
  return 0
}
