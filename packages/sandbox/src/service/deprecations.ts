// The schedule on a day: announcing headers, refused requests, and fields left out of responses.
// An item works until the day before its removal (UTC), and isn't announced before its announcement.
import { HttpError } from './authentication.ts'
import { deprecationSchedule, type Deprecated } from './contract.ts'

export function stateOn({ announced, removal }: Deprecated, day: string) {
  if (day >= removal) return 'removed'
  return day < announced ? 'not announced' : 'announced'
}

const rowsOf = (operation: string) => deprecationSchedule.filter((row) => row.operation === operation)

/** Deprecation (RFC 9745), Link to `page`, and for whole operations Sunset (RFC 8594). Removed fields aren't announced. */
export function deprecationHeaders(operation: string, day: string, page: string): Map<string, string> {
  const isAnnounced = (row: Deprecated) =>
    day >= row.announced && (day < row.removal || row.field === undefined)
  const rows = rowsOf(operation).filter(isAnnounced)
  const [since] = rows.map(({ announced }) => announced).sort()
  if (since === undefined) return new Map()
  const end = rows.find(({ field }) => field === undefined)?.removal
  const relations = end === undefined ? ['deprecation'] : ['deprecation', 'sunset']
  const headers = new Map([
    ['deprecation', `@${Date.parse(since) / 1000}`],
    ['link', relations.map((name) => `<${page}>; rel="${name}"; type="text/html"`).join(', ')],
  ])
  return end === undefined ? headers : headers.set('sunset', new Date(end).toUTCString())
}

/**
 * The response of an operation that the contract only names: in the Client API its scheduled fields and replacements.
 * @throws HttpError for a removed operation, or removed fields in the request
 */
export function stubResponse(day: string, operation: string, body: unknown): unknown {
  const gone = rowsOf(operation).filter((row) => stateOn(row, day) === 'removed')
  const endpoint = gone.find(({ field }) => field === undefined)
  if (endpoint) throw new HttpError(410, `Gone: ${operation} ${removalText(endpoint)}`)
  const refused = gone.filter(({ within }) => within !== 'response')
  const sent = withoutFields(operation, body, refused).found
  if (sent.size > 0)
    throw new HttpError(400, [...sent].map((row) => `The field ${row.field} ${removalText(row)}`).join('; '))
  return withoutFields(operation, fullResponse(operation), gone).left
}

function fullResponse(operation: string): unknown {
  if (operation.includes('/api/index/')) return {}
  // Its replacement is prose about two other fields.
  const citation = { referenceRanges: [{ startIndex: 0, endIndex: 5 }] }
  if (operation.endsWith('/chat')) return { messages: [{ fragments: [{ citation }], citations: [citation] }] }
  const members = rowsOf(operation).flatMap(({ field, replacement = '' }) => {
    const [holder, inner] = replacement.split('.')
    return [
      [field, 'an example'],
      [holder, inner === undefined ? 'an example' : { [inner]: 'an example' }],
    ]
  })
  return Object.fromEntries(members.filter(([name]) => name))
}

/** Removes fields, except inside a replacement, where the name means another field. */
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

function removalText({ removal, replacement, remark }: Deprecated): string {
  const instead = replacement === undefined ? (remark ?? 'no replacement is stated') : `use ${replacement}`
  return `was removed on ${removal}: ${instead}`
}
