// The store's format: a number that says which onramps can read the records. The store is refused before its first operation
// if the number is another one, or if it has none and the records are older than the number.
import { StoreUnavailable, StoreUnreadable, type Records } from './records.ts'

/** Raise it with every change that an earlier onramp would misread or lose: docs/operations.md has the policy. */
const FORMAT = '1'
const KEY = 'format'
const LIFE_SECONDS = 100 * 365 * 24 * 3600
const FRESH_MS = 60_000
/** Where an onramp before November 2026 kept emails and opt-outs, and where people and progress are kept since. */
const ABOUT_PEOPLE = /^(arrivals|person|walk):/

/** What to do about a store of another format; undefined: none is needed. @param acceptsNone a missing number is fine */
export async function formatFault(
  records: Pick<Records, 'get' | 'keys'>,
  acceptsNone = false,
): Promise<string | undefined> {
  const number = await records.get(KEY)
  if (number === FORMAT || (number === undefined && acceptsNone)) return undefined
  if (number !== undefined)
    return `the store has format ${Number(number) || 'unknown'}, and this onramp reads format ${FORMAT}: run the version that wrote it, or use another REDIS_PREFIX or DATA_DIR`
  // The key of people's records is as old as their present form.
  if ((await records.get('installation')) !== undefined) return undefined
  for await (const keys of records.keys(''))
    if (keys.some((key) => ABOUT_PEOPLE.test(key)))
      return 'the store holds records about people that another version of onramp wrote, and no key for them: run that version, restore a backup, or use another REDIS_PREFIX or DATA_DIR; onramp store adopt gives up what is stored about people'
  return undefined
}

/** Numbers a store that has no number yet. Only for a process that has opened the store's key. */
export const writeFormat = (records: Pick<Records, 'compareAndSet'>) =>
  records.compareAndSet(KEY, undefined, FORMAT, LIFE_SECONDS)

/**
 * A check for each operation, which throws {StoreUnreadable} {StoreUnavailable}. Reads the number at most once a minute.
 * @param isAdopting accepts records that are older than the number @param now milliseconds since 1970
 */
export function createFormatCheck(
  records: Pick<Records, 'get' | 'keys'>,
  isAdopting = false,
  now: () => number = Date.now,
): () => Promise<void> {
  let checked: Promise<void> | undefined
  let readAt = 0
  // A store that is emptied later gets its key and its number back.
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
    // An outage says nothing of the number.
    checked.catch((error: unknown) => {
      if (error instanceof StoreUnavailable) checked = undefined
    })
    return checked
  }
}
