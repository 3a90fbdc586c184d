// The files of the embedded store belong to the user that runs onramp and to no other, whatever the umask says. What
// surprises: they are never opened here once they exist, because closing a file drops a process's own locks on it
// (fcntl), and SQLite relies on them.
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const DATABASE = 'onramp.sqlite'
export const LOCK = 'onramp.lock'

const NAMES = [DATABASE, LOCK].flatMap((name) => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`])

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

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
