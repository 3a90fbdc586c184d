// Where a backup of the embedded store may go, and which store is too damaged to have one.
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { backUpFolder, NotBackedUp } from '../../src/records/sqlite-backup.ts'
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

async function refusal(file: string): Promise<string> {
  const error: unknown = await backUpFolder(join(folder, 'data'), join(folder, file), {
    isReplaced: true,
  }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NotBackedUp)
  return (error as Error).message
}

it('a backup goes into a folder', async () => {
  writeFileSync(join(folder, 'file'), '')
  for (const within of ['file', 'nowhere'])
    expect(await refusal(`${within}/copy`)).toBe(`there is no folder ${join(folder, within)}: make it first`)
})

it('a backup stays out of DATA_DIR by any name of it', async () => {
  mkdirSync(join(folder, 'data/below'))
  for (const to of ['data', 'data/below']) {
    symlinkSync(join(folder, to), join(folder, 'another'))
    expect(await refusal('another/onramp.sqlite')).toContain('outside DATA_DIR')
    rmSync(join(folder, 'another'))
  }
})

it('a store with a damaged page has no backup', async () => {
  const database = openSync(join(folder, 'data/onramp.sqlite'), 'r+')
  writeSync(database, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, 5 * PAGE_BYTES)
  closeSync(database)
  expect(await refusal('copy')).toBe('the store is damaged: the copy did not pass its check')
  expect(readdirSync(folder)).toEqual(['data'])
})
