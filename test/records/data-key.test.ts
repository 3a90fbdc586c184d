// The data key: one for each store, whichever process creates it, and independent of the secret that seals it.
import { expect, it, vi } from 'vitest'
import { adoptStore, createKeyRing, waitForDataKey } from '../../src/records/data-key.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

const [OLD, NEW, OTHER] = ['old', 'new', 'other'].map((word) => word.repeat(12)) as [string, string, string]

const store = () => createRedisRecords(memoryRedis().commands)
const dataKeyWith = (records: ReturnType<typeof store>, ...secrets: string[]) =>
  createKeyRing(records, secrets).dataKey()

it('a store gets one data key, however many processes start on it at once', async () => {
  const records = store()
  const dataKeys = await Promise.all(Array.from({ length: 8 }, () => dataKeyWith(records, OLD)))
  const sealed = dataKeys[0]?.sealer.seal('opted out', 'person:ada') ?? ''
  expect(dataKeys.map((dataKey) => dataKey.sealer.open(sealed, 'person:ada'))).toEqual(
    Array.from({ length: 8 }, () => 'opted out'),
  )
  expect(new Set(dataKeys.map((dataKey) => dataKey.keyFor('person', 'ada@acme.example'))).size).toBe(1)
})

it('the data key stays while SESSION_SECRET is rotated, and the old secret then opens nothing', async () => {
  const records = store()
  const before = await dataKeyWith(records, OLD)
  const sealed = before.sealer.seal('opted out', 'person:ada')
  for (const secrets of [[OLD, NEW], [NEW, OLD], [NEW]]) {
    const dataKey = await dataKeyWith(records, ...secrets)
    expect(dataKey.sealer.open(sealed, 'person:ada')).toBe('opted out')
    expect(dataKey.keyFor('person', 'ada')).toBe(before.keyFor('person', 'ada'))
  }
  await expect(dataKeyWith(records, OLD)).rejects.toThrow('sealed with another SESSION_SECRET')
})

it('a store of another secret is rejected and left unchanged, until it is adopted', async () => {
  const records = store()
  const mine = await dataKeyWith(records, OLD)
  const kept = await records.get('installation')
  const other = createKeyRing(records, [OTHER])
  await expect(other.dataKey()).rejects.toThrow('add the former secret to SESSION_SECRET as the second one')
  expect(await records.get('installation')).toBe(kept)
  await adoptStore(records, [OTHER])
  const adopted = await other.dataKey()
  expect(adopted.sealer.open(mine.sealer.seal('a', 'key'), 'key')).toBeUndefined()
  await expect(dataKeyWith(records, OLD)).rejects.toThrow('sealed with another SESSION_SECRET')
})

it('a leaked key opens no record of a store that began empty', async () => {
  const records = store()
  const leaked = (await dataKeyWith(records, OLD)).sealer
  await records.put('person:ada', leaked.seal('opted out', 'person:ada'), 60)
  await adoptStore(records, [NEW])
  expect(leaked.open((await records.get('person:ada')) ?? '', 'person:ada')).toBe('opted out')

  for await (const keys of records.keys('')) for (const key of keys) await records.remove(key)
  const { sealer } = await dataKeyWith(records, OTHER)
  expect(leaked.open(sealer.seal('opted out', 'person:ada'), 'person:ada')).toBeUndefined()
})

it('the data key is read once, and again only after an outage', async () => {
  const records = store()
  let reads = 0
  const get = async (key: string) => {
    if (reads++ < 2) throw new StoreUnavailable(new Error('away'))
    return records.get(key)
  }
  const keyRing = createKeyRing({ ...records, get }, [OLD])
  await expect(keyRing.dataKey()).rejects.toBeInstanceOf(StoreUnavailable)
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  const returned = waitForDataKey(keyRing, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(1_000)
  await returned
  vi.useRealTimers()
  await Promise.all([keyRing.dataKey(), keyRing.dataKey()])
  await waitForDataKey(keyRing, AbortSignal.abort())
  expect(reads).toBe(3)
  const opened = waitForDataKey(createKeyRing(records, [OTHER]), new AbortController().signal)
  await expect(opened).rejects.toThrow('sealed with another SESSION_SECRET')
})

it('an emptied store gets its data key back', async () => {
  const redis = memoryRedis()
  const records = createRedisRecords(redis.commands)
  let time = 0
  const running = createKeyRing(records, [NEW], () => time)
  const name = (await running.dataKey()).keyFor('person', 'ada')
  await records.remove('installation')
  time += 61_000
  await running.dataKey()
  expect((await dataKeyWith(records, NEW)).keyFor('person', 'ada')).toBe(name)
  await dataKeyWith(records, OLD, NEW)
  time += 61_000
  expect((await running.dataKey()).keyFor('person', 'ada')).toBe(name)
})

it('the data key of an earlier version is opened, and gives the same keys', async () => {
  const records = store()
  const sealed =
    'Fp55LfxcMc639VRMsYLcjwwKSkoIGg93m8lVl2p_1jt1yIzCYprnkTsM5dxziw6E_CqZLfC5i6mwl86nswXC64D4NQBMF6aMOw4A'
  await records.put('installation', sealed, 60)
  const name = (await dataKeyWith(records, OLD)).keyFor('person', 'ada')
  expect(name).toBe('UEBpXUoMj1WaIj2FEwLFBZG2U_fj66FOQM0HZNmfUCk')
})

it('a key differs for each purpose, and reveals nothing in the store', async () => {
  const redis = memoryRedis()
  const dataKey = await dataKeyWith(createRedisRecords(redis.commands), OLD)
  expect(dataKey.keyFor('person', 'ada@')).not.toBe(dataKey.keyFor('walk', 'ada@'))
  expect([...redis.dump().values()].join()).not.toContain('ada@')
})
