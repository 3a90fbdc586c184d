// Why the embedded store can't be opened, and what to do. A file that this user may not read has nothing wrong with it:
// moved away, it would take every sign-in and the ledger of sent emails along.
import { resolve } from 'node:path'

/** https://www.sqlite.org/rescode.html; of an extended code the lowest byte counts. */
const [PERM, BUSY, LOCKED, READONLY, CORRUPT, CANTOPEN, NOTADB] = [3, 5, 6, 8, 11, 14, 26] as const

export type Unusable = {
  /** `damaged`: no database; `rights`: this user may not; `busy`: another process has it, so there is nothing wrong. */
  kind: 'damaged' | 'rights' | 'busy' | 'other'
  /** What the system or SQLite calls it. */
  reason: string
}

/** @param error what opening the folder, or the file, threw */
export function whyUnusable(error: unknown): Unusable {
  const { code, errcode, errstr } = Object(error) as { code?: string; errcode?: number; errstr?: string }
  const reason = errstr ?? code ?? 'unknown'
  const number = errcode === undefined ? undefined : errcode & 0xff
  if (number === CORRUPT || number === NOTADB) return { kind: 'damaged', reason }
  if (number === BUSY || number === LOCKED) return { kind: 'busy', reason }
  const isOfRights =
    number === PERM || number === READONLY || number === CANTOPEN || /^(EACCES|EPERM|EROFS)$/.test(reason)
  return { kind: isOfRights ? 'rights' : 'other', reason }
}

const FIXES: Record<Unusable['kind'], string> = {
  damaged: 'restore a backup, or move onramp.sqlite away, which loses everything in it',
  rights: 'give the folder and what is in it to the user running onramp',
  busy: 'end the process that has it open',
  other: 'set it to a folder on a disk that the user running onramp can write',
}

/** The store in DATA_DIR can't be opened; the message says why, and what to do. */
export class FolderUnusable extends Error {
  override name = 'FolderUnusable'
  constructor(folder: string, cause: unknown) {
    const { kind, reason } = whyUnusable(cause)
    super(`the store in DATA_DIR (${resolve(folder)}) can't be opened (${reason}): ${FIXES[kind]}`, { cause })
  }
}
