// Checks the embedded store in DATA_DIR. Creates nothing, because the folder may not exist yet.
import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { unsafeFileSystem, classifySqliteError } from '../records/sqlite-folder.ts'
import { createCheck, fail, ok, warn } from './findings.ts'

const MIN_FREE_BYTES = 100 * 1024 * 1024

function errorOf(work: () => unknown): NodeJS.ErrnoException | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

function writeTrial(folder: string): void {
  const file = join(folder, `.onramp-doctor-${randomUUID()}`)
  try {
    writeFileSync(file, 'onramp doctor', { flag: 'wx', mode: 0o600 })
  } finally {
    rmSync(file, { force: true })
  }
}

function openTrial(file: string): void {
  accessSync(file, constants.R_OK | constants.W_OK)
  using database = new DatabaseSync(file, { readOnly: true })
  database.prepare('SELECT count(*) FROM sqlite_master').get()
}

async function collect(dataDir: string) {
  const folder = resolve(dataDir)
  let existingFolder = folder
  while (!existsSync(existingFolder)) existingFolder = dirname(existingFolder)
  const isThere = existingFolder === folder
  const accessError = errorOf(() =>
    isThere ? writeTrial(folder) : accessSync(existingFolder, constants.W_OK | constants.X_OK),
  )
  const file = join(folder, 'onramp.sqlite')
  const trouble = existsSync(file) ? errorOf(() => openTrial(file)) : undefined
  const database = trouble && classifySqliteError(trouble)
  const { type, bavail, bsize } = statfsSync(existingFolder)
  return {
    isThere,
    unwritable: accessError && (accessError.code ?? 'unknown'),
    // Busy means that a server is running.
    database: database?.kind === 'busy' ? undefined : database,
    fileSystem: unsafeFileSystem(type),
    freeBytes: bavail * bsize,
  }
}

type SqliteFacts = Awaited<ReturnType<typeof collect>>

function folderOf({ isThere, unwritable: reason = '', database }: SqliteFacts) {
  if (reason === 'ENOTDIR') return fail('DATA_DIR is a file, not a folder.', 'DATA_DIR: set it to a folder')
  if (/^(ENOSPC|EDQUOT)$/.test(reason))
    return fail(
      `The disk with DATA_DIR is full (${reason}).`,
      'DATA_DIR: free up space, or choose another folder',
    )
  if (reason !== '' && !isThere)
    return fail(
      "DATA_DIR doesn't exist and can't be created.",
      'DATA_DIR: create it and give ownership to the user running onramp',
    )
  if (reason !== '')
    return fail(`DATA_DIR isn't writable (${reason}).`, 'DATA_DIR: give ownership to the user running onramp')
  if (database?.kind === 'damaged')
    return fail(
      'onramp.sqlite in DATA_DIR is not a database.',
      'DATA_DIR: restore a backup, move the file away, or choose another folder',
    )
  if (database !== undefined)
    return fail(
      `onramp.sqlite in DATA_DIR can't be read and written (${database.reason}).`,
      'DATA_DIR: give ownership to the user running onramp; keep the file, which may be in order',
    )
  return ok(
    isThere
      ? 'The embedded store is writable (single process; set REDIS_URL to run more).'
      : "DATA_DIR doesn't exist yet and will be created.",
  )
}

function placeOf({ fileSystem }: SqliteFacts) {
  if (fileSystem === 'memory')
    return warn(
      'DATA_DIR is in memory (tmpfs): a restart loses the ledger of sent invitations, and everyone is emailed again.',
      'DATA_DIR: choose a folder on a disk, or mount a volume there',
    )
  if (fileSystem === undefined) return undefined
  return warn(
    `DATA_DIR is on a network file system (${fileSystem}), where SQLite's locks may not hold: the store can be damaged.`,
    'DATA_DIR, REDIS_URL: choose a folder on a disk of this machine, or use Redis',
  )
}

/** {@link folderOf} reports a full disk. */
function spaceOf({ unwritable, freeBytes }: SqliteFacts) {
  if (unwritable !== undefined || freeBytes >= MIN_FREE_BYTES) return undefined
  return warn(
    'Less than 100 MB are free on the disk with DATA_DIR.',
    'DATA_DIR: free up space, or choose another folder',
  )
}

export const sqliteCheck = createCheck(collect, {
  'store.sqlite': (facts) => [folderOf(facts), placeOf(facts) ?? spaceOf(facts)],
})
