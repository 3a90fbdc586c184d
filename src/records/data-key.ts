// Envelope encryption: one data key per store and prefix names and seals every record that outlives a session. It is kept
// sealed under the key-encryption key of SESSION_SECRET, so rotating the secret reseals this one record. Also the store's
// format number, written with the key.
import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable, StoreUnreadable, type Records } from './records.ts'
import { createSealer, type Sealer } from './seal.ts'

/** A store with another one, or with older records, is refused. Raise it with every change that an earlier onramp would misread or lose (docs/operations.md). */
const FORMAT = '2'
const FORMAT_KEY = 'format'
const LIFE_SECONDS = 100 * 365 * 24 * 3600
/** All processes have to notice that the store was emptied, adopted or given another number. */
const FRESH_MS = 60_000
/** Keys of records about people, with the names of snapshots before 0.1.0. */
const ABOUT_PEOPLE = /^(arrivals|person|walk):/

const KEY = 'installation'
const RETRY_MS = 1_000

export type DataKey = {
  sealer: Sealer
  /** A keyed hash (HMAC) for a record's key, so that keys reveal no one. @param purpose separates kinds of records */
  keyFor: (purpose: string, text: string) => string
}

/** Reads the store once a minute at most. `dataKey` throws {StoreUnavailable} {StoreUnreadable}. */
export type KeyRing = { dataKey(): Promise<DataKey> }

const OTHER_SECRET =
  "the store's key is sealed under another SESSION_SECRET: add the former secret as the second one of SESSION_SECRET, or use another REDIS_PREFIX or DATA_DIR. Without that secret, what is stored about people can't be read: onramp store adopt gives the store a new key"

type KeyRecords = Pick<Records, 'get' | 'compareAndSet'>

/** @param secrets SESSION_SECRET: the first one seals, every one opens @param now milliseconds since 1970 */
export function createKeyRing(records: KeyRecords, secrets: readonly string[], now: () => number = Date.now) {
  const sealer = createSealer(secrets)
  let cached: { key: string; dataKey: DataKey } | undefined
  let reading: Promise<DataKey> | undefined
  let readAt = 0

  async function read(): Promise<DataKey> {
    try {
      const key = await readOrCreateKey(records, sealer, cached?.key)
      // A store that takes no writes is used all the same.
      await writeFormat(records).catch(() => {})
      if (key !== cached?.key) cached = { key, dataKey: dataKeyFrom(key) }
      return cached.dataKey
    } catch (error) {
      // An outage, or another process still seals it under a secret that this one has dropped.
      if (cached !== undefined) return cached.dataKey
      reading = undefined
      throw error
    }
  }

  return {
    dataKey() {
      if (reading === undefined || now() - readAt > FRESH_MS) {
        readAt = now()
        reading = read()
      }
      return reading
    },
  }
}

/** @param known this process's key: a store that was emptied gets it back */
async function readOrCreateKey(records: KeyRecords, sealer: Sealer, known = newKey()): Promise<string> {
  const sealed = await records.get(KEY)
  if (sealed === undefined) {
    const isFirst = await records.compareAndSet(KEY, undefined, sealer.seal(known, KEY), LIFE_SECONDS)
    return isFirst ? known : readOrCreateKey(records, sealer, known)
  }
  const key = sealer.open(sealed, KEY)
  if (key === undefined) throw new StoreUnreadable(OTHER_SECRET)
  if (!sealer.isCurrent(sealed)) await records.compareAndSet(KEY, sealed, sealer.seal(key, KEY), LIFE_SECONDS)
  return key
}

/** Writes nothing. @returns 'none' before a server's first start @throws {StoreUnavailable} */
export async function readDataKey(records: Pick<Records, 'get'>, secrets: readonly string[]) {
  const sealed = await records.get(KEY)
  if (sealed === undefined) return 'none'
  const key = createSealer(secrets).open(sealed, KEY)
  return key === undefined ? 'other secret' : dataKeyFrom(key)
}

export async function waitForDataKey(keyRing: KeyRing, ending: AbortSignal): Promise<void> {
  while (!ending.aborted)
    try {
      await keyRing.dataKey()
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await pause(RETRY_MS, undefined, { ref: false })
    }
}

/** Makes a new data key: records under the former one become unreadable. @throws {StoreUnavailable} */
export async function adoptStore(
  records: Pick<Records, 'put' | 'compareAndSet'>,
  secrets: readonly string[],
): Promise<void> {
  await records.put(KEY, createSealer(secrets).seal(newKey(), KEY), LIFE_SECONDS)
  await writeFormat(records)
}

const newKey = () => randomBytes(32).toString('base64url')

function dataKeyFrom(key: string): DataKey {
  const hmacKey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'onramp names 1', 32)))
  return {
    sealer: createSealer([key]),
    keyFor: (purpose, text) =>
      createHmac('sha256', hmacKey).update(`${purpose}\0${text}`).digest('base64url'),
  }
}

/** @param acceptsNone a missing number is fine @returns what to do about another format; undefined: nothing */
export async function formatFault(records: Pick<Records, 'get' | 'keys'>, acceptsNone = false) {
  const number = await records.get(FORMAT_KEY)
  if (number === FORMAT || (number === undefined && acceptsNone)) return undefined
  if (number !== undefined)
    return `the store has format ${Number(number) || 'unknown'}, and this onramp reads format ${FORMAT}: run the version that wrote it, or use another REDIS_PREFIX or DATA_DIR`
  for await (const keys of records.keys(''))
    if (keys.some((key) => ABOUT_PEOPLE.test(key)))
      return 'the store holds records about people that another version of onramp wrote: run that version, restore a backup, or use another REDIS_PREFIX or DATA_DIR; onramp store adopt gives up what is stored about people'
  return undefined
}

/** Numbers a new store. Only for a process with its data key. */
const writeFormat = (records: Pick<Records, 'compareAndSet'>) =>
  records.compareAndSet(FORMAT_KEY, undefined, FORMAT, LIFE_SECONDS)

/** @returns a check for each operation, which reads once a minute at most @throws {StoreUnreadable} {StoreUnavailable} */
export function createFormatCheck(
  records: Pick<Records, 'get' | 'keys'>,
  isAdopting = false,
  now: () => number = Date.now,
): () => Promise<void> {
  let checked: Promise<void> | undefined
  let readAt = 0
  // A store that is emptied later gets its number back.
  let acceptsNone = isAdopting

  async function read(): Promise<void> {
    const why = await formatFault(records, acceptsNone)
    if (why !== undefined) throw new StoreUnreadable(why)
    acceptsNone = true
  }

  return () => {
    if (checked !== undefined && now() - readAt <= FRESH_MS) return checked
    readAt = now()
    checked = read()
    checked.catch((error: unknown) => {
      if (error instanceof StoreUnavailable) checked = undefined
    })
    return checked
  }
}
