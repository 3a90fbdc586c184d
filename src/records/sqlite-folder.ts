// Protects the folder of the embedded store: only onramp's user can read its files, whatever the umask, and one server
// locks it. Never open its files here: closing one would drop the process's locks (fcntl), on which SQLite relies.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../problem.ts'

export const DATABASE = 'onramp.sqlite'
const LOCK = 'onramp.lock'

const isDatabaseFile = (name: string) => /^onramp\.(sqlite|lock)(-wal|-shm|-journal)?$/.test(name)

/** @returns false if the mode can't be set, as on some file systems and for another user's file */
function setMode(path: string, mode: number): boolean {
  try {
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
    return true
  } catch {
    return !existsSync(path)
  }
}

/** Creates folder (0700) and files (0600), or restricts existing ones. @returns paths that others can still access */
export function restrictAccess(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Another program may use the folder, too.
  if (readdirSync(folder).every(isDatabaseFile)) setMode(folder, 0o700)
  for (const file of [DATABASE, LOCK].map((name) => join(folder, name)))
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const files = readdirSync(folder).filter(isDatabaseFile)
  const openFiles = files.map((name) => join(folder, name)).filter((file) => !setMode(file, 0o600))
  return (statSync(folder).mode & 0o022) === 0 ? openFiles : [folder, ...openFiles]
}

/** File systems by their type in statfs(2). FUSE includes sshfs, virtiofs, GlusterFS and Docker Desktop's folders. */
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

/** Names a file system in memory, or one whose locks may fail (sqlite.org/wal.html). @param type may be negative */
export const unsafeFileSystem = (type: number): string | undefined => UNSAFE.get(type >>> 0)

/**
 * Locks the folder until `close`, or the end of the process, because limits and leases work within one process.
 * Commands don't lock it. @throws {OperatorError} after ten seconds
 */
export function lockFolder(folder: string): { close(): void } {
  restrictAccess(folder)
  const lock = new DatabaseSync(join(folder, LOCK), { timeout: 10_000 })
  try {
    // The lock is an open exclusive transaction that writes nothing.
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (classifySqliteError(error).kind !== 'busy') throw error
    throw new OperatorError(
      `another onramp server uses DATA_DIR (${resolve(folder)}), which is for one process: stop the other one, give this one a folder of its own, or set REDIS_URL`,
      { cause: error },
    )
  }
  return { close: () => lock.close() }
}

/** https://www.sqlite.org/rescode.html: the lowest byte of an extended code. */
const [PERM, BUSY, LOCKED, READONLY, CORRUPT, CANTOPEN, NOTADB] = [3, 5, 6, 8, 11, 14, 26] as const

export function classifySqliteError(error: unknown): { kind: keyof typeof FIXES; reason: string } {
  const { code, errcode, errstr } = Object(error) as { code?: string; errcode?: number; errstr?: string }
  const reason = errstr ?? code ?? 'unknown'
  const number = (errcode ?? 0) & 0xff
  if (number === CORRUPT || number === NOTADB) return { kind: 'damaged', reason }
  if (number === BUSY || number === LOCKED) return { kind: 'busy', reason }
  const isOfRights =
    [PERM, READONLY, CANTOPEN].some((known) => known === number) || /^(EACCES|EPERM|EROFS)$/.test(reason)
  return { kind: isOfRights ? 'rights' : 'other', reason }
}

const FIXES = {
  damaged: 'restore a backup, or move onramp.sqlite away, which loses everything in it',
  rights: 'give ownership of the folder and its files to the user running onramp',
  busy: 'stop the process that has it open',
  other: 'set it to a folder on a disk that the user running onramp can write',
}

export class FolderUnusable extends OperatorError {
  override name = 'FolderUnusable'
  constructor(folder: string, cause: unknown) {
    const { kind, reason } = classifySqliteError(cause)
    super(`the store in DATA_DIR (${resolve(folder)}) can't be opened (${reason}): ${FIXES[kind]}`, { cause })
  }
}
