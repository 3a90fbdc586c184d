// Backs up the embedded store beside a running server. SQLite's backup reads the WAL, too, in one step.
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { DATABASE } from './sqlite-folder.ts'
import { OperatorError } from '../problem.ts'

const ALL_PAGES = 2 ** 31 - 1

function checkedCopyPath(folder: string, file: string, isReplaced: boolean): string {
  const path = resolve(file)
  const parentFolder = dirname(path)
  if (!statSync(parentFolder, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`the folder ${parentFolder} doesn't exist: create it first`)
  // The path may be another name for the live store.
  if ((realpathSync(parentFolder) + sep).startsWith(realpathSync(folder) + sep))
    throw new OperatorError('the backup must be outside DATA_DIR: a lost disk takes both')
  if (!existsSync(path)) return path
  if (!statSync(path).isFile()) throw new OperatorError(`${path} is not a file`)
  if (!isReplaced) throw new OperatorError(`${path} exists: use --force to replace it`)
  return path
}

/** Verifies the copy by reading it. @returns the number of records */
async function copyInto(part: string, database: string): Promise<number> {
  // The file gets its mode before any data.
  closeSync(openSync(part, 'wx', 0o600))
  using source = new DatabaseSync(database)
  await backup(source, part, { rate: ALL_PAGES })
  using copy = new DatabaseSync(part)
  // The copy is a single file, without a WAL.
  copy.exec('PRAGMA journal_mode = DELETE')
  if (copy.prepare('PRAGMA quick_check').get()?.['quick_check'] !== 'ok')
    throw new OperatorError('the store is damaged: the copy failed its integrity check')
  return Number(copy.prepare('SELECT count(*) AS count FROM records').get()?.['count'])
}

/** Creates the file only once it is complete and verified. Only its owner can read it. */
export async function backUpFolder(folder: string, file: string, options: { isReplaced: boolean }) {
  const database = join(resolve(folder), DATABASE)
  if (!existsSync(database))
    throw new OperatorError(`there is no store at ${database}: set DATA_DIR to the server's`)
  const path = checkedCopyPath(folder, file, options.isReplaced)
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    const records = await copyInto(part, database)
    renameSync(part, path)
    return { file: path, records, bytes: statSync(path).size }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { message, errstr } = error as Error & { errstr?: string }
    const reason = errstr === undefined ? message : `SQLite: ${errstr}`
    throw new OperatorError(`the backup failed: ${reason}`, { cause: error })
  } finally {
    rmSync(part, { force: true })
    rmSync(`${part}-journal`, { force: true })
  }
}
