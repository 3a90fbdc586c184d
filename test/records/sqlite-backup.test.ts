// Backups of the embedded store: allowed places, and damaged stores.
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { OperatorError } from '../../src/problem.ts'
import { backUpFolder } from '../../src/records/sqlite-backup.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'

let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'onramp-back-up-'))
  const records = createSqliteRecords(join(folder, 'data'))
  for (let count = 0; count < 300; count++) await records.put(`record:${count}`, 'x'.repeat(200), 3600)
  records.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

const PAGE_BYTES = 4096

async function failureOf(file: string, isReplaced = true): Promise<string> {
  const error: unknown = await backUpFolder(join(folder, 'data'), resolve(folder, file), {
    isReplaced,
  }).catch((caught: unknown) => caught)
  const { message, cause } = error as OperatorError
  expect([error instanceof OperatorError, cause instanceof Error]).toEqual([
    true,
    message.startsWith('the backup failed'),
  ])
  return message
}

it('a backup can be written into a folder', async () => {
  writeFileSync(join(folder, 'file'), '')
  for (const within of ['file', 'nowhere'])
    expect(await failureOf(`${within}/copy`)).toBe(
      `the folder ${join(folder, within)} doesn't exist: create it first`,
    )
})

it('a backup is never written into DATA_DIR, by any name of it', async () => {
  mkdirSync(join(folder, 'data/below'))
  for (const to of ['data', 'data/below']) {
    symlinkSync(join(folder, to), join(folder, 'another'))
    expect(await failureOf('another/onramp.sqlite')).toContain('outside DATA_DIR')
    rmSync(join(folder, 'another'))
  }
})

it('a backup is one complete file, readable only by its owner, also during writes', async () => {
  const records = createSqliteRecords(join(folder, 'data'))
  await records.put('late', 'x', 3600)
  mkdirSync(join(folder, 'elsewhere/deep'), { recursive: true })
  const file = join(folder, 'elsewhere/deep/copy')
  const made = await backUpFolder(join(folder, 'data'), file, { isReplaced: false })
  records.close()
  expect(made).toEqual({ file, records: 301, bytes: statSync(file).size })
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  expect(readdirSync(join(folder, 'elsewhere/deep'))).toEqual(['copy'])
  const copy = new DatabaseSync(file, { readOnly: true })
  expect(copy.prepare("SELECT value FROM records WHERE key = 'late'").get()).toEqual({ value: 'x' })
  expect(copy.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' })
  copy.close()
})

it('a failed backup prints the reason of SQLite or the system', async () => {
  const database = new DatabaseSync(join(folder, 'data/onramp.sqlite'))
  database.exec('DROP TABLE records')
  database.close()
  expect(await failureOf('copy')).toBe('the backup failed: SQLite: SQL logic error')
  expect(await failureOf('/proc/copy')).toMatch(
    /^the backup failed: ENOENT: .* '\/proc\/copy.[0-9a-f]{8}.part'$/,
  )
  expect(readdirSync(folder)).toEqual(['data'])
})

it('a store with a damaged page has no backup', async () => {
  const database = openSync(join(folder, 'data/onramp.sqlite'), 'r+')
  writeSync(database, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, 5 * PAGE_BYTES)
  closeSync(database)
  expect(await failureOf('copy')).toBe('the store is damaged: the copy failed its integrity check')
  expect(readdirSync(folder)).toEqual(['data'])
})
