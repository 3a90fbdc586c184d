// What the schedule means on a day: what headers announce, what is refused, what is left out of an answer.
// An item is available before its removal date (UTC) and gone from it on; before its announcement nothing is said.
import { deprecationSchedule, type Deprecated } from './deprecation-schedule.ts'
import { Refusal } from './refusal.ts'

/** The day it is for the schedule, `YYYY-MM-DD`: that of the switch, else today in UTC. */
export function dayOf(date: string | null): string {
  return date ?? new Date().toISOString().slice(0, 10)
}

/** The state of a row of the schedule on a day. */
export function stateOn({ announced, removal }: Deprecated, day: string) {
  if (day >= removal) return 'removed'
  return day < announced ? 'not announced' : 'announced'
}

/**
 * The headers that announce what is deprecated about an operation on a day: Deprecation (RFC 9745) and Link to
 * `page`; also Sunset (RFC 8594), which is for whole operations only. A field that is gone is no longer announced.
 */
export function announcement(operation: string, day: string, page: string): Map<string, string> {
  const rows = rowsOf(operation).filter((row) => {
    const state = stateOn(row, day)
    return state === 'announced' || (state === 'removed' && row.field === undefined)
  })
  const headers = new Map<string, string>()
  const [since] = rows.map(({ announced }) => announced).sort()
  if (since === undefined) return headers
  const link = `<${page}>; rel="deprecation"; type="text/html"`
  headers.set('deprecation', `@${Date.parse(since) / 1000}`).set('link', link)
  const end = rows.find(({ field }) => field === undefined)?.removal
  if (end === undefined) return headers
  const both = `${link}, ${link.replace('"deprecation"', '"sunset"')}`
  return headers.set('sunset', new Date(end).toUTCString()).set('link', both)
}

/** @throws Refusal of an operation that has been removed, or of a request that bears removed fields */
export function refuseRemoved(operation: string, body: unknown, day: string): void {
  const gone = removedOf(operation, day)
  const endpoint = gone.find(({ field }) => field === undefined)
  if (endpoint) throw new Refusal(410, `Gone: ${operation} ${inWords(endpoint)}`)
  const refused = gone.filter(({ within }) => within !== 'response')
  const { found } = withoutFields(operation, body, refused)
  const sent = refused.filter((row) => found.has(row))
  if (sent.length === 0) return
  throw new Refusal(400, sent.map((row) => `The field ${row.field} ${inWords(row)}`).join('; '))
}

/** An answer without the fields that have been removed. */
export function withoutRemoved(operation: string, answer: unknown, day: string): unknown {
  return withoutFields(operation, answer, removedOf(operation, day)).left
}

/** Takes fields out of a body, except inside a replacement: there, the same name means something else. */
function withoutFields(operation: string, body: unknown, rows: Deprecated[]) {
  const replacements = rowsOf(operation).map(({ replacement }) => replacement?.toLowerCase())
  const found = new Set<Deprecated>()
  const takeOut = (value: unknown, isTop = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => takeOut(item))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).flatMap(([name, member]) => {
      const matching = rows.filter(({ field, topLevel }) => field === name && (isTop || !topLevel))
      for (const row of matching) found.add(row)
      const left: unknown = replacements.includes(name.toLowerCase()) ? member : takeOut(member)
      return matching.length === 0 ? [[name, left] as const] : []
    })
    return Object.fromEntries(members)
  }
  return { left: takeOut(body, true), found }
}

function rowsOf(operation: string): Deprecated[] {
  return deprecationSchedule.filter((row) => row.operation === operation)
}

function removedOf(operation: string, day: string): Deprecated[] {
  return rowsOf(operation).filter((row) => stateOn(row, day) === 'removed')
}

function inWords({ removal, replacement, remark }: Deprecated): string {
  const instead = replacement === undefined ? (remark ?? 'no replacement is stated') : `use ${replacement}`
  return `was removed on ${removal}: ${instead}`
}
