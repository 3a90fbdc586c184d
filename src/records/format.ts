// The store's format number: a store with another one, or with older records, is refused before the first operation.
import { StoreUnavailable, StoreUnreadable, type Records } from './records.ts'

/** Raise it with every change that an earlier onramp would misread or lose (docs/operations.md). */
const FORMAT = '2'
const KEY = 'format'
export const LIFE_SECONDS = 100 * 365 * 24 * 3600
/** All processes have to notice that the store was emptied, adopted or given another number. */
export const FRESH_MS = 60_000
/** Keys of records about people, with the names of snapshots before 0.1.0. */
const ABOUT_PEOPLE = /^(arrivals|person|walk):/

/** @param acceptsNone a missing number is fine @returns what to do about another format; undefined: nothing */
export async function formatFault(
  records: Pick<Records, 'get' | 'keys'>,
  acceptsNone = false,
): Promise<string | undefined> {
  const number = await records.get(KEY)
  if (number === FORMAT || (number === undefined && acceptsNone)) return undefined
  if (number !== undefined)
    return `the store has format ${Number(number) || 'unknown'}, and this onramp reads format ${FORMAT}: run the version that wrote it, or use another REDIS_PREFIX or DATA_DIR`
  for await (const keys of records.keys(''))
    if (keys.some((key) => ABOUT_PEOPLE.test(key)))
      return 'the store holds records about people that another version of onramp wrote: run that version, restore a backup, or use another REDIS_PREFIX or DATA_DIR; onramp store adopt gives up what is stored about people'
  return undefined
}

/** Numbers a new store. Only for a process with its data key. */
export const writeFormat = (records: Pick<Records, 'compareAndSet'>) =>
  records.compareAndSet(KEY, undefined, FORMAT, LIFE_SECONDS)

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
