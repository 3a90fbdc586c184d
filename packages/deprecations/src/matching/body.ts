// The JSON documents in a body, however it was recorded: parsed, as text, as a stream of documents or events, as a form.
// Pure. A body that cannot be read is told apart from one that holds nothing: only of the latter is anything known.
import { present } from '../present.ts'
import { isForm, isMultipart, readForm, readMultipart } from './body-form.ts'
import { isEventStream, isSequence, readDocuments, readEventStream, type Parsed } from './body-text.ts'

export type Body = {
  documents: unknown[]
  /** Why some or all of it could not be read; absent when everything was. */
  unread?: string
}

const cutOff = 'is cut off or not JSON throughout'
const unknownKind = 'is not in a form that is read (JSON, JSON lines, events, a form)'
const binary = 'is binary or compressed'
const encoded = 'is encoded (base64 or hex)'
const left = 'was left out by the recorder'

/** What services put before JSON so that no other site can run it as a script. */
const guard = /^(?:\)\]\}'?,?|while\s*\(\s*1\s*\);?|for\s*\(;;\);?|throw\s+1;?)\s*/
const callback = /^(?:\/\*\*\/\s*)?[\w$.]{1,100}\(\s*([[{][^]*)\)\s*;?$/
// oxlint-disable-next-line no-control-regex
const notText = /[\u0000-\u0008\u000e-\u001a\uFFFD]/
/** One line of words; what may be a table or encoded is not. */
const isWords = (text: string) => /^[^{}[\]<>=:"\\\r\n]*$/.test(text) && !/\S{60}/.test(text)

/** What recorders write in the place of a body. */
const standIn =
  /^\W*(?:\w+[ _-]){0,3}(?:binary|redacted|omitted|truncated|filtered|masked|suppressed|stripped|too (?:large|long|big)|not (?:recorded|captured|logged|available))\b[^=:]*$|^\*+$/i

/** Whether bytes written as base64 or hex begin as JSON or a compressed body does. */
const isEncoded = (text: string): boolean => {
  const start = text.slice(0, 64)
  if (!/^[\w+/-]+={0,2}$/.test(start)) return false
  const isCoded = /^(?:[\da-f]{2}){4,}$/i.test(start)
  const isLong = text.length % 4 === 0 ? start.length >= 8 : start.length >= 24
  return (
    (isCoded && beginsAsBody(Buffer.from(start, 'hex'))) ||
    (isLong && beginsAsBody(Buffer.from(start, 'base64')))
  )
}

const beginsAsBody = (bytes: Buffer) =>
  (bytes[0] === 0x1f && bytes[1] === 0x8b) || /^\s*[[{]\s*["[{\]}]/.test(bytes.toString('latin1'))

const bodyOf = ({ documents, broken }: Parsed): Body =>
  broken ? { documents, unread: cutOff } : { documents }

/** Reads a text that is not empty. */
const readKind = (text: string, isError: boolean): Body => {
  if (/^[[{]/.test(text) || isSequence(text)) return bodyOf(readDocuments(text))
  if (isEventStream(text)) return bodyOf(readEventStream(text))
  const whole = readDocuments(text)
  if (!whole.broken) return bodyOf(whole)
  const called = callback.exec(text)?.[1]
  if (called !== undefined) return bodyOf(readDocuments(called))
  if (notText.test(text)) return { documents: [], unread: binary }
  if (isEncoded(text)) return { documents: [], unread: encoded }
  if (!isError && standIn.test(text)) return { documents: [], unread: left }
  if (isMultipart(text)) return bodyOf(readMultipart(text))
  if (isForm(text)) return bodyOf(readForm(text))
  // A page, or a message in words: neither bears fields.
  if (/^<(?:!doctype html|html)\b/i.test(text) || isError || isWords(text)) return { documents: [] }
  return { documents: [], unread: unknownKind }
}

const readText = (body: string, isError: boolean, depth: number): Body => {
  const text = body
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(guard, '')
  if (text === '') return { documents: [] }
  const read = readKind(text, isError)
  const inside = read.documents.map((document) => readValue(document, isError, depth + 1))
  const unread = read.unread ?? inside.find((one) => one.unread !== undefined)?.unread
  const documents = inside.flatMap((one) => one.documents)
  return { documents, ...present({ unread }) }
}

// A JSON string may hold a JSON text in its turn; a string of words holds nothing.
const readValue = (value: unknown, isError: boolean, depth: number): Body => {
  if (typeof value !== 'string') return { documents: [value] }
  return depth > 3 || (depth > 0 && !/^\s*[[{]/.test(value))
    ? { documents: [] }
    : readText(value, isError, depth)
}

/**
 * The JSON documents in a recorded body: one for a parsed value or a JSON text, several for a stream or a form, none for
 * nothing, a page or words. `status` is that of the answer it belongs to: an error's message in words holds no fields.
 */
export const readBody = (body: unknown, status?: number): Body =>
  readValue(body, status !== undefined && status >= 400, 0)
