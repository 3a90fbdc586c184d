// Envelope encryption: one data key per store and prefix names and seals every record that outlives a session. The
// secret of SESSION_SECRET seals only the data key, so rotating the secret rewrites a single record. The store's format
// number is written with the key.
import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable, StoreUnreadable, type Records } from './records.ts'
import { createSealer, type Sealer } from './seal.ts'

/** The store's format; any other is refused. Raise it if an earlier onramp would misread or lose a record. */
const FORMAT = '2'
const FORMAT_KEY = 'format'
const LIFE_SECONDS = 100 * 365 * 24 * 3600
/** How long a process trusts the key and format that it has read. */
const FRESH_MS = 60_000
/** Keys of records about people. `arrivals:` is what builds before 0.1.0 called `person:`. */
const ABOUT_PEOPLE = /^(arrivals|person|walk):/

const DATA_KEY_RECORD = 'installation'
const RETRY_MS = 1_000

export type DataKey = {
  sealer: Sealer
  /** A keyed hash (HMAC) as a record's key, which reveals no one. @param purpose separates kinds of records */
  keyFor: (purpose: string, text: string) => string
}

/** Reads the store at most once a minute. `dataKey` throws {StoreUnavailable} {StoreUnreadable}. */
export type KeyRing = { dataKey(): Promise<DataKey> }

const OTHER_SECRET =
  "the store's key is sealed with another SESSION_SECRET: add the former secret to SESSION_SECRET as the second one, or use another REDIS_PREFIX or DATA_DIR. Without that secret, what is stored about people can't be read: onramp store adopt gives the store a new key"

type KeyRecords = Pick<Records, 'get' | 'compareAndSet'>

/** @param secrets SESSION_SECRET: the first secret seals, all of them open @param now milliseconds since 1970 */
export function createKeyRing(records: KeyRecords, secrets: readonly string[], now: () => number = Date.now) {
  const sealer = createSealer(secrets)
  let cachedKey: { key: string; dataKey: DataKey } | undefined
  let currentRead: Promise<DataKey> | undefined
  let readAt = 0

  async function read(): Promise<DataKey> {
    try {
      const key = await readOrCreateKey(records, sealer, cachedKey?.key)
      // A read-only store can still be used.
      await writeFormat(records).catch(() => {})
      if (key !== cachedKey?.key) cachedKey = { key, dataKey: dataKeyFrom(key) }
      return cachedKey.dataKey
    } catch (error) {
      // The store is down, or another process sealed the key under a secret that this one has dropped.
      if (cachedKey !== undefined) return cachedKey.dataKey
      currentRead = undefined
      throw error
    }
  }

  return {
    dataKey() {
      if (currentRead === undefined || now() - readAt > FRESH_MS) {
        readAt = now()
        currentRead = read()
      }
      return currentRead
    },
  }
}

/** @param ownKey this process's key, which is written back if the store was emptied */
async function readOrCreateKey(records: KeyRecords, sealer: Sealer, ownKey = newKey()): Promise<string> {
  const sealedKey = await records.get(DATA_KEY_RECORD)
  if (sealedKey === undefined) {
    const isFirst = await records.compareAndSet(
      DATA_KEY_RECORD,
      undefined,
      sealer.seal(ownKey, DATA_KEY_RECORD),
      LIFE_SECONDS,
    )
    return isFirst ? ownKey : readOrCreateKey(records, sealer, ownKey)
  }
  const key = sealer.open(sealedKey, DATA_KEY_RECORD)
  if (key === undefined) throw new StoreUnreadable(OTHER_SECRET)
  if (!sealer.isCurrent(sealedKey))
    await records.compareAndSet(DATA_KEY_RECORD, sealedKey, sealer.seal(key, DATA_KEY_RECORD), LIFE_SECONDS)
  return key
}

/** Writes nothing. @returns 'none' before the first start of a server @throws {StoreUnavailable} */
export async function readDataKey(records: Pick<Records, 'get'>, secrets: readonly string[]) {
  const sealedKey = await records.get(DATA_KEY_RECORD)
  if (sealedKey === undefined) return 'none'
  const key = createSealer(secrets).open(sealedKey, DATA_KEY_RECORD)
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

/** Creates a new data key; records sealed under the former one become unreadable. @throws {StoreUnavailable} */
export async function adoptStore(
  records: Pick<Records, 'put' | 'compareAndSet'>,
  secrets: readonly string[],
): Promise<void> {
  await records.put(DATA_KEY_RECORD, createSealer(secrets).seal(newKey(), DATA_KEY_RECORD), LIFE_SECONDS)
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

/** @param acceptsNone true if the number may be missing @returns advice about another format, or undefined */
export async function formatFault(records: Pick<Records, 'get' | 'keys'>, acceptsNone = false) {
  const number = await records.get(FORMAT_KEY)
  if (number === FORMAT || (number === undefined && acceptsNone)) return undefined
  if (number !== undefined)
    return `the store has format ${Number(number) || 'unknown'}, but this version of onramp reads format ${FORMAT}: run the version that wrote it, or use another REDIS_PREFIX or DATA_DIR`
  for await (const keys of records.keys(''))
    if (keys.some((key) => ABOUT_PEOPLE.test(key)))
      return 'the store holds records about people that another version of onramp wrote: run that version, restore a backup, or use another REDIS_PREFIX or DATA_DIR; onramp store adopt gives up what is stored about people'
  return undefined
}

/** Call it only in a process that has the store's data key. */
const writeFormat = (records: Pick<Records, 'compareAndSet'>) =>
  records.compareAndSet(FORMAT_KEY, undefined, FORMAT, LIFE_SECONDS)

/** @returns a check for each operation, which reads once a minute @throws {StoreUnreadable} {StoreUnavailable} */
export function createFormatCheck(
  records: Pick<Records, 'get' | 'keys'>,
  isAdopting = false,
  now: () => number = Date.now,
): () => Promise<void> {
  let currentCheck: Promise<void> | undefined
  let readAt = 0
  // If the store is emptied later, its number is written again.
  let acceptsNone = isAdopting

  async function read(): Promise<void> {
    const why = await formatFault(records, acceptsNone)
    if (why !== undefined) throw new StoreUnreadable(why)
    acceptsNone = true
  }

  return () => {
    if (currentCheck !== undefined && now() - readAt <= FRESH_MS) return currentCheck
    readAt = now()
    currentCheck = read()
    currentCheck.catch((error: unknown) => {
      if (error instanceof StoreUnavailable) currentCheck = undefined
    })
    return currentCheck
  }
}
