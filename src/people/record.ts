// The people whose address falls into one record, as they are written and read back. Pure. A record has parts, because
// servers with different secrets may share a store; a part that one of them cannot read stays as it is.
import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Sealer } from '../records/seal.ts'
import { openJson, type Unreadable } from '../records/sealed-json.ts'
import { normalizedAddress } from './address.ts'
import type { Person } from './person.ts'
import { united } from './united.ts'

export const BUCKETS = 8192
const VERSION = 1
/** What the previous version bound every record to. */
const FORMER_HOLDER = 'people'

export const keyOf = (bucket: number) => `people:${bucket}`

export const bucketOf = (email: string) => parseInt(hash('sha256', email, 'hex').slice(0, 8), 16) % BUCKETS

export type Bucket = {
  people: Person[]
  /** What a newer version keeps beside the people, its version included. */
  beside: Readonly<Record<string, unknown>>
  /** What cannot be read, as it is in the store. It may say that someone wants no emails. */
  unread: readonly { text: string; why: Unreadable }[]
  /** When something that may have said so was removed without being read; milliseconds since 1970. */
  removedAt?: number | undefined
  /** Every readable part is sealed under the first secret, in today's form. */
  isCurrent: boolean
}

/** Base64url has neither of them. The mark is open, so that a server with another secret heeds it too. */
const BETWEEN = '.'
const REMOVED = '!'

export type Seal = Pick<Sealer, 'seal' | 'open' | 'isCurrent' | 'isOurs'>

const none: Bucket = { people: [], beside: {}, unread: [], isCurrent: true }

export function readBucket(text: string | undefined, bucket: number, sealer: Seal): Bucket {
  if (text === undefined) return none
  return text.split(BETWEEN).reduce((all, part) => withPart(all, part, { bucket, sealer }), none)
}

function withPart(all: Bucket, text: string, { bucket, sealer }: { bucket: number; sealer: Seal }): Bucket {
  if (text.startsWith(REMOVED))
    return { ...all, removedAt: Math.max(all.removedAt ?? 0, parseInt(text.slice(1), 36) || 0) }
  const unreadable = (why: Unreadable) => ({ ...all, unread: [...all.unread, { text, why }] })
  const opened = openJson(text, keyOf(bucket), { sealer, version: VERSION, formerHolder: FORMER_HOLDER })
  if (opened.kind === 'unreadable') return unreadable(opened.why)
  const { people, ...beside } = opened.json
  if (!Array.isArray(people) || !people.every((entry): entry is Person => isPerson(entry, bucket)))
    return unreadable(Number(beside['version']) > VERSION ? 'newer' : 'damaged')
  const known = new Map(all.people.map((arrival) => [arrival.email, arrival]))
  for (const arrival of people) {
    const other = known.get(arrival.email)
    known.set(arrival.email, other === undefined ? arrival : united(other, arrival))
  }
  const isCurrent = all.isCurrent && opened.isCurrent && all.people.length === 0
  return { ...all, people: [...known.values()], beside: { ...all.beside, ...beside }, isCurrent }
}

export function bucketText(
  { people, beside, unread, removedAt }: Bucket,
  bucket: number,
  sealer: Seal,
): string {
  const others = unread.map(({ text }) => text)
  if (removedAt !== undefined) others.push(REMOVED + removedAt.toString(36))
  if (people.length === 0 && others.length > 0) return others.join(BETWEEN)
  const own = sealer.seal(JSON.stringify({ version: VERSION, ...beside, people }), keyOf(bucket))
  return [own, ...others].join(BETWEEN)
}

/** Milliseconds since 1970, in a year of four digits: the report counts by days such as 2026-11-22. */
const time = z.number().min(0).lt(Date.UTC(10_000, 0))
const maybe = time.optional()

/** What has to be right for a record to be read; what else is in it is kept. */
const personSchema = z.object({
  email: z.string(),
  name: z.string().optional(),
  language: z.string().optional(),
  group: z.string().optional(),
  since: maybe,
  changedAt: time,
  openedAt: maybe,
  signedInAt: maybe,
  finishedAt: maybe,
  optedOutAt: maybe,
  unknownAt: maybe,
  asOf: maybe,
  sources: z.array(
    z.object({
      instance: z.string(),
      name: z.string(),
      at: time,
      state: z.enum(['waiting', 'connected', 'skipped', 'blocked', 'off']),
    }),
  ),
  campaigns: z.array(
    z.object({
      name: z.string(),
      mailings: z.array(
        z.object({ state: z.enum(['sending', 'sent', 'deferred', 'failed', 'unknown']), at: time }),
      ),
    }),
  ),
})

/** An address that falls elsewhere was not written here: another record was put in this one's place. */
function isPerson(value: unknown, bucket: number): value is Person {
  const email = personSchema.safeParse(value).data?.email
  return email !== undefined && normalizedAddress(email) === email && bucketOf(email) === bucket
}
