// What the schedule means on a day: what is announced in headers, what is refused, what is left out of an answer.
// An item is available before its removal date (UTC) and gone from it on; before its announcement nothing is said.
import type { ServerResponse } from 'node:http'
import type { Refusal } from './callers.ts'
import { deprecationSchedule, type Deprecated } from './deprecation-schedule.ts'

/** The day it is for the schedule, `YYYY-MM-DD`: the one of the switch, else today in UTC. */
export function dayOf(date: string | null): string {
  return date ?? new Date().toISOString().slice(0, 10)
}

export type DeprecationState = 'not announced' | 'announced' | 'removed'

/** Where a row of the schedule stands on a day. */
export function stateOn({ announced, removal }: Deprecated, day: string): DeprecationState {
  if (day >= removal) return 'removed'
  return day < announced ? 'not announced' : 'announced'
}

/**
 * Says in headers what is announced of an operation on a day: Deprecation (RFC 9745) and Link to `page`, and Sunset where
 * the operation itself ends: of a field RFC 8594 has nothing to say. A field that is gone is no longer announced.
 */
export function announce(
  res: ServerResponse,
  operation: string,
  { day, page }: { day: string; page: string },
) {
  const rows = rowsOf(operation).filter((row) => {
    const state = stateOn(row, day)
    return state === 'announced' || (state === 'removed' && row.field === undefined)
  })
  setHeaders(res, rows, page)
}

/** The refusal of an operation that has been removed, or of a request with fields that have been; undefined for neither. */
export function refusalOf(operation: string, body: unknown, day: string): Refusal | undefined {
  const gone = removedOf(operation, day)
  const endpoint = gone.find(({ field }) => field === undefined)
  if (endpoint) return { status: 410, message: `Gone: ${operation} ${inWords(endpoint)}` }
  const sent = gone.filter((row) => row.within !== 'response' && bears(body, row))
  if (sent.length === 0) return undefined
  return { status: 400, message: sent.map((row) => `The field ${row.field} ${inWords(row)}`).join('; ') }
}

/** An answer without the fields that have been removed. */
export function withoutRemoved(operation: string, answer: unknown, day: string): unknown {
  const gone = removedOf(operation, day).filter(({ field, within }) => field && within !== 'request')
  const replaces = replacementsOn(operation)
  const keep = (value: unknown, top: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => keep(item, false))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).filter(
      ([name]) => !gone.some(({ field, topLevel }) => field === name && (top || !topLevel)),
    )
    return Object.fromEntries(
      members.map(([name, member]) => [name, replaces(name) ? member : keep(member, false)]),
    )
  }
  return keep(answer, true)
}

/** Tells the names of replacements, in any case: a field inside one is not the deprecated one of the same name. */
function replacementsOn(operation: string): (name: string) => boolean {
  const named = rowsOf(operation).flatMap(({ replacement }) => replacement?.toLowerCase() ?? [])
  return (name) => named.includes(name.toLowerCase())
}

function rowsOf(operation: string): Deprecated[] {
  return deprecationSchedule.filter((row) => row.operation === operation)
}

function removedOf(operation: string, day: string): Deprecated[] {
  return rowsOf(operation).filter((row) => stateOn(row, day) === 'removed')
}

function setHeaders(res: ServerResponse, rows: Deprecated[], page: string): void {
  const [since] = rows.map(({ announced }) => announced).sort()
  if (since === undefined) return
  const [until] = rows.flatMap(({ field, removal }) => (field === undefined ? [removal] : [])).sort()
  res.setHeader('deprecation', `@${Date.parse(since) / 1000}`)
  if (until !== undefined) res.setHeader('sunset', new Date(until).toUTCString())
  const relations = ['deprecation', ...(until === undefined ? [] : ['sunset'])]
  const links = relations.map((relation) => `<${page}>; rel="${relation}"; type="text/html"`)
  res.setHeader('link', links.join(', '))
}

function inWords({ removal, replacement, remark }: Deprecated): string {
  const instead = replacement === undefined ? (remark ?? 'no replacement is stated') : `use ${replacement}`
  return `was removed on ${removal}: ${instead}`
}

function bears(value: unknown, row: Deprecated, top = true): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => bears(item, row, false))
  const replaces = replacementsOn(row.operation)
  return Object.entries(value).some(
    ([name, member]) =>
      (name === row.field && (top || !row.topLevel)) || (!replaces(name) && bears(member, row, false)),
  )
}
