// Where arrivals are kept: 2,048 records that hold the people whose address falls into them, because the store knows
// records by key alone and a report has to find everybody. Every change is compare-and-set.
import { hash } from 'node:crypto'
import type { Records } from '../records/records.ts'
import { updateJson } from '../records/update.ts'
import { normalizedAddress } from './address.ts'
import { newArrival, type Arrival } from './arrival.ts'

const BUCKETS = 2048
const AT_ONCE = 32
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

function read(text: string | undefined): Bucket {
  const nobody: Bucket = { version: 1, people: [] }
  if (text === undefined) return nobody
  try {
    const bucket = JSON.parse(text) as Partial<Bucket> | null
    return bucket?.version === 1 && Array.isArray(bucket.people) ? (bucket as Bucket) : nobody
  } catch {
    return nobody
  }
}

export function createArrivals(records: Pick<Records, 'get' | 'compareAndSet'>, now: () => number): Arrivals {
  const isRemembered = ({ changedAt }: Arrival) => now() - changedAt < RETENTION_DAYS * DAY_MS
  const load = async (bucket: number) => read(await records.get(keyOf(bucket))).people.filter(isRemembered)

  return {
    async get(address) {
      const email = normalizedAddress(address)
      return (await load(bucketOf(email))).find((arrival) => arrival.email === email)
    },
    async change(address, change) {
      const email = normalizedAddress(address)
      let changed: Arrival | undefined
      const record = { key: keyOf(bucketOf(email)), seconds: RETENTION_DAYS * 86_400, read }
      await updateJson<Bucket>(records, record, (bucket) => {
        const before = bucket.people.find((arrival) => arrival.email === email) ?? newArrival(email, now())
        const after = change(before)
        changed = after
        if (after === before) return bucket
        changed = { ...after, changedAt: now() }
        const others = bucket.people.filter((arrival) => arrival.email !== email && isRemembered(arrival))
        return { version: 1, people: [...others, changed] }
      })
      return changed ?? newArrival(email, now())
    },
    async *all() {
      for (let first = 0; first < BUCKETS; first += AT_ONCE) {
        const numbers = Array.from({ length: AT_ONCE }, (_, index) => first + index)
        for (const people of await Promise.all(numbers.map(load))) yield* people
      }
    },
  }
}
