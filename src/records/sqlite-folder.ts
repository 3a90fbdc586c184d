// The folder of the embedded store: its files belong to the user that runs onramp alone, whatever the umask says, and one
// server holds it. What surprises: files that exist are never opened here, because closing one drops the process's
// own locks on it (fcntl), and SQLite relies on them.
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { whyUnusable } from './sqlite-unusable.ts'

export const DATABASE = 'onramp.sqlite'
const LOCK = 'onramp.lock'

const NAMES = [DATABASE, LOCK].flatMap((name) => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`])

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** Makes it where it is not there. SQLite gives what it puts beside it the same rights. */
function make(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** @returns whether the rights are these now; some file systems have none, and another user's file keeps its own */
function limit(path: string, mode: number): boolean {
  try {
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
    return true
  } catch (error) {
    return codeOf(error) === 'ENOENT'
  }
}

/** Is there nothing but ours in it? Then it is ours to close; a folder that others use too is not. */
const isOurs = (folder: string) => readdirSync(folder).every((name) => NAMES.includes(name))

/**
 * Makes the folder (0700) and the files (0600) where they are missing, and takes others' rights to what is there.
 * @param folder DATA_DIR
 * @returns the paths that others can still read or write
 * @throws when the folder or a file cannot be made
 */
export function closeToOthers(folder: string): string[] {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew || isOurs(folder)) limit(folder, 0o700)
  for (const name of [DATABASE, LOCK]) make(join(folder, name))
  const open = NAMES.map((name) => join(folder, name)).filter((file) => !limit(file, 0o600))
  return (statSync(folder).mode & 0o022) === 0 ? open : [folder, ...open]
}

/** A process that was told to end finishes its requests first. */
const WAIT_MS = 10_000

export class FolderInUse extends Error {
  constructor(folder: string, cause: unknown) {
    super(
      `another onramp server uses DATA_DIR (${resolve(folder)}), which is for one process: stop the other one, give this one a folder of its own, or set REDIS_URL`,
      { cause },
    )
    this.name = 'FolderInUse'
  }
}

/**
 * Holds the folder until `close`, or until the process ends: sign-ins, leases and limits are kept right within one process
 * only. The lock is the operating system's. Commands read and write beside a server and don't ask.
 * @param folder DATA_DIR
 * @throws {FolderInUse} when another server holds it
 */
export function holdFolder(folder: string): { close(): void } {
  closeToOthers(folder)
  const lock = new DatabaseSync(join(folder, LOCK), { timeout: WAIT_MS })
  try {
    // Nothing is ever written into it: an open exclusive transaction is the lock.
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw whyUnusable(error).kind === 'busy' ? new FolderInUse(folder, error) : error
  }
  return { close: () => lock.close() }
}
