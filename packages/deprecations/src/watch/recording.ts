// A call as a line of NDJSON for the check: names of members only, every value replaced by null.
// A line is never cleaner than its call: a body that can't be read is left out, and one of which a part is lost says so.
import { readBody } from '../matching/body.ts'
import type { Schedule } from '../schedule/schedule.ts'

/** A body's text, as far as it was looked at. */
export type SeenBody = { text: string; isCut: boolean }

export type SeenCall = {
  /** Milliseconds since 1970. */
  time: number
  method: string
  url: string
  status: number
  request: SeenBody | undefined
  response: SeenBody | undefined
}

/** Of each body, in characters: a line of the check has 2 Mi at most, and quotes within a text count twice. */
const MAX_NAMES = 256 * 1024

/** The names in a body as JSON Lines; nothing where it was not seen, is not JSON, or nests too deep. */
const namesIn = (body: SeenBody | undefined): { names?: string; isWhole: boolean } => {
  const { documents, unread } =
    body === undefined ? { documents: [], unread: 'not seen' } : readBody(body.text)
  if (unread !== undefined && documents.length === 0) return { isWhole: true }
  let isWhole = body?.isCut === false && unread === undefined
  const withoutValue = (_name: string, value: unknown) => {
    // It may be JSON in a text.
    if (typeof value === 'string' && value.includes('"')) isWhole = false
    return typeof value === 'object' ? value : null
  }
  try {
    const names = documents.map((document) => `${JSON.stringify(document, withoutValue)}\n`).join('')
    return names.length > MAX_NAMES ? { isWhole: true } : { names, isWhole }
  } catch {
    return { isWhole: true }
  }
}

/** Prepares the lines of calls, each with its line break. Of a query, the names of fields on the schedule are kept. */
export const createRecorder = (schedule: Schedule) => {
  const fields = new Set(schedule.map((entry) => (entry.kind === 'field' ? entry.field : undefined)))
  return ({ time, method, url, status, ...call }: SeenCall): string => {
    const [path = '', query = ''] = url.replace(/#[^]*$/, '').split(/\?([^]*)/)
    const kept = [...new Set(new URLSearchParams(query).keys())].filter((name) => fields.has(name))
    const [request, response] = [namesIn(call.request), namesIn(call.response)]
    const record = {
      time: new Date(time).toISOString(),
      method,
      url: [path, ...kept.map((name) => `${encodeURIComponent(name)}=`)].join('?'),
      status,
      request: request.names,
      response: response.names,
      incomplete: [...(request.isWhole ? [] : ['request']), ...(response.isWhole ? [] : ['response'])],
    }
    return `${JSON.stringify(record)}\n`
  }
}
