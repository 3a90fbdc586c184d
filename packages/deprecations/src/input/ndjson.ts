// Reads one record of traffic: {"method", "url", "request"?, "response"?, "status"?, "incomplete"?, "time"?}.
// A fault never quotes the record.
import { hidesMembers } from '../matching/hidden-text.ts'
import type { Call } from '../matching/deprecated-use.ts'
import type { Side } from '../schedule/schedule.ts'
import { requestFault } from './address.ts'
import { isRecord, type Loose } from './json-scan.ts'
import { wordOf } from './message.ts'
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

const BODY_BESIDE = /^(request|response)[_-]?(?:body|content|data|json|payload|text)$/i

/** The sides that have a body in a second member, which may be the one that was sent. */
const sidesBeside = (record: Loose): string[] =>
  Object.entries(record).flatMap(([name, value]) => {
    const [, side] = BODY_BESIDE.exec(name) ?? []
    const isNothing = typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : value === ''
    return side === undefined || isNothing ? [] : side.toLowerCase()
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
  const beside = addressesBeside(record)
  const fault = requestFault(method, url, beside)
  if (fault !== undefined) return { fault: `${fault} line` }
  if (isAmbiguous(written)) return { fault: 'has duplicate members; write each only once' }
  const bodies = { request: recordedBody(record.request), response: recordedBody(record.response) }
  const call: TimedCall = {
    method: method.trim(),
    url,
    otherUrls: beside.flatMap((other) => [other, joined(other, url), joined(url, other)]),
    status: Number(wordOf(record.status)) || bodies.response.status,
    incomplete: [...sidesIn(record.incomplete ?? record.truncated), ...sidesIn(sidesBeside(record))],
    written: { text, value: record },
    time: record.time ?? record.timestamp,
  }
  return { call: withBodies(call, bodies) }
}
