// The embedded store in DATA_DIR, where there is no REDIS_URL. Nothing is created: the folder may not be there yet.
import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Check } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'

const settings = ['DATA_DIR']
const LEAST_FREE_BYTES = 100 * 1024 * 1024

/** The folder itself, or the nearest one above it that is there. */
function nearestThere(folder: string): string {
  let current = resolve(folder)
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

const isWritable = (folder: string) => {
  const file = join(folder, `.onramp-doctor-${randomUUID()}`)
  return succeeds(() => {
    writeFileSync(file, 'onramp doctor', { flag: 'wx', mode: 0o600 })
    rmSync(file)
  })
}

const isReadableDatabase = (file: string) =>
  succeeds(() => {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      database.prepare('SELECT count(*) FROM sqlite_master').get()
    } finally {
      database.close()
    }
  })

/** The numbers of tmpfs and ramfs (statfs(2)). */
const IN_MEMORY = new Set([0x01_02_19_94, 0x85_84_58_f6])

/** What is kept in memory is gone with the machine, or with the container. */
function memory(folder: string): Finding[] {
  if (!IN_MEMORY.has(statfsSync(folder).type)) return []
  return [
    warn(
      'DATA_DIR is in memory (tmpfs): a restart loses the ledger of sent invitations, and everyone is mailed again.',
      { settings, mend: 'choose a folder on a disk, or mount a volume there' },
    ),
  ]
}

function space(folder: string): Finding[] {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < LEAST_FREE_BYTES
    ? [
        warn('Less than 100 MB are free where DATA_DIR is.', {
          settings,
          mend: 'make room, or choose another folder',
        }),
      ]
    : []
}

function look(dataDir: string): Finding[] {
  const folder = resolve(dataDir)
  const there = nearestThere(folder)
  if (!statSync(there).isDirectory())
    return [fail('DATA_DIR leads to a file.', { settings, mend: 'name a folder' })]
  if (there !== folder)
    return succeeds(() => accessSync(there, constants.W_OK | constants.X_OK))
      ? [ok('DATA_DIR is not there yet and can be made.'), ...memory(there), ...space(there)]
      : [
          fail('DATA_DIR is not there and cannot be made.', {
            settings,
            mend: 'make it, owned by the user that runs onramp',
          }),
        ]
  if (!isWritable(folder))
    return [
      fail('DATA_DIR cannot be written to.', { settings, mend: 'give it to the user that runs onramp' }),
    ]
  const file = join(folder, 'onramp.sqlite')
  if (existsSync(file) && !isReadableDatabase(file))
    return [
      fail('onramp.sqlite in DATA_DIR is not a database.', {
        settings,
        mend: 'move the file away, or choose another folder',
      }),
    ]
  const open = (statSync(folder).mode & 0o007) !== 0
  return [
    ok('The embedded store can be written to (one process only; REDIS_URL for more).'),
    ...(open
      ? [
          warn('DATA_DIR is open to every user of this machine.', {
            settings,
            mend: 'take their rights away: chmod o-rwx',
          }),
        ]
      : []),
    ...memory(folder),
    ...space(folder),
  ]
}

export const sqlite: Check = {
  id: 'store.sqlite',
  about: 'The embedded store',
  group: 'Store',
  look({ settings: { DATA_DIR: folder, REDIS_URL: url }, faults }) {
    if (url !== undefined || faults.some((fault) => fault.startsWith('REDIS_URL')))
      return [skip('REDIS_URL is used.')]
    return folder === undefined ? [skip('DATA_DIR cannot be read.')] : look(folder)
  },
}
