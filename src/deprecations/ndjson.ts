// Reads one line of recorded traffic: {"method", "url", "request"?, "response"?, "status"?, "time"?}.
// What is wrong is said without quoting the line.
import type { Call } from '../client-api/deprecated-use.ts'

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

/** Reads one line of NDJSON. A body that is absent or null counts as not recorded. */
export const readNdjsonLine = (line: string): Reading => {
  if (line.trim() === '') return 'nothing'
  let record: unknown
  try {
    record = JSON.parse(line)
  } catch {
    return { fault: 'not JSON: cut off or damaged; mend or remove the line' }
  }
  if (!isRecord(record) || typeof record.method !== 'string' || typeof record.url !== 'string')
    return {
      fault: 'not a request: write {"method": …, "url": …}, with "request" and "response" if you have them',
    }
  const call: TimedCall = { method: record.method, url: record.url }
  if (record.request !== undefined && record.request !== null) call.request = record.request
  if (record.response !== undefined && record.response !== null) call.response = record.response
  call.time = record.time ?? record.timestamp
  return { call }
}
