// The rights of the embedded store's folder and files, within one process; sqlite-folder.test.ts starts servers on it.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeToOthers, holdFolder } from '../../src/records/sqlite-folder.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onramp-rights-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What is open in this process under a number. */
function opened(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const modesIn = (data: string) => readdirSync(data).map((name) => `${name} ${modeOf(join(data, name))}`)

describe('the files of the embedded store', () => {
  it('that an earlier version left open are closed to others, and so is a folder that has nothing else', async () => {
    const earlier = createSqliteRecords(folder)
    await earlier.put('key', 'value', 60)
    chmodSync(folder, 0o755)
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
    const now = createSqliteRecords(folder)
    expect(await now.get('key')).toBe('value')
    expect(modesIn(folder).filter((mode) => !mode.endsWith(' 600'))).toEqual([])
    expect(modeOf(folder)).toBe('700')
    expect(now.openToOthers).toEqual([])
    now.close()
    earlier.close()
  })

  it('are closed in a folder that others use too, which stays as it is and is told of', () => {
    const data = join(folder, 'common')
    mkdirSync(data)
    writeFileSync(join(data, 'notes.txt'), 'of someone else', { mode: 0o644 })
    chmodSync(data, 0o777)
    const records = createSqliteRecords(data)
    expect(modeOf(data)).toBe('777')
    expect(modeOf(join(data, 'notes.txt'))).toBe('644')
    expect(modesIn(data)).toContain('onramp.sqlite 600')
    expect(records.openToOthers).toEqual([data])
    records.close()
    expect(closeToOthers(data)).toEqual([data])
    expect(modeOf(data)).toBe('777')
  })

  it('that are right already are not written to', () => {
    closeToOthers(folder)
    const changedAt = () => [folder, join(folder, 'onramp.sqlite')].map((path) => statSync(path).ctimeMs)
    const before = changedAt()
    expect(closeToOthers(folder)).toEqual([])
    expect(changedAt()).toEqual(before)
  })

  it('whose rights cannot be taken away are told of', () => {
    // Not even root changes the rights of a file there.
    const open = join(folder, 'onramp.lock-journal')
    symlinkSync('/proc/self/status', open)
    expect(closeToOthers(folder)).toEqual([open])
  })

  it('that cannot be made are told of as the system tells it', () => {
    expect(() => closeToOthers('/proc')).toThrow(/^ENOENT: .*'\/proc\/onramp.sqlite'$/)
  })

  it('that are no lock of ours are not another server’s', () => {
    writeFileSync(join(folder, 'onramp.lock'), 'this is not a database '.repeat(99))
    expect(() => holdFolder(folder)).toThrow(/^file is not a database$/)
    expect(readdirSync('/proc/self/fd').filter((fd) => opened(fd).startsWith(folder))).toEqual([])
  })
})
