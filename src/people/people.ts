// Where people are kept: 8,192 sealed records, each with the people whose address falls into it, because the store
// knows records by key alone and a report has to find everyone. Every change is compare-and-set. What cannot be read is
// counted and left as it is, and the people it may be about get no emails.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createChanges } from '../records/change.ts'
import { withoutSpans } from '../trace/spans.ts'
import type { Records } from '../records/records.ts'
import { createRemembered } from '../session/remembered.ts'
import { normalizedAddress } from './address.ts'
import { newPerson, type Person, type Source } from './person.ts'
import { bucketOf, BUCKETS, bucketText, keyOf, readBucket, type Bucket, type Seal } from './record.ts'
import { withHidden, withoutHidden } from './sources.ts'
import { noneUnread, type Unread } from './unread.ts'

/** They are opened in one go, so requests wait for as many at most. */
const AT_ONCE = 64
/** That someone wants no emails is remembered for longer than the rest: they asked for it. */
export const OPT_OUT_DAYS = 730
/** A few kilobytes each. */
const MAX_RECENT = 500
const DAY_MS = 86_400_000
const DAY_SECONDS = 86_400

/**
 * Is everything known that was ever written down about a person? `unreadable`: there is something that cannot be read.
 * `removed`: something was removed without being read. Either may have said that they want no emails.
 */
export type Certainty = 'certain' | 'unreadable' | 'removed'

export type Looked = { arrival: Person | undefined; certainty: Certainty }

type Forgotten = {
  wasKnown: boolean
  /** What was removed with it unread, because it may have been about them. It may have been about others too. */
  unread: Unread
}

export type People = {
  get(email: string): Promise<Person | undefined>
  /** The same, and whether it is all. @throws {StoreUnavailable} */
  look(email: string): Promise<Looked>
  /**
   * Changes what is known of a person. `change` may run more than once, so it only computes; if it returns the same
   * object, nothing is written.
   * @param change `isKnown` false: nothing was written down about this person, or it was forgotten
   * @throws {StoreUnavailable}
   */
  change(email: string, change: (arrival: Person, isKnown: boolean) => Person): Promise<Person>
  /** Removes everything that is, or may be, known of a person. @throws {StoreUnavailable} */
  forget(email: string): Promise<Forgotten>
  /**
   * Seals under the first secret what is under an earlier one, which may then be dropped.
   * @returns whether anything was ever written down
   * @throws {StoreUnavailable}
   */
  reseal(): Promise<boolean>
  /** Everyone, in no order. Holds a few records at a time. @param unread counts what could not be read */
  all(unread?: Unread): AsyncGenerator<Person>
}

function* batches() {
  for (let first = 0; first < BUCKETS; first += AT_ONCE)
    yield Array.from({ length: AT_ONCE }, (_, index) => first + index)
}

const inBatch = <T>(numbers: readonly number[], work: (number: number) => Promise<T>): Promise<T[]> =>
  withoutSpans(() => Promise.all(numbers.map(work)))

export type PeopleParts = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  /** Under INVITE_SECRET, or SESSION_SECRET: a dump of the store shows no address. */
  sealer: Seal
  /** Milliseconds since 1970. */
  now: () => number
  /** INVITE_RETENTION_DAYS: how long a person is remembered after the last change. */
  retentionDays: number
  /** Without the apps that the company hides; absent: none is hidden. The same list where nothing changes. */
  arrange?: (sources: Source[]) => Source[]
}

