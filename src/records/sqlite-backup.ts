// A backup of the embedded store, beside a running server. What surprises: the file alone holds little, because what was
// written last is in the log beside it (WAL); SQLite's own backup reads both, in one step, so no writer makes it begin anew.
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { DATABASE } from './sqlite-folder.ts'

/** The message says why, and what to do. */
export class NotBackedUp extends Error {
  override name = 'NotBackedUp'
}

const ALL_PAGES = 2 ** 31 - 1

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  return 'errstr' in error ? `SQLite says: ${String(error.errstr)}` : error.message
}

/** Another name for the live store, or for what is beside it, would be written over. */
function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return !way.startsWith('..') && !isAbsolute(way)
}

function target(folder: string, file: string, isReplaced: boolean): string {
  const within = dirname(resolve(file))
  if (!statSync(within, { throwIfNoEntry: false })?.isDirectory())
    throw new NotBackedUp(`there is no folder ${within}: make it first`)
  if (isWithin(realpathSync(folder), realpathSync(within)))
    throw new NotBackedUp('the backup must be outside DATA_DIR: a lost disk takes both')
  const path = join(within, basename(file))
  if (!existsSync(path)) return path
  if (!statSync(path).isFile()) throw new NotBackedUp(`${path} is not a file`)
  if (!isReplaced) throw new NotBackedUp(`${path} exists: use --force to replace it`)
  return path
}

/** Reads all of it, and leaves one file that needs no log beside it. @returns how many records there are */
function checked(file: string): number {
  const copy = new DatabaseSync(file)
  try {
    copy.exec('PRAGMA journal_mode = DELETE')
    const { quick_check: said } = copy.prepare('PRAGMA quick_check').get() ?? {}
    if (said !== 'ok') throw new NotBackedUp('the store is damaged: the copy did not pass its check')
    return Number(copy.prepare('SELECT count(*) AS count FROM records').get()?.['count'])
  } finally {
    copy.close()
  }
}

async function copyInto(part: string, database: string): Promise<number> {
  // The rights come first: it holds what the store holds.
  closeSync(openSync(part, 'wx', 0o600))
  const source = new DatabaseSync(database)
  try {
    await backup(source, part, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
  return checked(part)
}

/**
 * The file is there when it is complete and was read back, or not at all. Only its owner can read it.
 * @param folder DATA_DIR
 * @param file outside that folder
 * @throws {NotBackedUp}
 */
export async function backUpFolder(folder: string, file: string, options: { isReplaced: boolean }) {
  const database = join(resolve(folder), DATABASE)
  if (!existsSync(database))
    throw new NotBackedUp(`there is no store at ${database}: set DATA_DIR to the server's`)
  const path = target(resolve(folder), file, options.isReplaced)
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    const records = await copyInto(part, database)
    renameSync(part, path)
    return { file: path, records, bytes: statSync(path).size }
  } catch (error) {
    if (error instanceof NotBackedUp) throw error
    throw new NotBackedUp(`the backup failed: ${reasonOf(error)}`, { cause: error })
  } finally {
    rmSync(part, { force: true })
    rmSync(`${part}-journal`, { force: true })
  }
}
