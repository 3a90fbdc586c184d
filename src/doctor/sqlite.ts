// The embedded store in DATA_DIR, where REDIS_URL is not set. Nothing is created: the folder may not be there yet.
import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { unsafeFileSystem, classifySqliteError, type SqliteFailure } from '../records/sqlite-folder.ts'
import type { Table } from './rule.ts'

type SqliteFacts = {
  isThere: boolean
  /** Why no file can be written there, or the folder not be created; in the system's word. */
  unwritable: string | undefined
  /** What is wrong with onramp.sqlite. */
  database: SqliteFailure | undefined
  /** Where it is no disk; `memory`, or its name. */
  fileSystem: string | undefined
  freeBytes: number
}

const MIN_FREE_BYTES = 100 * 1024 * 1024

/** What the work throws; undefined: it succeeds. */
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

async function look(dataDir: string): Promise<SqliteFacts> {
  const folder = resolve(dataDir)
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const isThere = existing === folder
  const barred = errorOf(() =>
    isThere ? writeTrial(folder) : accessSync(existing, constants.W_OK | constants.X_OK),
  )
  const file = join(folder, 'onramp.sqlite')
  const trouble = existsSync(file) ? errorOf(() => openTrial(file)) : undefined
  const database = trouble && classifySqliteError(trouble)
  const { type, bavail, bsize } = statfsSync(existing)
  return {
    isThere,
    unwritable: barred && (barred.code ?? 'unknown'),
    // One that another process uses is in order.
    database: database?.kind === 'busy' ? undefined : database,
    fileSystem: unsafeFileSystem(type),
    freeBytes: bavail * bsize,
  }
}

const table: Table<SqliteFacts> = {
  'store.sqlite': [
    ({ isThere, unwritable: reason = '', database }) => {
      if (reason === 'ENOTDIR') return 'file'
      if (/^(ENOSPC|EDQUOT)$/.test(reason)) return { is: 'full', reason }
      if (reason !== '') return { is: isThere ? 'unwritable' : 'no-folder', reason }
      if (database?.kind === 'damaged') return 'damaged'
      if (database !== undefined) return { is: 'unusable', reason: database.reason }
      return isThere ? 'fine' : 'later'
    },
  ],
  'store.sqlite/place': [
    ({ fileSystem }) => fileSystem && (fileSystem === 'memory' ? 'memory' : { is: 'network', fileSystem }),
    ({ unwritable, freeBytes }) => unwritable === undefined && freeBytes < MIN_FREE_BYTES && 'space',
  ],
}

export const sqlite = { look, table }
