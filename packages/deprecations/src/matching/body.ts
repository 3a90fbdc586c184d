// The JSON documents in a body, however it was recorded: parsed, as text, as a stream of documents or events, as a form.
// Pure. A body that cannot be read is not the same as one that holds nothing: it may hold anything.
import { isForm, isMultipart, readForm, readMultipart } from './body-form.ts'
import { isEventStream, isSequence, readDocuments, readEventStream, type Body } from './body-text.ts'

const MAX_TEXTS_IN_TEXTS = 3

/** What services put before JSON so that no other site can run it as a script. */
const GUARD = /^(?:\)\]\}'?,?|while\s*\(\s*1\s*\);?|for\s*\(;;\);?|throw\s+1;?)\s*/
const CALLBACK = /^(?:\/\*\*\/\s*)?[\w$.]{1,100}\(\s*([[{][^]*)\)\s*;?$/
// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\u0000-\u0008\u000e-\u001a\uFFFD]/
const PAGE = /^<(?:!doctype html|html)\b/i
/** One line of words; what may be a table or encoded is not. */
const isWords = (text: string) => /^[^{}[\]<>=:"\\\r\n]*$/.test(text) && !/\S{60}/.test(text)

/** What recorders write in the place of a body. */
const STAND_IN =
  /^\W*(?:\w+[ _-]){0,3}(?:binary|redacted|omitted|truncated|filtered|masked|suppressed|stripped|too (?:large|long|big)|not (?:recorded|captured|logged|available))\b[^=:]*$|^\*+$/i

const beginsAsBody = (bytes: Buffer) =>
  (bytes[0] === 0x1f && bytes[1] === 0x8b) || /^\s*[[{]\s*["[{\]}]/.test(bytes.toString('latin1'))

/** Whether bytes written as base64 or hex begin as JSON or a compressed body does. */
const isEncoded = (text: string): boolean => {
  const start = text.slice(0, 64)
  if (!/^[\w+/-]+={0,2}$/.test(start)) return false
  const isHex = /^(?:[\da-f]{2}){4,}$/i.test(start)
  const isBase64 = start.length >= (text.length % 4 === 0 ? 8 : 24)
  return (
    (isHex && beginsAsBody(Buffer.from(start, 'hex'))) ||
    (isBase64 && beginsAsBody(Buffer.from(start, 'base64')))
  )
}

/** Reads a text that is not empty. */
const readKind = (text: string, isError: boolean): Body => {
  if (/^[[{]/.test(text) || isSequence(text)) return readDocuments(text)
  if (isEventStream(text)) return readEventStream(text)
  const whole = readDocuments(text)
  if (whole.unread === undefined) return whole
  const called = CALLBACK.exec(text)?.[1]
  if (called !== undefined) return readDocuments(called)
  if (NOT_TEXT.test(text)) return { documents: [], unread: 'is binary or compressed' }
  if (isEncoded(text)) return { documents: [], unread: 'is encoded (base64 or hex)' }
  if (!isError && STAND_IN.test(text)) return { documents: [], unread: 'was left out by the recorder' }
  if (isMultipart(text)) return readMultipart(text)
  if (isForm(text)) return readForm(text)
  // A page, or a message in words: neither bears fields.
  if (PAGE.test(text) || isError || isWords(text)) return { documents: [] }
  return { documents: [], unread: 'is not in a form that is read (JSON, JSON lines, events, a form)' }
}

// A JSON string may hold a JSON text in its turn; a string of words holds nothing.
const readValue = (value: unknown, isError: boolean, depth: number): Body => {
  if (typeof value !== 'string') return { documents: [value] }
  if (depth > MAX_TEXTS_IN_TEXTS || (depth > 0 && !/^\s*[[{]/.test(value))) return { documents: [] }
  const text = value
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(GUARD, '')
  if (text === '') return { documents: [] }
  const { documents, unread } = readKind(text, isError)
  const inside = documents.map((document) => readValue(document, isError, depth + 1))
  return {
    documents: inside.flatMap((one) => one.documents),
    unread: unread ?? inside.find((one) => one.unread !== undefined)?.unread,
  }
}

/**
 * The JSON documents in a recorded body: one for a parsed value or a JSON text, several for a stream or a form, none for
 * nothing, a page or words. `status` is that of the answer it belongs to: an error's message in words holds no fields.
 */
export const readBody = (body: unknown, status?: number): Body =>
  readValue(body, status !== undefined && status >= 400, 0)
