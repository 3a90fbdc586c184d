// A call as a line of NDJSON for the check: names of members only, every value replaced by null.
// A stream keeps all its documents, as JSON lines in a text. The line names the sides of which something was left out.
import { readBody } from '../matching/body.ts'
import { createMatcher } from '../matching/deprecated-use.ts'
import { hidesMembers } from '../matching/hidden-text.ts'
import type { Schedule, Side } from '../schedule/schedule.ts'

/** A body's text, as far as it was looked at. */
export type SeenBody = { text: string; isCut: boolean }

type SeenCall = {
  /** Milliseconds since 1970. */
  time: number
  method: string
  url: string
  /** Where redirects led to. */
  redirectedTo?: string | undefined
  status: number
  request?: SeenBody | undefined
  response?: SeenBody | undefined
}

/** Of each body, in characters: a line of the check has 2 Mi at most, and quotes within a text count twice. */
const MAX_NAMES = 256 * 1024
const MAX_DEPTH = 1_000

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * The names in a value without the values: `{"a":[{"b":"x"}]}` becomes `{"a":[{"b":null}]}`.
 * @param leftOut called for what may bear names and is left out: what nests too deep, and JSON in a text
 */
export const withoutValues = (value: unknown, leftOut?: () => void, depth = 0): unknown => {
  if (typeof value === 'string' && /^\s*[[{]/.test(value)) leftOut?.()
  if (!isObject(value)) return null
  if (depth > MAX_DEPTH) return leftOut?.() ?? null
  const inner = (member: unknown) => withoutValues(member, leftOut, depth + 1)
  if (Array.isArray(value)) return value.map(inner)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))
}

const namesOf = ({ text, isCut }: SeenBody, about: Parameters<typeof readBody>[1]) => {
  const { documents } = readBody(text, about)
  let isWhole = !isCut && !hidesMembers(text, documents)
  const kept: string[] = []
  let length = 0
  for (const document of documents.filter(isObject)) {
    const names = JSON.stringify(withoutValues(document, () => void (isWhole = false)))
    length += names.length + 1
    if (length > MAX_NAMES) {
      isWhole = false
      break
    }
    kept.push(names)
  }
  return { body: kept.join('\n'), isWhole }
}

const withoutQuery = (url: string) => url.replace(/[?#][^]*$/, '')

/**
 * Prepares the lines of calls, each with its line break. A line is never cleaner than its call: what the check would not
 * read of a body is marked as left out, and of a query the names of fields stay. Bodies are texts, as members of a line
 * could be taken for what a recorder adds.
 */
export const createRecorder = (schedule: Schedule) => {
  const matcher = createMatcher(schedule)
  return ({ time, method, url, redirectedTo, status, request, response }: SeenCall): string => {
    const bodies = {
      request: request && namesOf(request, { side: 'request' }),
      response: response && namesOf(response, { side: 'response', status }),
    }
    const unread = new Set<Side | undefined>()
    const inQuery = new Set<string>()
    const otherUrls = redirectedTo === undefined ? [] : [redirectedTo]
    const call = { method, url, otherUrls, status, request: request?.text, response: response?.text }
    matcher.eachUse(call, ({ entry, confidence, side, path }) => {
      if (confidence === 'unread') unread.add(side)
      if (confidence === 'name' && path === undefined && entry.kind === 'field') inQuery.add(entry.field)
    })
    const incomplete = (['request', 'response'] as const).filter(
      (side) => unread.has(side) || bodies[side]?.isWhole === false,
    )
    const query = [...inQuery].map((name) => `${encodeURIComponent(name)}=`).join('&')
    const record = {
      time: new Date(time).toISOString(),
      method,
      url: withoutQuery(url) + (query && `?${query}`),
      redirectedTo: redirectedTo && withoutQuery(redirectedTo),
      status,
      request: bodies.request?.body,
      response: bodies.response?.body,
      incomplete: incomplete.length === 0 ? undefined : incomplete,
    }
    return `${JSON.stringify(record)}\n`
  }
}
