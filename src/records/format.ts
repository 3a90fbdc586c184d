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

/** This onramp can't read the records, and would forget who was emailed and who opted out. */
export class OtherFormat extends StoreUnreadable {
  override name = 'OtherFormat'
  readonly what: string
  readonly fix: string
  constructor(what: string, fix: string) {
    super(`the store ${what}: ${fix}`)
    this.what = what
    this.fix = fix
  }
}

const ELSEWHERE = 'use another REDIS_PREFIX or DATA_DIR'

/** True if there are records about people, but no key that opens them: the key is older than the number. */
export async function isOlder(records: Pick<Records, 'get' | 'keys'>): Promise<boolean> {
  if ((await records.get('installation')) !== undefined) return false
  for await (const keys of records.keys('')) if (keys.some((key) => ABOUT_PEOPLE.test(key))) return true
  return false
}

/** @returns undefined where this onramp can read the store, or where it is empty @throws {StoreUnavailable} */
export async function otherFormat(
  records: Pick<Records, 'get' | 'keys'>,
  acceptsNone = false,
): Promise<OtherFormat | undefined> {
  const number = await records.get(KEY)
  if (number === FORMAT || (number === undefined && (acceptsNone || !(await isOlder(records)))))
    return undefined
  return number === undefined
    ? new OtherFormat(
        'holds records about people that another version of onramp wrote, and no key for them',
        `run that version, restore a backup, or ${ELSEWHERE}; onramp store adopt gives up what is stored about people`,
      )
    : new OtherFormat(
        `has format ${Number(number) || 'unknown'}, and this onramp reads format ${FORMAT}`,
        `run the version of onramp that wrote it, or ${ELSEWHERE}`,
      )
}

/** Numbers a store that has no number yet. Only for a process that has opened the store's key. */
export const numberStore = (records: Pick<Records, 'compareAndSet'>) =>
  records.compareAndSet(KEY, undefined, FORMAT, LIFE_SECONDS)

/**
 * A check to await before each operation. It reads the number once, and again after a minute, in the background: if an
 * update of another process changed it, operations fail until it is back.
 * @param isAdopting accepts records that are older than the number
 * @param now milliseconds since 1970
 * @returns throws {OtherFormat} {StoreUnavailable}
 */
export function createFormatCheck(
  records: Pick<Records, 'get' | 'keys'>,
  isAdopting = false,
  now: () => number = Date.now,
): () => Promise<void> {
  let current: Promise<void> | undefined
  let readAt = 0
  let acceptsNone = isAdopting

  async function read(): Promise<void> {
    readAt = now()
    const other = await otherFormat(records, acceptsNone)
    if (other !== undefined) throw other
    // A store that is emptied later gets its key and its number back.
    acceptsNone = true
  }

  return () => {
    if (current === undefined) {
      current = read()
      current.catch((error: unknown) => {
        if (error instanceof StoreUnavailable) current = undefined
      })
    } else if (now() - readAt > FRESH_MS) {
      const next = read()
      const replace = () => void (current = next)
      next.then(replace, (error: unknown) => error instanceof StoreUnavailable || replace())
    }
    return current
  }
}
