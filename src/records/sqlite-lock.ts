// One server for each folder of the embedded store: sign-ins, leases and limits are kept right within one process only.
// The lock is the operating system's, so it ends with the process, however that ends.
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { closeToOthers, LOCK } from './sqlite-files.ts'

/** A process that was just killed may still be about to end. */
const WAIT_MS = 500
/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5

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
 * Holds the folder until `close`, or until the process ends. Commands read and write beside a server and don't ask.
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
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
    throw isBusy ? new FolderInUse(folder, error) : error
  }
  return { close: () => lock.close() }
}
