// What makes an object a message of HTTP: a status, headers, a method, or the size of a body, whatever they are called.
import { isRecord, type Loose } from './json-scan.ts'

/** A name without case and style: `status_code` and `statusCode` are one. */
export const plainName = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d]/g, '')

export const isThere = (value: unknown) => ![0, '0', '', false, 'false', null].includes(value as string)

/** A value as a word; an object or a list has none. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

const STATUS = /status(?:code)?$|^(?:http|resp(?:onse)?)?code$/
export const statusOf = (value: Loose): number | undefined => {
  // Without a list of entries, as this is looked for in every body.
  for (const name in value)
    if (STATUS.test(plainName(name)) && /^[1-5]\d\d$/.test(wordOf(value[name]))) return Number(value[name])
  return undefined
}

const PROBLEM =
  /^(?:type|title|status|(?:status)?code|detail|instance|errors?|errordescription|message|timestamp|path|trace(?:id)?|requestid)$/

/** Whether an object with a status is what services answer to tell of an error (RFC 9457). */
const isProblem = (value: Loose, status: number): boolean =>
  status >= 400 &&
  Object.keys(value).every((name) => PROBLEM.test(plainName(name))) &&
  [value.title, value.detail, value.message, value.error, value.errors].some(Boolean)

export const hasStatus = (value: Loose) => {
  const status = statusOf(value)
  return status !== undefined && !isProblem(value, status)
}
const HEADERS = /^(?:raw|req|request|res|response|http)*headers?$/
export const hasHeaders = (value: Loose): boolean => {
  for (const name in value)
    if (HEADERS.test(plainName(name)) && typeof value[name] === 'object' && value[name] !== null) return true
  return false
}

const METHOD = /^(?:http|request)?method$/
const SIZE =
  /^(?:raw|body|content|payload|req|request|res|response)+(?:size|length|bytes|hash|digest|sha\d*|md5)$/

const SIDE = /^(?:http|req|request|resp?|response)$/
/** The first line of a message as it is sent. */
const START = /^(?:HTTP\/\d|[A-Z]+ \S+ HTTP\/\d)/

/** Whether a member is one that only a message has besides its body, or holds such a message. */
const isOfMessage = (name: string, value: unknown, depth: number): boolean => {
  const called = plainName(name)
  if (METHOD.test(called)) return /^(?:get|head|post|put|patch|delete|options)$/i.test(wordOf(value))
  if (SIZE.test(called)) return isThere(value)
  if (SIDE.test(called) && isRecord(value) && depth < 3) return isMessage(value, depth + 1)
  return START.test(wordOf(value))
}

/** Whether an object has what only a message has besides its body. */
export const isMessage = (value: Loose, depth = 0): boolean => {
  if (hasStatus(value) || hasHeaders(value) || isRecord(value.sizes)) return true
  for (const name in value) if (isOfMessage(name, value[name], depth)) return true
  return false
}

/** The value of a header, of an object or of a list of names and values; empty where there is none. */
export const headerOf = (headers: unknown, wanted: string): string => {
  const all = Array.isArray(headers)
    ? headers.filter(isRecord).map(({ name, value }) => [String(name), value] as const)
    : isRecord(headers)
      ? Object.entries(headers)
      : []
  const found = all.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const value: unknown = Array.isArray(found) ? found[0] : found
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Whether a message says that its body is sent in chunks, so that no length is known before (RFC 9112 7.1). */
export const isChunked = (headers: unknown): boolean =>
  /chunked/i.test(headerOf(headers, 'transfer-encoding'))

/** Whether a message has no body by right (RFC 9110 15.3.5 and 15.3.6), or says so. */
export const isEmptyMessage = (message: Loose): boolean =>
  [204, 205].includes(statusOf(message) ?? 0) || headerOf(message.headers, 'content-length') === '0'
