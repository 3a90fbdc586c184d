// Which store the settings name, and the embedded one as a server and a command open it.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { FolderUnusable, holdFolder } from '../../src/records/sqlite-folder.ts'
import {
  openStore,
  storeOf,
  topologyOf,
  type Store,
  type StoreOptions,
  type StoreSettings,
} from '../../src/records/store.ts'
import type { OnOperation } from '../../src/records/store.ts'

let folder: string
let lines: unknown[]
const opened: Store[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onramp-store-'))
  lines = []
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  rmSync(folder, { recursive: true })
})

const SETTINGS = {
  REDIS_URL: undefined,
  REDIS_PREFIX: 'acme:',
  REDIS_SENTINELS: undefined,
  REDIS_SENTINEL_NAME: 'mymaster',
  REDIS_CLUSTER: 'no' as const,
}
const log = {
  warn: (fields: object, message: string) => void lines.push([fields, message]),
  info: () => {},
}
function open(options?: StoreOptions, data = folder, redis: Partial<StoreSettings> = {}): Store {
  const store = openStore({ ...SETTINGS, DATA_DIR: data, ...redis }, log, options)
  opened.push(store)
  return store
}
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the settings', () => {
  it('name a store and where it is, without a password', () => {
    expect(storeOf({ DATA_DIR: 'data' })).toEqual({ name: 'SQLite', place: `in ${resolve('data')}` })
    expect(storeOf({})).toEqual({ name: 'SQLite', place: `in ${process.cwd()}` })
    const REDIS_URL = 'rediss://user:pass@redis.example:6380/2'
    expect(storeOf({ REDIS_URL, DATA_DIR: 'data' })).toEqual({
      name: 'Redis',
      place: 'at redis.example:6380',
    })
  })

  it('name one server, a cluster, or Sentinels with the name they watch', () => {
    const sentinels = [{ host: 'one.example', port: 26_379 }]
    expect(topologyOf({})).toEqual({ kind: 'standalone' })
    expect(topologyOf({ REDIS_CLUSTER: 'no' })).toEqual({ kind: 'standalone' })
    expect(topologyOf({ REDIS_CLUSTER: 'yes' })).toEqual({ kind: 'cluster' })
    expect(topologyOf({ REDIS_SENTINELS: sentinels })).toEqual({
      kind: 'sentinel',
      sentinels,
      name: 'mymaster',
    })
    expect(topologyOf({ REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: 'acme' })).toMatchObject({
      name: 'acme',
    })
  })
})

describe('the embedded store', () => {
  it('keeps records in order, says what it does, and is reachable until it is closed', async () => {
    const told: unknown[] = []
    const onOperation: OnOperation = ({ operation, isDone }) => void told.push([operation, isDone])
    const store = open({ isServer: true, onOperation })
    expect([store.redis, store.keepsOrder, store.isReachable()]).toEqual([undefined, true, true])
    await store.records.put('key', 'mark.value', 60)
    expect(await store.records.takeMark('key', 'mark.', 60)).toMatchObject({ isTaken: true })
    expect(await store.records.get('key')).toBe('value')
    expect(await store.records.compareAndSet('key', 'value', 'other', 60)).toBe(true)
    await store.records.compareAndRemove('key', 'other')
    await store.records.remove('key')
    await opened.pop()?.close()
    await expect(store.records.get('key')).rejects.toBeInstanceOf(StoreUnavailable)
    expect(told).toEqual([
      ['put', true],
      ['takeMark', true],
      ['get', true],
      ['compareAndSet', true],
      ['compareAndRemove', true],
      ['remove', true],
      ['get', false],
    ])
    expect(lines).toEqual([])
  })

  it('is for one server, which commands read and write beside', async () => {
    const server = open({ isServer: true })
    const command = open()
    await command.records.put('key', 'value', 60)
    expect(await server.records.get('key')).toBe('value')
    const second = () => openStore({ ...SETTINGS, DATA_DIR: folder }, log, { isServer: true })
    const began = performance.now()
    expect(second).toThrow(
      expect.objectContaining({
        name: 'FolderInUse',
        message: `another onramp server uses DATA_DIR (${folder}), which is for one process: stop the other one, give this one a folder of its own, or set REDIS_URL`,
        cause: expect.any(Error) as Error,
      }),
    )
    // A process that was told to end finishes its requests first.
    expect(performance.now() - began).toBeGreaterThan(9_900)
    await opened.shift()?.close()
    open({ isServer: true })
  })

  it('is for its owner only, in a folder that is made for it', () => {
    const data = join(folder, 'a/b')
    open({ isServer: true }, data)
    expect(modeOf(data)).toBe('700')
    const files = readdirSync(data)
    expect(files).toEqual(expect.arrayContaining(['onramp.lock', 'onramp.sqlite', 'onramp.sqlite-wal']))
    expect(files.filter((name) => modeOf(join(data, name)) !== '600')).toEqual([])
  })

  it('tells of a folder that others can write, and leaves that as it is', () => {
    writeFileSync(join(folder, 'notes.txt'), 'of someone else')
    chmodSync(folder, 0o722)
    open()
    expect(modeOf(folder)).toBe('722')
    expect(lines).toEqual([
      [
        { paths: [folder] },
        'other users of this machine can read or change what is in DATA_DIR: take their rights away with chmod go-rwx',
      ],
    ])
  })

  it.each([
    [
      'no database',
      (data: string) => writeFileSync(data, 'not a database '.repeat(99)),
      'file is not a database',
    ],
    ['a folder', (data: string) => mkdirSync(data), 'unable to open database file'],
  ])('that is %s cannot be opened, and is not held then', (_what, spoil, reason) => {
    spoil(join(folder, 'onramp.sqlite'))
    const fix =
      reason === 'file is not a database'
        ? 'restore a backup, or move onramp.sqlite away, which loses everything in it'
        : 'give the folder and what is in it to the user running onramp'
    for (const isServer of [true, false]) {
      const opening = () => openStore({ ...SETTINGS, DATA_DIR: folder }, log, { isServer })
      expect(opening).toThrow(FolderUnusable)
      expect(opening).toThrow(`the store in DATA_DIR (${folder}) can't be opened (${reason}): ${fix}`)
    }
    holdFolder(folder).close()
  })
})

describe('a store in Redis', () => {
  it.each(['no', 'yes'] as const)(
    'fails at once where nothing listens (cluster: %s)',
    async (REDIS_CLUSTER) => {
      const told: string[] = []
      const onOperation: OnOperation = ({ operation, isDone }) => void told.push(`${operation} ${isDone}`)
      const store = open({ onOperation }, folder, { REDIS_URL: 'redis://127.0.0.1:9', REDIS_CLUSTER })
      expect([store.redis?.prefix, store.keepsOrder, store.isReachable()]).toEqual([
        'acme:',
        REDIS_CLUSTER === 'no',
        false,
      ])
      const { records } = store
      for (const asked of [
        records.get('a'),
        records.put('a', 'b', 1),
        records.remove('a'),
        records.compareAndRemove('a', 'b'),
      ])
        await expect(asked).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(store.redis?.client.expire('a', 1)).rejects.toBeInstanceOf(StoreUnavailable)
      expect(told.sort()).toEqual(['del false', 'eval false', 'expire false', 'get false', 'set false'])
      expect(readdirSync(folder)).toEqual([])
    },
  )
})
