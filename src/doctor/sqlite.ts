// The embedded store in DATA_DIR, where REDIS_URL is not set. Nothing is created: the folder may not be there yet.
import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { whyUnusable, type Unusable } from '../records/sqlite-folder.ts'
import type { Table } from './rule.ts'

type SqliteFacts = {
  folder: 'there' | 'to be created' | 'a file' | 'not to be created'
  /** Why a file can't be written there, in the system's word. */
  unwritable: string | undefined
  /** What is wrong with onramp.sqlite. */
  database: Unusable | undefined
  isOpenToAll: boolean
  /** tmpfs or ramfs. */
  isInMemory: boolean
  freeBytes: number
}

const MIN_FREE_BYTES = 100 * 1024 * 1024
/** The numbers of tmpfs and ramfs (statfs(2)). */
const IN_MEMORY = [0x01_02_19_94, 0x85_84_58_f6]

/** The folder itself, or the nearest one above it that exists. */
function nearestExisting(folder: string): string {
  let current = folder
  while (!existsSync(current) && dirname(current) !== current) current = dirname(current)
  return current
}

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

function look(dataDir: string): SqliteFacts {
  const folder = resolve(dataDir)
  const existing = nearestExisting(folder)
  const { type, bavail, bsize } = statfsSync(existing)
  const isFolder = statSync(existing).isDirectory()
  const isThere = isFolder && existing === folder
  const barred = errorOf(() => accessSync(existing, constants.W_OK | constants.X_OK))
  const unwritable = isThere ? errorOf(() => writeTrial(folder)) : undefined
  const file = join(folder, 'onramp.sqlite')
  const trouble = isThere && existsSync(file) ? errorOf(() => openTrial(file)) : undefined
  const database = trouble && whyUnusable(trouble)
  return {
    folder: isThere ? 'there' : !isFolder ? 'a file' : barred ? 'not to be created' : 'to be created',
    unwritable: unwritable && (unwritable.code ?? 'unknown'),
    // One that another process uses is in order.
    database: database?.kind === 'busy' ? undefined : database,
    isOpenToAll: isThere && (statSync(folder).mode & 0o007) !== 0,
    isInMemory: IN_MEMORY.includes(type),
    freeBytes: bavail * bsize,
  }
}

const table: Table<SqliteFacts> = {
  'store.sqlite': [
    ({ folder, unwritable = '', database }) => {
      if (folder === 'a file') return 'file'
      if (folder === 'not to be created') return 'no-folder'
      if (/^(ENOSPC|EDQUOT)$/.test(unwritable)) return { is: 'full', reason: unwritable }
      if (unwritable !== '') return { is: 'unwritable', reason: unwritable }
      if (database?.kind === 'damaged') return 'damaged'
      if (database !== undefined) return { is: 'unusable', reason: database.reason }
      return folder === 'there' ? 'fine' : 'later'
    },
  ],
  'store.sqlite/place': [
    ({ isOpenToAll, isInMemory, unwritable, freeBytes }) => [
      ...(isOpenToAll ? (['open'] as const) : []),
      ...(isInMemory ? (['memory'] as const) : []),
      ...(unwritable === undefined && freeBytes < MIN_FREE_BYTES ? (['space'] as const) : []),
    ],
  ],
}

export const sqlite = { look, table }
