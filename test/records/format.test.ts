// The format of a store, on Redis in memory: accepted formats, and a change of the number by another process.
// test/records/format.journey.test.ts has the server, the commands and the doctor on real stores.
import { expect, it } from 'vitest'
import { createFormatCheck } from '../../src/records/data-key.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable, StoreUnreadable, type Records } from '../../src/records/records.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

const SECRET = 'a secret of thirty-two characters'

async function storeWith(keys: Record<string, string> = {}): Promise<Records> {
  const records = createRedisRecords(memoryRedis().commands)
  for (const [key, value] of Object.entries(keys)) await records.put(key, value, 60)
  return records
}

const OTHER = 'but this version of onramp reads format 2: run the version that wrote it'
const EARLIER = 'onramp store adopt gives up what is stored about people'

/** `why`: undefined if the store is opened. */
const openStore = async (keys: Record<string, string>) => {
  const records = await storeWith(keys)
  const error = await createFormatCheck(records)().catch((reason: unknown) => reason)
  // It changes nothing.
  expect(await records.get('format')).toBe(keys['format'])
  return error
}

it.each<[string, Record<string, string>]>([
  ['nothing', {}],
  ['this format', { format: '2', 'person:ada': 'x' }],
  ['a key alone', { installation: 'x' }],
  ['sign-ins alone', { 'session:one': 'x', 'lease:a': 'x' }],
])('a store with %s is opened', async (_title, keys) => {
  expect(await openStore(keys)).toBeUndefined()
})

it.each<[string, Record<string, string>, string]>([
  ['a later format', { format: '3' }, `format 3, ${OTHER}`],
  ['an earlier format', { format: '1', installation: 'x' }, `format 1, ${OTHER}`],
  ['an invalid format', { format: 'one' }, `format unknown, ${OTHER}`],
  ['people of an earlier onramp', { installation: 'x', 'person:ada': 'x' }, EARLIER],
  ['people without their key', { 'person:ada': 'x' }, EARLIER],
  ['progress of an earlier onramp', { 'walk:ada': 'x' }, EARLIER],
  ['emails of an earlier onramp', { 'arrivals:17': 'x' }, EARLIER],
])('a store with %s is refused with advice', async (_title, keys, why) => {
  const error = await openStore(keys)
  expect(error).toBeInstanceOf(StoreUnreadable)
  expect((error as StoreUnreadable).message).toContain(why)
})

it('a store gets its format number with its key, also after it was emptied', async () => {
  const records = await storeWith()
  let time = 0
  const keyRing = createKeyRing(records, [SECRET], () => time)
  await keyRing.dataKey()
  expect(await records.get('format')).toBe('2')
  for (const key of ['installation', 'format']) await records.remove(key)
  time += 61_000
  await keyRing.dataKey()
  expect(await records.get('format')).toBe('2')
  await records.put('format', '3', 60)
  time += 61_000
  await keyRing.dataKey()
  expect(await records.get('format')).toBe('3')
})

it('a full store without a number is used nevertheless', async () => {
  const records = await storeWith()
  await createKeyRing(records, [SECRET]).dataKey()
  await records.remove('format')
  const compareAndSet = () => Promise.reject(new StoreUnavailable(new Error('OOM command not allowed')))
  const dataKey = createKeyRing({ ...records, compareAndSet }, [SECRET]).dataKey()
  await expect(dataKey).resolves.toBeDefined()
})

it('a process with another secret writes no format number', async () => {
  const records = await storeWith()
  await createKeyRing(records, [SECRET]).dataKey()
  await records.remove('format')
  await createKeyRing(records, [`another ${SECRET}`])
    .dataKey()
    .catch(() => {})
  expect(await records.get('format')).toBe(undefined)
})

it('a running process notices a changed format within a minute and refuses operations', async () => {
  const stored = await storeWith({ format: '2' })
  let [time, reads] = [0, 0]
  const get = (key: string) => {
    reads += 1
    return stored.get(key)
  }
  const check = createFormatCheck({ ...stored, get }, false, () => time)
  await Promise.all([check(), check()])
  time = 60_000
  await check()
  expect(reads).toBe(1)

  await stored.put('format', '3', 60)
  time = 60_001
  await expect(check()).rejects.toThrow(StoreUnreadable)
  await expect(check()).rejects.toThrow(StoreUnreadable)
  expect(reads).toBe(2)

  await stored.put('format', '2', 60)
  await expect(check()).rejects.toThrow(StoreUnreadable)
  time += 60_001
  await check()
})

it('a running process continues after the store was emptied, and after an outage', async () => {
  const stored = await storeWith({ format: '2' })
  let [time, isAway] = [0, true]
  const get = (key: string) =>
    isAway ? Promise.reject(new StoreUnavailable(new Error('away'))) : stored.get(key)
  const check = createFormatCheck({ ...stored, get }, false, () => time)
  await expect(check()).rejects.toThrow(StoreUnavailable)

  isAway = false
  await check()
  await stored.remove('format')
  await stored.put('person:ada', 'x', 60)
  time += 60_001
  await check()
  isAway = true
  time += 60_001
  await expect(check()).rejects.toThrow(StoreUnavailable)
  isAway = false
  await check()
})
