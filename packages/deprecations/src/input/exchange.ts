// One recorded exchange of a request and its answer, as every format is read into it.
import type { Call } from '../matching/matcher.ts'
import { isRecord, type Loose } from './json.ts'

/** A call with the moment it was made, why there is none, or undefined where nothing was asked of a server. */
export type Reading = { call: Call; time?: unknown } | { fault: string } | undefined

/** Reads {"method", "url", "request"?, "response"?, "status"?, "incomplete"?, "time"?}. A body that is null is not there. */
export const callOf = ({ method, url, status, request, response, incomplete, time }: Loose): Reading => {
  if (typeof method !== 'string' || typeof url !== 'string')
    return { fault: 'not a request: it has no method and url; record it again or remove it' }
  // One whose address was masked may be of any operation.
  if (!/^[a-z]+(?:-[a-z]+)*$/i.test(method) || !/^(?:\/|https?:\/\/[^/]+\/)/i.test(url))
    return { fault: 'not a whole request: it has no method or no path; record it again or remove it' }
  const parts = (['request', 'response'] as const).filter(
    (side) => Array.isArray(incomplete) && incomplete.includes(side),
  )
  return {
    call: {
      method,
      url,
      status: typeof status === 'number' ? status : undefined,
      request: request ?? undefined,
      response: response ?? undefined,
      incomplete: parts,
    },
    time,
  }
}

/** Reads a line of NDJSON. */
export const readExchange = (line: string): Reading => {
  if (line.trim() === '') return undefined
  try {
    const record: unknown = JSON.parse(line)
    return callOf(isRecord(record) ? record : {})
  } catch {
    return { fault: 'not JSON: truncated or damaged; fix or remove the line' }
  }
}

/** What a Date can hold. */
const MAX_TIME = 8.64e15

/** A moment as recorded, ISO 8601 or seconds or milliseconds since 1970, in the last; undefined for anything else. */
export const timeFrom = (value: unknown): number | undefined => {
  const number = typeof value === 'number' ? value * (value < 1e11 ? 1000 : 1) : Date.parse(String(value))
  return Math.abs(number) <= MAX_TIME ? Math.round(number) : undefined
}
