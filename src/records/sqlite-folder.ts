// The folder of the embedded store: its files belong to the user that runs onramp alone, whatever the umask says, and one
// server holds it. What surprises: files that exist are never opened here, because closing one drops the process's
// own locks on it (fcntl), and SQLite relies on them.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../problem.ts'

export const DATABASE = 'onramp.sqlite'
const LOCK = 'onramp.lock'

const isOurs = (name: string) => /^onramp\.(sqlite|lock)(-wal|-shm|-journal)?$/.test(name)

/** @returns whether the rights are these now; some file systems have none, and another user's file keeps its own */
function limit(path: string, mode: number): boolean {
  try {
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
    return true
  } catch {
    return !existsSync(path)
  }
}

/**
 * Makes the folder (0700) and the files (0600) where they are missing, and takes others' rights to what is there.
 * @param folder DATA_DIR
 * @returns the paths that others can still read or write
 * @throws when the folder or a file cannot be made
 */
export function restrictAccess(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // A folder that others use too is not ours to close.
  if (readdirSync(folder).every(isOurs)) limit(folder, 0o700)
  for (const file of [DATABASE, LOCK].map((name) => join(folder, name)))
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const files = readdirSync(folder).filter(isOurs)
  const open = files.map((name) => join(folder, name)).filter((file) => !limit(file, 0o600))
  return (statSync(folder).mode & 0o022) === 0 ? open : [folder, ...open]
}

/** By the type in statfs(2). FUSE is also what sshfs, virtiofs, GlusterFS and the folders of Docker Desktop are. */
const UNSAFE = new Map([
  [0x01_02_19_94, 'memory'],
  [0x85_84_58_f6, 'memory'],
  [0x69_69, 'NFS'],
  [0x51_7b, 'SMB'],
  [0xfe_53_4d_42, 'SMB'],
  [0xff_53_4d_42, 'CIFS'],
  [0x01_02_19_97, '9p'],
  [0x65_73_55_46, 'FUSE'],
  [0x00_c3_64_00, 'Ceph'],
])

/** @param type of statfs, negative on some systems @returns `memory`, or where locks may fail (sqlite.org/wal.html) */
export const unsafeFileSystem = (type: number): string | undefined => UNSAFE.get(type >>> 0)

/** A process that was told to end finishes its requests first. */
const WAIT_MS = 10_000

export class FolderInUse extends OperatorError {
  override name = 'FolderInUse'
  constructor(folder: string, cause: unknown) {
    super(
      `another onramp server uses DATA_DIR (${resolve(folder)}), which is for one process: stop the other one, give this one a folder of its own, or set REDIS_URL`,
      { cause },
    )
  }
}

/**
 * Holds the folder until `close`, or until the process ends: sign-ins, leases and limits are kept right within one process
 * only. The lock is the operating system's. Commands read and write beside a server and don't ask.
 * @param folder DATA_DIR
 * @throws {FolderInUse} when another server holds it for longer than ten seconds
 */
export function lockFolder(folder: string): { close(): void } {
  restrictAccess(folder)
  const lock = new DatabaseSync(join(folder, LOCK), { timeout: WAIT_MS })
  try {
    // Nothing is ever written into it: an open exclusive transaction is the lock.
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw classifySqliteError(error).kind === 'busy' ? new FolderInUse(folder, error) : error
  }
  return { close: () => lock.close() }
}

/** https://www.sqlite.org/rescode.html; of an extended code the lowest byte counts. */
const [PERM, BUSY, LOCKED, READONLY, CORRUPT, CANTOPEN, NOTADB] = [3, 5, 6, 8, 11, 14, 26] as const

export type SqliteFailure = {
  /** `damaged`: no database; `rights`: this user may not; `busy`: another process has it, so there is nothing wrong. */
  kind: 'damaged' | 'rights' | 'busy' | 'other'
  /** What the system or SQLite calls it. */
  reason: string
}

/** @param error what opening the folder, or the file, threw */
export function classifySqliteError(error: unknown): SqliteFailure {
  const { code, errcode, errstr } = Object(error) as { code?: string; errcode?: number; errstr?: string }
  const reason = errstr ?? code ?? 'unknown'
  const number = errcode === undefined ? undefined : errcode & 0xff
  if (number === CORRUPT || number === NOTADB) return { kind: 'damaged', reason }
  if (number === BUSY || number === LOCKED) return { kind: 'busy', reason }
  const isOfRights =
    number === PERM || number === READONLY || number === CANTOPEN || /^(EACCES|EPERM|EROFS)$/.test(reason)
  return { kind: isOfRights ? 'rights' : 'other', reason }
}

/** What a user may not read has nothing wrong with it: moved away, it would take everything along. */
const FIXES: Record<SqliteFailure['kind'], string> = {
  damaged: 'restore a backup, or move onramp.sqlite away, which loses everything in it',
  rights: 'give the folder and what is in it to the user running onramp',
  busy: 'end the process that has it open',
  other: 'set it to a folder on a disk that the user running onramp can write',
}

/** The store in DATA_DIR can't be opened; the message says why, and what to do. */
export class FolderUnusable extends OperatorError {
  override name = 'FolderUnusable'
  constructor(folder: string, cause: unknown) {
    const { kind, reason } = classifySqliteError(cause)
    super(`the store in DATA_DIR (${resolve(folder)}) can't be opened (${reason}): ${FIXES[kind]}`, { cause })
  }
}
