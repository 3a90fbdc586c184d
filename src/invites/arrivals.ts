// Where arrivals are kept: 8,192 records that hold the people whose address falls into them, because the store knows
// records by key alone and a report has to find everybody. Every change is compare-and-set, and what
// stands in the store is sealed.
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable, type Records } from '../records/records.ts'
import type { Sealer } from '../session/seal.ts'
import { normalizedAddress } from './address.ts'
import { newArrival, type Arrival } from './arrival.ts'

const BUCKETS = 8192
const AT_ONCE = 128
const MOST_TRIES = 20
const HOLDER = 'arrivals'
/** That somebody wants no mails is remembered for longer than the rest: it is their word. */
export const OPT_OUT_DAYS = 730
const DAY_MS = 86_400_000
const DAY_SECONDS = 86_400

type Bucket = { version: 1; people: Arrival[] }

export type Arrivals = {
  get(email: string): Promise<Arrival | undefined>
  /**
   * Changes what is known of a person; `change` may run more than once, so it only computes. One that gives back the
   * same object changes nothing.
   * @throws {StoreUnavailable}
   */
  change(email: string, change: (arrival: Arrival) => Arrival): Promise<Arrival>
  /** Removes everything that is known of a person. @returns whether there was anything. @throws {StoreUnavailable} */
  forget(email: string): Promise<boolean>
  /**
   * Seals under the first secret whatever is under an earlier one, which then may be dropped.
   * @returns whether anything was ever written down
   * @throws {StoreUnavailable}
   */
  reseal(): Promise<boolean>
  /** Everybody, in no order. Holds a few records at a time. */
  all(): AsyncGenerator<Arrival>
}

const keyOf = (bucket: number) => `arrivals:${bucket}`

function* batches() {
  for (let first = 0; first < BUCKETS; first += AT_ONCE)
    yield Array.from({ length: AT_ONCE }, (_, index) => first + index)
}

const bucketOf = (email: string) => parseInt(hash('sha256', email, 'hex').slice(0, 8), 16) % BUCKETS

/** What was written cannot be opened: taking it for nothing would mail everybody a second time. */
export class UnreadableArrivals extends Error {
  override name = 'UnreadableArrivals'
  constructor() {
    super(
      'what was written down about people cannot be opened: put the earlier INVITE_SECRET (or SESSION_SECRET) back, behind the new one and a comma',
    )
  }
}

type Seal = Pick<Sealer, 'seal' | 'open' | 'isCurrent'>

/** @throws {UnreadableArrivals} */
function read(text: string | undefined, sealer: Seal): Arrival[] {
  if (text === undefined) return []
  const plain = sealer.open(text, HOLDER)
  const bucket = plain === undefined ? undefined : (JSON.parse(plain) as Partial<Bucket>)
  if (bucket?.version !== 1 || bucket.people === undefined) throw new UnreadableArrivals()
  return bucket.people
}

export type ArrivalsParts = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  /** Under INVITE_SECRET, or SESSION_SECRET: a dump of the store shows no address. */
  sealer: Seal
  /** Milliseconds since 1970. */
  now: () => number
  /** INVITE_RETENTION_DAYS: nobody of whom nothing was heard for so long is remembered. */
  retentionDays: number
}

export function createArrivals({ records, sealer, now, retentionDays }: ArrivalsParts): Arrivals {
  /** What may still be known of somebody. */
  function remembered(arrival: Arrival): Arrival[] {
    const { email, changedAt, optedOutAt } = arrival
    if (now() - changedAt < retentionDays * DAY_MS) return [arrival]
    const keepsWord = optedOutAt !== undefined && now() - optedOutAt < OPT_OUT_DAYS * DAY_MS
    return keepsWord ? [{ email, changedAt, optedOutAt, sources: [], campaigns: [] }] : []
  }

  const load = async (bucket: number) => read(await records.get(keyOf(bucket)), sealer).flatMap(remembered)

  const lifeOf = (people: readonly Arrival[]) =>
    DAY_SECONDS *
    (people.some(({ optedOutAt }) => optedOutAt !== undefined)
      ? Math.max(OPT_OUT_DAYS, retentionDays)
      : retentionDays)

  /**
   * Compare-and-set of whoever shares a record; `change` gives back what to keep of the people in it.
   * @throws {StoreUnavailable}
   */
  async function update(key: string, change: (people: Arrival[]) => Arrival[] | undefined): Promise<boolean> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const was = await records.get(key)
      const people = change(read(was, sealer))
      if (people === undefined) return false
      const bucket: Bucket = { version: 1, people: people.flatMap(remembered) }
      const is = sealer.seal(JSON.stringify(bucket), HOLDER)
      if (await records.compareAndSet(key, was, is, lifeOf(people))) return true
      if (tries > 0) await sleep(Math.random() * 4 * tries)
    }
    throw new StoreUnavailable(new Error(`an arrival was changed by others ${MOST_TRIES} times in a row`))
  }

  return {
    async get(address) {
      const email = normalizedAddress(address)
      return (await load(bucketOf(email))).find((arrival) => arrival.email === email)
    },
    async change(address, change) {
      const email = normalizedAddress(address)
      let changed = newArrival(email, now())
      await update(keyOf(bucketOf(email)), (people) => {
        const [known] = people.filter((arrival) => arrival.email === email).flatMap(remembered)
        const before = known ?? newArrival(email, now())
        const after = change(before)
        changed = after === before ? before : { ...after, changedAt: now() }
        if (after === before) return undefined
        return [...people.filter((arrival) => arrival.email !== email), changed]
      })
      return changed
    },
    forget(address) {
      const email = normalizedAddress(address)
      return update(keyOf(bucketOf(email)), (people) => {
        const others = people.filter((arrival) => arrival.email !== email)
        return others.length === people.length ? undefined : others
      })
    },
    async reseal() {
      let isKnown = false
      for (const numbers of batches())
        await Promise.all(
          numbers.map(async (bucket) => {
            const sealed = await records.get(keyOf(bucket))
            isKnown ||= sealed !== undefined
            if (sealed !== undefined && !sealer.isCurrent(sealed))
              await update(keyOf(bucket), (people) => people)
          }),
        )
      return isKnown
    },
    async *all() {
      for (const numbers of batches())
        for (const people of await Promise.all(numbers.map(load))) yield* people
    },
  }
}
