// A backup of the embedded store, beside a running server. What surprises: the file alone holds little, because what was
// written last is in the log beside it (WAL); SQLite's own backup reads both, in one step, so no writer makes it begin anew.
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { DATABASE } from './sqlite-folder.ts'
import { OperatorError } from '../problem.ts'

/** The message says why, and what to do. */
export class BackupFailed extends OperatorError {
  override name = 'BackupFailed'
}

const ALL_PAGES = 2 ** 31 - 1

/** @returns the path, where a backup may go there @throws {BackupFailed} */
function target(folder: string, file: string, isReplaced: boolean): string {
  const path = resolve(file)
  const within = dirname(path)
  if (!statSync(within, { throwIfNoEntry: false })?.isDirectory())
    throw new BackupFailed(`there is no folder ${within}: make it first`)
  // Another name for the live store, or for what is beside it, would be written over.
  if ((realpathSync(within) + sep).startsWith(realpathSync(folder) + sep))
    throw new BackupFailed('the backup must be outside DATA_DIR: a lost disk takes both')
  if (!existsSync(path)) return path
  if (!statSync(path).isFile()) throw new BackupFailed(`${path} is not a file`)
  if (!isReplaced) throw new BackupFailed(`${path} exists: use --force to replace it`)
  return path
}

/** @returns how many records were copied, after all of the copy was read back */
async function copyInto(part: string, database: string): Promise<number> {
  // The rights come first: it holds what the store holds.
  closeSync(openSync(part, 'wx', 0o600))
  using source = new DatabaseSync(database)
  await backup(source, part, { rate: ALL_PAGES })
  using copy = new DatabaseSync(part)
  // One file that needs no log beside it.
  copy.exec('PRAGMA journal_mode = DELETE')
  if (copy.prepare('PRAGMA quick_check').get()?.['quick_check'] !== 'ok')
    throw new BackupFailed('the store is damaged: the copy did not pass its check')
  return Number(copy.prepare('SELECT count(*) AS count FROM records').get()?.['count'])
}

/**
 * The file is there when it is complete and was read back, or not at all. Only its owner can read it.
 * @param folder DATA_DIR
 * @param file outside that folder
 * @throws {BackupFailed}
 */
export async function backUpFolder(folder: string, file: string, options: { isReplaced: boolean }) {
  const database = join(resolve(folder), DATABASE)
  if (!existsSync(database))
    throw new BackupFailed(`there is no store at ${database}: set DATA_DIR to the server's`)
  const path = target(folder, file, options.isReplaced)
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    const records = await copyInto(part, database)
    renameSync(part, path)
    return { file: path, records, bytes: statSync(path).size }
  } catch (error) {
    if (error instanceof BackupFailed) throw error
    const { message, errstr } = error as Error & { errstr?: string }
    const reason = errstr === undefined ? message : `SQLite says: ${errstr}`
    throw new BackupFailed(`the backup failed: ${reason}`, { cause: error })
  } finally {
    rmSync(part, { force: true })
    rmSync(`${part}-journal`, { force: true })
  }
}
