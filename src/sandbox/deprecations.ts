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
 * Says in headers what is announced of an operation on a day: Deprecation (RFC 9745), Sunset (RFC 8594), Link to `page`.
 * A field that is gone is no longer announced: a Sunset in the past would say that the operation itself is gone.
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
  const keep = (value: unknown, top: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => keep(item, false))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).filter(
      ([name]) => !gone.some(({ field, topLevel }) => field === name && (top || !topLevel)),
    )
    return Object.fromEntries(members.map(([name, member]) => [name, keep(member, false)]))
  }
  return keep(answer, true)
}

function rowsOf(operation: string): Deprecated[] {
  return deprecationSchedule.filter((row) => row.operation === operation)
}

function removedOf(operation: string, day: string): Deprecated[] {
  return rowsOf(operation).filter((row) => stateOn(row, day) === 'removed')
}

function setHeaders(res: ServerResponse, rows: Deprecated[], page: string): void {
  const [since] = rows.map(({ announced }) => announced).sort()
  const [until] = rows.map(({ removal }) => removal).sort()
  if (since === undefined || until === undefined) return
  res.setHeader('deprecation', `@${Date.parse(since) / 1000}`)
  res.setHeader('sunset', new Date(until).toUTCString())
  const links = ['deprecation', 'sunset'].map((relation) => `<${page}>; rel="${relation}"; type="text/html"`)
  res.setHeader('link', links.join(', '))
}

function inWords({ removal, replacement, remark }: Deprecated): string {
  const instead = replacement === undefined ? (remark ?? 'no replacement is stated') : `use ${replacement}`
  return `was removed on ${removal}: ${instead}`
}

function bears(value: unknown, row: Deprecated, top = true): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => bears(item, row, false))
  return Object.entries(value).some(
    ([name, member]) => (name === row.field && (top || !row.topLevel)) || bears(member, row, false),
  )
}
