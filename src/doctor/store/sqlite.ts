// The embedded store in DATA_DIR, where REDIS_URL is not set. Nothing is created: the folder may not be there yet.
import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { whyUnusable, type Unusable } from '../../records/sqlite-folder.ts'
import { storeOf } from '../../records/store.ts'
import type { Subject } from '../check.ts'
import { fail, missing, ok, skip, warn, type Findings } from '../finding.ts'

const settings = ['DATA_DIR']
const MIN_FREE_BYTES = 100 * 1024 * 1024
/** The numbers of tmpfs and ramfs (statfs(2)). */
const IN_MEMORY = new Set([0x01_02_19_94, 0x85_84_58_f6])

/** The folder itself, or the nearest one above it that exists. */
function nearestExisting(folder: string): string {
  let current = folder
  while (!existsSync(current) && dirname(current) !== current) current = dirname(current)
  return current
}

const succeeds = (work: () => unknown): boolean => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** @returns why nothing can be written there, in the system's word; undefined: it can */
function whyUnwritable(folder: string): string | undefined {
  const file = join(folder, `.onramp-doctor-${randomUUID()}`)
  try {
    writeFileSync(file, 'onramp doctor', { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    rmSync(file, { force: true })
  }
}

const IS_FULL = ['ENOSPC', 'EDQUOT']

/** @returns why the file can't be used; undefined: it can */
function troubleWith(file: string): Unusable | undefined {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    using database = new DatabaseSync(file, { readOnly: true })
    database.prepare('SELECT count(*) FROM sqlite_master').get()
    return undefined
  } catch (error) {
    const trouble = whyUnusable(error)
    return trouble.kind === 'busy' ? undefined : trouble
  }
}

/** What is kept in memory is lost with the machine or the container, and a full disk takes no records. */
function diskFindings(folder: string): Findings {
  const { type, bavail, bsize } = statfsSync(folder)
  const memory = warn(
    'DATA_DIR is in memory (tmpfs): a restart loses the ledger of sent invitations, and everyone is emailed again.',
    { settings, fix: 'choose a folder on a disk, or mount a volume there' },
  )
  const full = warn('Less than 100 MB are free on the disk with DATA_DIR.', {
    settings,
    fix: 'free up space, or choose another folder',
  })
  return [IN_MEMORY.has(type) ? memory : undefined, bavail * bsize < MIN_FREE_BYTES ? full : undefined]
}

function folderFindings(folder: string): Findings {
  const existing = nearestExisting(folder)
  const refuse = (says: string, fix: string) => fail(says, { settings, fix })
  if (!statSync(existing).isDirectory())
    return refuse('DATA_DIR is a file, not a folder.', 'set it to a folder')
  if (existing !== folder)
    return succeeds(() => accessSync(existing, constants.W_OK | constants.X_OK))
      ? [ok("DATA_DIR doesn't exist yet and will be created."), diskFindings(existing)]
      : refuse(
          "DATA_DIR doesn't exist and can't be created.",
          'create it and give ownership to the user running onramp',
        )
  const unwritable = whyUnwritable(folder)
  if (unwritable !== undefined && IS_FULL.includes(unwritable))
    return refuse(
      `The disk with DATA_DIR is full (${unwritable}).`,
      'free up space, or choose another folder',
    )
  if (unwritable !== undefined)
    return refuse(`DATA_DIR isn't writable (${unwritable}).`, 'give ownership to the user running onramp')
  const file = join(folder, 'onramp.sqlite')
  const trouble = existsSync(file) ? troubleWith(file) : undefined
  if (trouble?.kind === 'damaged')
    return refuse(
      'onramp.sqlite in DATA_DIR is not a database.',
      'restore a backup, move the file away, or choose another folder',
    )
  if (trouble !== undefined)
    return refuse(
      `onramp.sqlite in DATA_DIR can't be read and written (${trouble.reason}).`,
      'give ownership to the user running onramp; keep the file, which may be in order',
    )
  const open = warn('DATA_DIR is readable by every user on this machine.', {
    settings,
    fix: 'restrict it: chmod o-rwx',
  })
  return [
    ok('The embedded store is writable (single process; set REDIS_URL to run more).'),
    (statSync(folder).mode & 0o007) === 0 ? undefined : open,
    diskFindings(folder),
  ]
}

export function sqlite({ settings: read, faults }: Subject): Findings {
  const { name } = storeOf(read)
  if (name !== 'SQLite') return skip(`the store is ${name}.`)
  if (faults.some((fault) => fault.startsWith('REDIS_URL'))) return skip('REDIS_URL is used.')
  return read.DATA_DIR === undefined ? missing('DATA_DIR') : folderFindings(resolve(read.DATA_DIR))
}
