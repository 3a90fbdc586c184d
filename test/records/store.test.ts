// The store of the settings, and the metrics and traces of its operations.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { unsafeFileSystem } from '../../src/records/sqlite-folder.ts'
import { topologyOf } from '../../src/records/redis-clients.ts'
import { openStore, describeStore } from '../../src/records/store.ts'
import { useFolder } from '../helpers/folder.ts'

type StoreSettings = Parameters<typeof openStore>[0]

type Store = ReturnType<typeof openStore>

const folder = useFolder()
const operations: string[] = []
const opened: Store[] = []
afterEach(async () => {
  operations.length = 0
  await Promise.all(opened.splice(0).map((store) => store.close()))
})

const onOperation = ({ operation, isDone }: { operation: string; isDone: boolean }) =>
  void operations.push(`${operation} ${isDone}`)
const log = { warn: () => {}, info: () => {} }
function open(settings: Partial<StoreSettings> = {}): Store {
  const all = { DATA_DIR: join(folder, 'data'), REDIS_PREFIX: 'acme:', ...settings } as StoreSettings
  const store = openStore(all, log, { isServer: true, onOperation })
  opened.push(store)
  return store
}

it('the description of a store has its name and address, without a password', () => {
  expect(describeStore({ DATA_DIR: 'data' })).toEqual({ name: 'SQLite', place: `in ${resolve('data')}` })
  const REDIS_URL = 'rediss://user:pass@redis.example:6380/2'
  expect(describeStore({ REDIS_URL })).toEqual({ name: 'Redis', place: 'at redis.example:6380' })
})

it('the settings give one server, a cluster, or Sentinels with the primary’s name', () => {
  const sentinels = [{ host: 'one.example', port: 26_379 }]
  expect(topologyOf({ REDIS_CLUSTER: 'no' })).toEqual({ kind: 'standalone' })
  expect(topologyOf({ REDIS_CLUSTER: 'yes' })).toEqual({ kind: 'cluster' })
  expect(topologyOf({ REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: 'acme' })).toEqual({
    kind: 'sentinel',
    sentinels,
    name: 'acme',
  })
})

it('the embedded store reports its operations, and fails after it was closed', async () => {
  const store = open()
  const { records } = store
  expect(store.isReachable()).toBe(true)
  await records.put('key', 'value', 60)
  expect(await records.get('key')).toBe('value')
  expect(await records.compareAndSet('key', 'value', 'other', 60)).toBe(true)
  await records.compareAndRemove('key', 'other')
  await records.remove('key')
  opened.pop()
  await store.close()
  await expect(records.get('key')).rejects.toBeInstanceOf(StoreUnavailable)
  const done = ['put true', 'get true', 'compareAndSet true', 'compareAndRemove true', 'remove true']
  expect(operations).toEqual([...done, 'get false'])
})

it.each(['no', 'yes'] as const)(
  'a store in Redis fails at once if nothing listens (cluster: %s)',
  async (REDIS_CLUSTER) => {
    const store = open({ REDIS_URL: 'redis://127.0.0.1:9', REDIS_CLUSTER, DATA_DIR: join(folder, 'nothing') })
    const { records } = store
    expect(store.isReachable()).toBe(false)
    const calls = [records.get('a'), records.put('a', 'b', 1), records.compareAndRemove('a', 'b')]
    for (const one of calls)
      await expect(one).rejects.toMatchObject({ detail: expect.stringContaining('(ECONNREFUSED)') as string })
    await expect(records.keys('a').next()).rejects.toBeInstanceOf(StoreUnavailable)
    expect(operations).toEqual(['get false', 'put false', 'compareAndRemove false'])
    expect(existsSync(join(folder, 'nothing'))).toBe(false)
  },
)

it.each<[string, type: number, name: string]>([
  ['tmpfs', 0x01_02_19_94, 'memory'],
  ['ramfs', 0x85_84_58_f6, 'memory'],
  ['NFS', 0x69_69, 'NFS'],
  ['SMB', 0x51_7b, 'SMB'],
  ['SMB 2', 0xfe_53_4d_42, 'SMB'],
  ['CIFS', 0xff_53_4d_42, 'CIFS'],
  ['CIFS on a 32-bit system', 0xff_53_4d_42 | 0, 'CIFS'],
  ['9p', 0x01_02_19_97, '9p'],
  ['FUSE', 0x65_73_55_46, 'FUSE'],
  ['Ceph', 0x00_c3_64_00, 'Ceph'],
])('the file system %s is unsafe for SQLite', (_title, type, name) => {
  expect(unsafeFileSystem(type)).toBe(name)
})

it.each([
  ['ext4', 0xef_53],
  ['XFS', 0x58_46_53_42],
  ['Btrfs', 0x91_23_68_3e],
  ['overlayfs', 0x79_4c_76_30],
])('the file system %s is safe for SQLite', (_title, type) => {
  expect(unsafeFileSystem(type)).toBeUndefined()
})
