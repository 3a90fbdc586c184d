// Records in one SQLite file, the embedded default for one process. Each statement is synchronous and touches one row,
// or a batch.
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { StoreUnavailable, type Records } from './records.ts'
import { restrictAccess, DATABASE } from './sqlite-folder.ts'

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 1000;
  CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS records_by_expiry ON records (expires);`

const UPSERT = `INSERT INTO records (key, value, expires) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires`

/** Reading a batch of keys takes about a millisecond. */
const BATCH = 1_000
const ERASE_EXPIRED_EVERY_MS = 60_000
const SLICE_MS = 10

/** @param now milliseconds since 1970 @throws if the folder can't be created or the file isn't a database */
export function createSqliteRecords(folder: string, now: () => number = Date.now) {
  const readableByOthers = restrictAccess(folder)
  const database = new DatabaseSync(join(folder, DATABASE))
  database.exec(SCHEMA)
  const select = database.prepare('SELECT value FROM records WHERE key = ? AND expires > ?')
  const upsert = database.prepare(UPSERT)
  const insertNew = database.prepare(`${UPSERT} WHERE records.expires <= ?`)
  const update = database.prepare(
    'UPDATE records SET value = ?, expires = ? WHERE key = ? AND value = ? AND expires > ?',
  )
  const erase = database.prepare('DELETE FROM records WHERE key = ?')
  const eraseThis = database.prepare('DELETE FROM records WHERE key = ? AND value = ?')
  const eraseExpired = database.prepare(
    `DELETE FROM records WHERE key IN (SELECT key FROM records WHERE expires <= ? LIMIT ${BATCH})`,
  )
  const list = database.prepare(
    `SELECT key FROM records WHERE key > ? AND key < ? AND expires > ? ORDER BY key LIMIT ${BATCH}`,
  )
  const until = (seconds: number) => now() + Math.max(1, Math.ceil(seconds)) * 1000
  const change = async (statement: StatementSync, ...values: SQLInputValue[]) =>
    (await runInSlice(() => statement.run(...values))).changes === 1

  const eraseAllExpired = async () => {
    while ((await runInSlice(() => eraseExpired.run(now()))).changes === BATCH) await yieldToEventLoop()
  }
  const timer = setInterval(() => eraseAllExpired().catch(() => {}), ERASE_EXPIRED_EVERY_MS)
  timer.unref()

  const records: Records = {
    get: (key) => runInSlice(() => select.get(key, now())?.['value'] as string | undefined),
    getAll: (keys) => Promise.all(keys.map((key) => records.get(key))),
    put: async (key, value, seconds) => void (await change(upsert, key, value, until(seconds))),
    compareAndSet: (key, expected, value, seconds) =>
      expected === undefined
        ? change(insertNew, key, value, until(seconds), now())
        : change(update, value, until(seconds), key, expected, now()),
    remove: async (key) => void (await change(erase, key)),
    compareAndRemove: async (key, expected) => void (await change(eraseThis, key, expected)),
    async *keys(prefix) {
      // SQLite compares UTF-8 bytes, so this character comes after all others.
      const end = `${prefix}\u{10ffff}`
      for (let last: string | undefined = prefix; last !== undefined; await yieldToEventLoop()) {
        const after: string = last
        const batch = await runInSlice(() => list.all(after, end, now()).map(({ key }) => String(key)))
        if (batch.length > 0) yield batch
        last = batch.length === BATCH ? batch.at(-1) : undefined
      }
    },
  }
  return {
    ...records,
    /** Paths that other users of the machine can still read or write. */
    readableByOthers,
    close(): void {
      clearInterval(timer)
      database.close()
    },
  }
}

let sliceUntil = 0
async function runInSlice<T>(work: () => T): Promise<T> {
  if (performance.now() > sliceUntil) {
    await yieldToEventLoop()
    sliceUntil = performance.now() + SLICE_MS
  }
  try {
    return work()
  } catch (error) {
    throw new StoreUnavailable(error)
  }
}
