// Reads one record of traffic: {"method", "url", "request"?, "response"?, "status"?, "incomplete"?, "time"?}.
// What is wrong is said without quoting the record.
import type { Call } from '../matching/deprecated-use.ts'
import { present } from '../present.ts'
import type { Side } from '../schedule/schedule.ts'
import type { Written } from '../check/records.ts'
import { recordedBody, type Recorded } from '../check/recorded.ts'

/** A call with the moment it was made as the record has it; `timeFrom` reads it, for the few where it is wanted. */
export type TimedCall = Call & { time?: unknown }

/** A call, what is wrong with the record, or nothing to look at (an empty line, a comment). */
export type Reading = { call: TimedCall } | { fault: string } | 'nothing'

/** A moment as recorded: ISO 8601, or seconds or milliseconds since 1970. Undefined for anything else. */
export const timeFrom = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value < 1e11 ? Math.round(value * 1000) : Math.round(value)
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) || Math.abs(time) > 8.64e15 ? undefined : time
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is known of the bodies of a call; a side of which nothing was recorded is left out. */
export const withBodies = (call: TimedCall, sides: Record<Side, Recorded>): TimedCall => {
  const incomplete = new Set(call.incomplete)
  for (const side of ['request', 'response'] as const) {
    const { body, incomplete: partly } = sides[side]
    if (body !== undefined) call[side] = body
    if (partly === true) incomplete.add(side)
  }
  if (incomplete.size > 0) call.incomplete = [...incomplete]
  return call
}

const bothSides: readonly Side[] = ['request', 'response']

/** `true` and whatever names no side is said of both. */
const sidesIn = (value: unknown): Side[] => {
  const named = bothSides.filter((side) => (Array.isArray(value) ? value.includes(side) : value === side))
  return named.length === 0 && value === true ? [...bothSides] : named
}

/** Reads one record. A body that is absent or null counts as not recorded. */
export const readRecord = ({ text, value: record, broken }: Written): Reading => {
  if (broken) return { fault: 'not JSON: cut off or damaged; repair or remove the line' }
  if (!isRecord(record) || typeof record.method !== 'string' || typeof record.url !== 'string')
    return {
      fault: 'not a request: write {"method": …, "url": …}, with "request" and "response" if you have them',
    }
  const sides = { request: recordedBody(record.request), response: recordedBody(record.response) }
  const status = typeof record.status === 'number' ? record.status : sides.response.status
  const call: TimedCall = {
    method: record.method,
    url: record.url,
    incomplete: sidesIn(record.incomplete ?? record.truncated),
    written: { text, value: record },
    time: record.time ?? record.timestamp,
    ...present({ status }),
  }
  return { call: withBodies(call, sides) }
}
