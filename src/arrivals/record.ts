// The people whose address falls into one record, as they are written and read back. Pure. What surprises: a record has
// parts, because servers with different secrets may share a store. What one of them cannot read it leaves as it is.
import { hash } from 'node:crypto'
import type { Sealer } from '../session/seal.ts'
import { openJson, type Unreadable } from '../session/sealed-json.ts'
import { normalizedAddress } from './address.ts'
import type { Arrival } from './arrival.ts'
import { united } from './united.ts'

export const BUCKETS = 8192
const VERSION = 1
/** What the previous version bound every record to. */
const FORMER_HOLDER = 'arrivals'

export const keyOf = (bucket: number) => `arrivals:${bucket}`

export const bucketOf = (email: string) => parseInt(hash('sha256', email, 'hex').slice(0, 8), 16) % BUCKETS

export type Bucket = {
  people: Arrival[]
  /** What a newer version keeps beside the people, its version included. */
  beside: Readonly<Record<string, unknown>>
  /** What cannot be read, as it is in the store. It may say that somebody wants no mails. */
  unread: readonly { text: string; why: Unreadable }[]
  /** When something was removed without being read, which may have said so too; milliseconds since 1970. */
  removedAt?: number
  /** Every part that can be read is sealed under the first secret, in today's form. */
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
  const form = { sealer, version: VERSION, formerHolder: FORMER_HOLDER }
  const opened = openJson(text, keyOf(bucket), form)
  if (opened.kind === 'unreadable') return { ...all, unread: [...all.unread, { text, why: opened.why }] }
  const { people, ...beside } = opened.json
  if (!Array.isArray(people) || !people.every((entry): entry is Arrival => isArrival(entry, bucket))) {
    const why = Number(beside['version']) > VERSION ? 'newer' : 'damaged'
    return { ...all, unread: [...all.unread, { text, why }] }
  }
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
  const others = [
    ...unread.map(({ text }) => text),
    ...(removedAt === undefined ? [] : [REMOVED + removedAt.toString(36)]),
  ]
  const isOthersOnly = people.length === 0 && others.length > 0
  const own = JSON.stringify({ version: VERSION, ...beside, people })
  return [...(isOthersOnly ? [] : [sealer.seal(own, keyOf(bucket))]), ...others].join(BETWEEN)
}

type Unchecked<T> = { [K in keyof T]?: unknown } | null | undefined

const SOURCE_STATES: readonly unknown[] = ['waiting', 'connected', 'skipped', 'blocked', 'off']
const MAIL_STATES: readonly unknown[] = ['sending', 'sent', 'deferred', 'failed', 'unknown']

const isMissingOrTime = (...times: unknown[]) =>
  times.every((time) => time === undefined || typeof time === 'number')

/** Somebody whose address falls elsewhere was not written here: another record was put in this one's place. */
function isArrival(value: unknown, bucket: number): value is Arrival {
  const entry = value as Unchecked<Arrival>
  if (typeof entry?.email !== 'string' || typeof entry.changedAt !== 'number') return false
  const { email, sources, campaigns, openedAt, signedInAt, finishedAt, optedOutAt, asOf } = entry
  return (
    normalizedAddress(email) === email &&
    bucketOf(email) === bucket &&
    isMissingOrTime(openedAt, signedInAt, finishedAt, optedOutAt, asOf) &&
    isListOf(sources, isSource) &&
    isListOf(campaigns, isCampaign)
  )
}

const isListOf = (list: unknown, isOne: (value: unknown) => boolean) =>
  Array.isArray(list) && list.every(isOne)

function isSource(value: unknown): boolean {
  const source = value as Unchecked<Arrival['sources'][number]>
  return typeof source?.instance === 'string' && SOURCE_STATES.includes(source.state)
}

function isCampaign(value: unknown): boolean {
  const campaign = value as Unchecked<Arrival['campaigns'][number]>
  const isMailing = (mailing: { state?: unknown } | null) => MAIL_STATES.includes(mailing?.state)
  return typeof campaign?.name === 'string' && isListOf(campaign.mailings, (one) => isMailing(one as null))
}
