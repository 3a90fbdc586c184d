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
/** Nobody of whom nothing was heard for so long is remembered. */
export const RETENTION_DAYS = 90
const DAY_MS = 86_400_000

type Bucket = { version: 1; people: Arrival[] }

export type Arrivals = {
  get(email: string): Promise<Arrival | undefined>
  /**
   * Changes what is known of a person; `change` may run more than once, so it only computes. One that gives back the
   * same object changes nothing.
   * @throws {StoreUnavailable}
   */
  change(email: string, change: (arrival: Arrival) => Arrival): Promise<Arrival>
  /** Everybody, in no order. Holds a few records at a time. */
  all(): AsyncGenerator<Arrival>
}

const keyOf = (bucket: number) => `arrivals:${bucket}`

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

type Seal = Pick<Sealer, 'seal' | 'open'>

/** @throws {UnreadableArrivals} */
function read(text: string | undefined, sealer: Seal): Arrival[] {
  if (text === undefined) return []
  const plain = sealer.open(text, HOLDER)
  const bucket = plain === undefined ? undefined : (JSON.parse(plain) as Partial<Bucket>)
  if (bucket?.version !== 1 || bucket.people === undefined) throw new UnreadableArrivals()
  return bucket.people
}

/** @param sealer under INVITE_SECRET, or SESSION_SECRET: a dump of the store shows no address */
export function createArrivals(
  records: Pick<Records, 'get' | 'compareAndSet'>,
  sealer: Seal,
  now: () => number,
): Arrivals {
  const isRemembered = ({ changedAt }: Arrival) => now() - changedAt < RETENTION_DAYS * DAY_MS
  const load = async (bucket: number) => read(await records.get(keyOf(bucket)), sealer).filter(isRemembered)

  return {
    async get(address) {
      const email = normalizedAddress(address)
      return (await load(bucketOf(email))).find((arrival) => arrival.email === email)
    },
    async change(address, change) {
      const email = normalizedAddress(address)
      const key = keyOf(bucketOf(email))
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const was = await records.get(key)
        const people = read(was, sealer)
        const before = people.find((arrival) => arrival.email === email) ?? newArrival(email, now())
        const after = change(before)
        if (after === before) return before
        const changed = { ...after, changedAt: now() }
        const others = people.filter((arrival) => arrival.email !== email && isRemembered(arrival))
        const bucket: Bucket = { version: 1, people: [...others, changed] }
        const is = sealer.seal(JSON.stringify(bucket), HOLDER)
        if (await records.compareAndSet(key, was, is, RETENTION_DAYS * 86_400)) return changed
        if (tries > 0) await sleep(Math.random() * 4 * tries)
      }
      throw new StoreUnavailable(new Error(`an arrival was changed by others ${MOST_TRIES} times in a row`))
    },
    async *all() {
      for (let first = 0; first < BUCKETS; first += AT_ONCE) {
        const numbers = Array.from({ length: AT_ONCE }, (_, index) => first + index)
        for (const people of await Promise.all(numbers.map(load))) yield* people
      }
    },
  }
}
