// Why the embedded store can't be opened, and what to do about it.
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FolderUnusable, whyUnusable, type Unusable } from '../../src/records/sqlite-folder.ts'

describe('a store that cannot be opened', () => {
  it.each<[object | undefined, Unusable['kind'], string]>([
    [{ errcode: 11, errstr: 'malformed' }, 'damaged', 'malformed'],
    [{ errcode: 26, errstr: 'file is not a database' }, 'damaged', 'file is not a database'],
    [{ errcode: 267, errstr: 'corrupt index' }, 'damaged', 'corrupt index'],
    [{ errcode: 5, errstr: 'locked' }, 'busy', 'locked'],
    [{ errcode: 261, errstr: 'busy recovery' }, 'busy', 'busy recovery'],
    [{ errcode: 6, errstr: 'table is locked' }, 'busy', 'table is locked'],
    [{ errcode: 3, errstr: 'permission denied' }, 'rights', 'permission denied'],
    [{ errcode: 8, errstr: 'read-only' }, 'rights', 'read-only'],
    [{ errcode: 14, errstr: 'unable to open', code: 'ERR_SQLITE_ERROR' }, 'rights', 'unable to open'],
    [{ code: 'EACCES' }, 'rights', 'EACCES'],
    [{ code: 'EPERM' }, 'rights', 'EPERM'],
    [{ code: 'EROFS' }, 'rights', 'EROFS'],
    [{ errcode: 10, errstr: 'disk I/O error' }, 'other', 'disk I/O error'],
    [{ code: 'ENOSPC' }, 'other', 'ENOSPC'],
    [{ code: 'NOT_EACCES' }, 'other', 'NOT_EACCES'],
    [{ code: 'EPERMS' }, 'other', 'EPERMS'],
    [undefined, 'other', 'unknown'],
  ])('for %o is %s', (error, kind, reason) => {
    expect(whyUnusable(error)).toEqual({ kind, reason })
  })

  it.each([
    [
      { errcode: 26, errstr: 'no' },
      'restore a backup, or move onramp.sqlite away, which loses everything in it',
    ],
    [{ code: 'EACCES' }, 'give the folder and what is in it to the user running onramp'],
    [{ errcode: 5, errstr: 'no' }, 'end the process that has it open'],
    [{ code: 'EIO' }, 'set it to a folder on a disk that the user running onramp can write'],
  ])('for %o has advice: %s', (error, advice) => {
    const { message, name, cause } = new FolderUnusable('data', error)
    expect(message).toMatch(/^the store in DATA_DIR \((.+)\) can't be opened \(\w+\): (.+)$/)
    expect(message).toContain(`(${resolve('data')})`)
    expect(message.endsWith(`: ${advice}`)).toBe(true)
    expect([name, cause]).toEqual(['FolderUnusable', error])
  })
})
