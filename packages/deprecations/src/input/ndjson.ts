// Reads one record of traffic: {"method", "url", "request"?, "response"?, "status"?, "incomplete"?, "time"?}.
// A fault never quotes the record.
import { hidesMembers } from '../matching/hidden-text.ts'
import type { Call } from '../matching/deprecated-use.ts'
import type { Side } from '../schedule/schedule.ts'
import { isRecord, type Loose } from './json-scan.ts'
import { recordedBody, type Recorded } from './recorded.ts'
import type { Written } from './records.ts'

/** A call with the moment it was made as the record has it; `timeFrom` reads it, for the few where it is wanted. */
export type TimedCall = Call & { time?: unknown }

/** A call, or what is wrong with the record. */
export type Reading = { call: TimedCall } | { fault: string }

/** What a Date can hold. */
const MAX_TIME = 8.64e15

/** A moment as recorded: ISO 8601, or seconds or milliseconds since 1970. Undefined for anything else. */
export const timeFrom = (value: unknown): number | undefined => {
  const time =
    typeof value === 'number'
      ? Math.round(value < 1e11 ? value * 1000 : value)
      : Date.parse(typeof value === 'string' ? value : '')
  return Math.abs(time) <= MAX_TIME ? time : undefined
}

const SIDES: readonly Side[] = ['request', 'response']

/** Adds to a call what is known of its bodies; a side of which nothing was recorded is left out. */
export const withBodies = (call: TimedCall, bodies: Record<Side, Recorded>): TimedCall => {
  const { request, response } = bodies
  const incomplete = SIDES.filter((side) => bodies[side].incomplete || call.incomplete?.includes(side))
  return { ...call, request: request.body, response: response.body, incomplete }
}

/** `true` means both sides. */
const sidesIn = (value: unknown): readonly Side[] => {
  if (value === true) return SIDES
  return SIDES.filter((side) => (Array.isArray(value) ? value.includes(side) : value === side))
}

/** The methods of HTTP that servers know, as in node:http, which takes 40 MB to load. */
const METHODS = new Set(
  (
    'GET HEAD POST PUT DELETE PATCH OPTIONS TRACE CONNECT QUERY SEARCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK ' +
    'ACL BIND CHECKOUT LINK M-SEARCH MERGE MKACTIVITY MKCALENDAR NOTIFY PURGE REBIND REPORT SOURCE SUBSCRIBE UNBIND ' +
    'UNLINK UNSUBSCRIBE'
  ).split(' '),
)

const BODY_BESIDE = /^(request|response)[_-]?(?:body|content|data|json|payload|text)$/i

/** The sides that have a body in a second member, which may be the one that was sent. */
const sidesBeside = (record: Loose): string[] =>
  Object.entries(record).flatMap(([name, value]) => {
    const [, side] = BODY_BESIDE.exec(name) ?? []
    const isNothing = side === undefined || /^(?:""|\{\}|\[\]|null)$/.test(JSON.stringify(value))
    return isNothing ? [] : side.toLowerCase()
  })

/** More addresses in a record are not its own. */
const MAX_URLS = 20

const joined = (base: string, path: string) =>
  `${base.replace(/(?<!\/)\/+$/, '')}/${path.replace(/^\/+/, '')}`

/** The addresses beside the `url`: clients and servers write a base, a route, or the original one there. */
const addressesBeside = ({ url: _url, request: _sent, response: _answer, ...others }: Loose): string[] =>
  Object.entries(others)
    .flatMap(([name, value]) =>
      typeof value === 'string' && value.includes('/') && !/\s/.test(value) && !/^refer/i.test(name)
        ? [value]
        : [],
    )
    .slice(0, MAX_URLS)

/** What is written in the place of a part that was left out. */
const LEFT_OUT = /…|\*{3}|\.{3}(?:\/|$)|(?:^|\/)\[/

/** Whether an address has a path, and all of it: `https://a`, `/rest/…` and `[REDACTED]` may be any operation's. */
const isWhole = (url: string): boolean => {
  const [path = ''] = url.replace(/^\s*[a-z][\w+.-]*:[/\\]{2}[^/\\?#]*/i, '').split(/[?#]/, 1)
  return /[/\\]/.test(path) && !LEFT_OUT.test(path)
}

/** Whether one of two addresses or methods hides the other: the call may be any. */
const isAmbiguous = ({ text, value }: Written): boolean =>
  ['"url"', '"method"'].some((name) => text.indexOf(name) !== text.lastIndexOf(name)) &&
  hidesMembers(text, value)

/** Reads one record. A body that is absent or null counts as not recorded. */
export const readRecord = (written: Written): Reading => {
  const { text, value: record, broken } = written
  if (broken) return { fault: 'not JSON: truncated or damaged; fix or remove the line' }
  if (!isRecord(record) || typeof record.method !== 'string' || typeof record.url !== 'string')
    return {
      fault: 'not a request: write {"method": …, "url": …}, with "request" and "response" if you have them',
    }
  const { method, url } = record
  if (!METHODS.has(method.trim().toUpperCase()))
    return { fault: 'its method is not an HTTP method; fix it or remove the line' }
  const beside = addressesBeside(record)
  const isElsewhere = beside.some((other) => /^(?:\/|https?:)/i.test(other) && isWhole(other))
  if (!isWhole(url) && (LEFT_OUT.test(url) || !isElsewhere))
    return { fault: 'its url is not a whole address; record it with its path, or remove the line' }
  if (isAmbiguous(written)) return { fault: 'has duplicate members; write each only once' }
  const bodies = { request: recordedBody(record.request), response: recordedBody(record.response) }
  const call: TimedCall = {
    method: method.trim(),
    url,
    otherUrls: beside.flatMap((other) => [other, joined(other, url), joined(url, other)]),
    status: Number(record.status) || bodies.response.status,
    incomplete: [...sidesIn(record.incomplete ?? record.truncated), ...sidesIn(sidesBeside(record))],
    written: { text, value: record },
    time: record.time ?? record.timestamp,
  }
  return { call: withBodies(call, bodies) }
}
