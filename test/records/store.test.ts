// Which store the settings name, and that its operations are counted and traced.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { openStore, storeOf, topologyOf, type OnOperation } from '../../src/records/store.ts'

type StoreSettings = Parameters<typeof openStore>[0]

type Store = ReturnType<typeof openStore>

let folder: string
let told: string[]
const opened: Store[] = []
beforeEach(() => {
  told = []
  folder = mkdtempSync(join(tmpdir(), 'onramp-store-'))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
  rmSync(folder, { recursive: true })
})

const onOperation: OnOperation = ({ operation, isDone }) => void told.push(`${operation} ${isDone}`)
const log = { warn: () => {}, info: () => {} }
function open(settings: Partial<StoreSettings> = {}): Store {
  const all = { DATA_DIR: join(folder, 'data'), REDIS_PREFIX: 'acme:', ...settings } as StoreSettings
  const store = openStore(all, log, { isServer: true, onOperation })
  opened.push(store)
  return store
}

describe('the settings', () => {
  it('name a store and where it is, without a password', () => {
    expect(storeOf({ DATA_DIR: 'data' })).toEqual({ name: 'SQLite', place: `in ${resolve('data')}` })
    const REDIS_URL = 'rediss://user:pass@redis.example:6380/2'
    expect(storeOf({ REDIS_URL })).toEqual({ name: 'Redis', place: 'at redis.example:6380' })
  })

  it('name one server, a cluster, or Sentinels with the name they watch', () => {
    const sentinels = [{ host: 'one.example', port: 26_379 }]
    expect(topologyOf({ REDIS_CLUSTER: 'no' })).toEqual({ kind: 'standalone' })
    expect(topologyOf({ REDIS_CLUSTER: 'yes' })).toEqual({ kind: 'cluster' })
    expect(topologyOf({ REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: 'acme' })).toEqual({
      kind: 'sentinel',
      sentinels,
      name: 'acme',
    })
  })
})

describe('a store', () => {
  it('that is embedded counts what it does, and fails when it is closed', async () => {
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
    expect(told).toEqual([...done, 'get false'])
  })

  it.each(['no', 'yes'] as const)(
    'that is in Redis fails at once where nothing listens (cluster: %s)',
    async (REDIS_CLUSTER) => {
      const store = open({ REDIS_URL: 'redis://127.0.0.1:9', REDIS_CLUSTER })
      const { records } = store
      expect(store.isReachable()).toBe(false)
      const asked = [records.get('a'), records.put('a', 'b', 1), records.compareAndRemove('a', 'b')]
      for (const one of asked)
        await expect(one).rejects.toMatchObject({
          detail: expect.stringContaining('(ECONNREFUSED)') as string,
        })
      await expect(records.keys('a').next()).rejects.toBeInstanceOf(StoreUnavailable)
      expect(told).toEqual(['get false', 'put false', 'compareAndRemove false'])
      expect(readdirSync(folder)).toEqual([])
    },
  )
})
