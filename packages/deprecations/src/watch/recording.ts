// A call as a line of NDJSON for the check: names of members only, every value replaced by null.
// A stream keeps all its documents, as JSON lines in a text. What had to be left out is named, so that no one relies on it.
import { readBody } from '../matching/body.ts'
import type { Side } from '../schedule/schedule.ts'

/** A body's text, as far as it was looked at. */
export type SeenBody = { text: string; isCut: boolean }

export type SeenCall = {
  /** Milliseconds since 1970. */
  time: number
  method: string
  url: string
  status: number
  request?: SeenBody | undefined
  response?: SeenBody | undefined
}

/** Of each body, in characters: a line of the check has 2 Mi at most, and quotes within a text count twice. */
const MAX_NAMES = 256 * 1024
const MAX_DEPTH = 1_000

/** The names in a value without the values: `{"a":[{"b":"x"}]}` becomes `{"a":[{"b":null}]}`. */
export const withoutValues = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => withoutValues(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutValues(member, depth + 1)]),
  )
}

const isDeeper = (value: unknown, depth = 0): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth > MAX_DEPTH || Object.values(value).some((member) => isDeeper(member, depth + 1)))

type Names = { body?: unknown; isWhole: boolean }

const namesOf = ({ text, isCut }: SeenBody, status: number | undefined): Names => {
  const { documents, unread } = readBody(text, status)
  const bearing = documents.filter((document) => typeof document === 'object' && document !== null)
  const kept: string[] = []
  let length = 0
  for (const document of bearing) {
    const names = JSON.stringify(withoutValues(document))
    length += names.length + 1
    if (length > MAX_NAMES) break
    kept.push(names)
  }
  const isWhole =
    !isCut && unread === undefined && kept.length === bearing.length && !bearing.some((one) => isDeeper(one))
  if (kept.length === 0) return isWhole ? { body: '', isWhole } : { isWhole }
  const [only] = kept
  return { body: kept.length === 1 && only !== undefined ? JSON.parse(only) : kept.join('\n'), isWhole }
}

/** The line of a call, with the line break; the query is left out of the address. */
export const recordOf = ({ time, method, url, status, request, response }: SeenCall): string => {
  const sides: [Side, Names | undefined][] = [
    ['request', request && namesOf(request, undefined)],
    ['response', response && namesOf(response, status)],
  ]
  const bodies = sides.flatMap(([side, names]) => (names?.body === undefined ? [] : [[side, names.body]]))
  const incomplete = sides.flatMap(([side, names]) => (names?.isWhole === false ? [side] : []))
  const record = {
    time: new Date(time).toISOString(),
    method,
    url: url.replace(/[?#].*$/, ''),
    status,
    ...Object.fromEntries(bodies),
    ...(incomplete.length === 0 ? {} : { incomplete }),
  }
  return `${JSON.stringify(record)}\n`
}