export function createPeople({
  records,
  sealer,
  now,
  retentionDays,
  arrange = (sources) => sources,
}: PeopleParts): People {
  const changeRecord = createChanges(records)

  const isOver = (at: number) => now() - at >= OPT_OUT_DAYS * DAY_MS

  /** What may still be known of a person. */
  function remembered(arrival: Person): Person[] {
    const { email, changedAt, optedOutAt } = arrival
    if (now() - changedAt < retentionDays * DAY_MS) return [arrival]
    if (optedOutAt === undefined || isOver(optedOutAt)) return []
    return [{ email, changedAt, optedOutAt, sources: [], campaigns: [] }]
  }

  /** A mark of what was removed counts for as long as an opt-out would have. */
  function bucketIn(text: string | undefined, number: number, read = readBucket): Bucket {
    const { people, removedAt, ...rest } = read(text, number, sealer)
    const mark = removedAt === undefined || isOver(removedAt) ? undefined : removedAt
    return { ...rest, people: people.flatMap(remembered), removedAt: mark }
  }

  const load = async (number: number) => bucketIn(await records.get(keyOf(number)), number)

  const lifeOf = ({ people, unread, removedAt }: Bucket) =>
    DAY_SECONDS *
    (unread.length > 0 || removedAt !== undefined || people.some(({ optedOutAt }) => optedOutAt !== undefined)
      ? Math.max(OPT_OUT_DAYS, retentionDays)
      : retentionDays)

  /** People sign in and go on within seconds, so what was written a moment ago is not opened again. */
  const recent = createRemembered<Bucket>(MAX_RECENT)
  const readRecent: typeof readBucket = (text, number) =>
    text === undefined
      ? readBucket(text, number, sealer)
      : recent.of(String(number), text, () => readBucket(text, number, sealer))

  function written(bucket: Bucket, number: number): string {
    const text = bucketText(bucket, number, sealer)
    if (bucket.people.length > 0) recent.of(String(number), text, () => ({ ...bucket, isCurrent: true }))
    return text
  }

  /** @param change returns the record to keep; undefined: as it is. May run more than once. @throws {StoreUnavailable} */
  const update = (number: number, change: (bucket: Bucket) => Bucket | undefined): Promise<void> =>
    changeRecord({
      key: keyOf(number),
      next(text) {
        const bucket = change(bucketIn(text, number, readRecent))
        return bucket && { text: written(bucket, number), seconds: lifeOf(bucket) }
      },
    })

  async function look(address: string): Promise<Looked> {
    const email = normalizedAddress(address)
    const { people, unread, removedAt } = await load(bucketOf(email))
    const certainty = unread.length > 0 ? 'unreadable' : removedAt === undefined ? 'certain' : 'removed'
    const found = people.find((arrival) => arrival.email === email)
    return { arrival: found && withoutHidden(found, arrange), certainty }
  }

  return {
    look,
    get: async (email) => (await look(email)).arrival,
    async change(address, change) {
      const email = normalizedAddress(address)
      let changed = newPerson(email, now())
      await update(bucketOf(email), (bucket) => {
        const known = bucket.people.find((arrival) => arrival.email === email)
        const before = withoutHidden(known ?? newPerson(email, now()), arrange)
        const after = change(before, known !== undefined)
        changed = after === before ? before : { ...after, changedAt: now() }
        if (after === before) return undefined
        const others = bucket.people.filter((other) => other.email !== email)
        return { ...bucket, people: [...others, known ? withHidden(changed, known, before) : changed] }
      })
      return changed
    },
    async forget(address) {
      const email = normalizedAddress(address)
      let forgotten: Forgotten = { wasKnown: false, unread: noneUnread() }
      await update(bucketOf(email), (bucket) => {
        const people = bucket.people.filter((arrival) => arrival.email !== email)
        const wasKnown = people.length < bucket.people.length
        forgotten = { wasKnown, unread: counted(noneUnread(), bucket) }
        if (bucket.unread.length > 0) return { ...bucket, people, unread: [], removedAt: now() }
        return wasKnown ? { ...bucket, people } : undefined
      })
      return forgotten
    },
    async reseal() {
      let isKnown = false
      for (const numbers of batches())
        await inBatch(numbers, async (number) => {
          const sealed = await records.get(keyOf(number))
          isKnown ||= sealed !== undefined
          if (!readBucket(sealed, number, sealer).isCurrent)
            await update(number, (bucket) => (bucket.isCurrent ? undefined : bucket))
        })
      return isKnown
    },
    async *all(unread = noneUnread()) {
      for (const numbers of batches()) {
        // The embedded store answers at once: without this, no request would be answered until the end.
        await nextTurn()
        for (const bucket of await inBatch(numbers, load)) {
          counted(unread, bucket)
          yield* bucket.people.map((arrival) => withoutHidden(arrival, arrange))
        }
      }
    },
  }
}

/** Adds what could not be read of this bucket. */
function counted(unread: Unread, bucket: Bucket): Unread {
  for (const { why } of bucket.unread) unread[why]++
  return unread
}
