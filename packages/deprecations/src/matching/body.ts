// The JSON documents in a body, however it was recorded: parsed, as text, as a stream of documents or events, as a form.
// Pure. A body that cannot be read is not the same as one that holds nothing: it may hold anything.
import type { Side } from '../schedule/schedule.ts'
import { isForm, isMultipart, readForm, readMultipart } from './body-form.ts'
import { isEncoded } from './bytes.ts'
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

/** What recorders write in the place of a body: words for it, its size, or nothing but signs. */
const STAND_IN =
  /^\W*(?:\w+[ _-]){0,3}(?:binary|redacted|omitted|truncated|filtered|masked|suppressed|stripped|too (?:large|long|big)|not (?:recorded|captured|logged|available))\b[^=:]*$|^[^\p{L}\p{N}]+$|^\w+ ?\(\d+\)$|^\W*\d[\d.,]*\s*(?:[kmg]i?)?b(?:ytes?)?\W*$|^\W*(?:none|nil|undefined|n\/a|hidden|body|content|payload)\W*$/iu

/** Whether a text is what a recorder writes in the place of a body. */
export const isStandIn = (text: unknown): boolean => typeof text === 'string' && STAND_IN.test(text.trim())

const LEFT_OUT = 'was left out by the recorder'

/** Reads a text that is not empty. */
const readKind = (text: string, isError: boolean): Body => {
  if (/^[[{]/.test(text) || isSequence(text)) return readDocuments(text)
  if (isEventStream(text)) return readEventStream(text)
  if (!isError && STAND_IN.test(text)) return { documents: [], unread: LEFT_OUT }
  const whole = readDocuments(text)
  if (whole.unread === undefined) return whole
  const called = CALLBACK.exec(text)?.[1]
  if (called !== undefined) return readDocuments(called)
  if (NOT_TEXT.test(text)) return { documents: [], unread: 'is binary or compressed' }
  if (isEncoded(text)) return { documents: [], unread: 'is encoded (base64 or hex)' }
  if (isMultipart(text)) return readMultipart(text)
  if (isForm(text)) return readForm(text)
  // A page, or a message in words: neither bears fields.
  if (isError || isWords(text)) return { documents: [] }
  if (PAGE.test(text)) return { documents: [text] }
  return { documents: [], unread: 'is not in a form that is read (JSON, JSON lines, events, a form)' }
}

const isText = (value: string) => /^\s*(?:[[{]|"\s*\\*["[{])/.test(value)

// A JSON string may hold a JSON text in its turn; a string of words holds nothing.
const readValue = (value: unknown, isError: boolean, depth: number): Body => {
  if (typeof value !== 'string' || PAGE.test(value)) return { documents: [value] }
  if (depth > 0 && !isText(value)) return { documents: [] }
  if (depth > MAX_TEXTS_IN_TEXTS) return { documents: [], unread: 'is a text within too many others' }
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

const isObject = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length === 0 || value.some(isObject)
    : typeof value === 'object' && value !== null

/**
 * The JSON documents in a recorded body: one for a parsed value or a JSON text, several for a stream or a form, none for
 * nothing or words; a page is its text. `status` is that of the answer: an error's message in words holds no fields.
 * No operation takes words or a number, so a request of these was not kept.
 */
export const readBody = (
  body: unknown,
  { side, status = 0 }: { side: Side; status?: number | undefined },
): Body => {
  const read = readValue(body, side === 'response' && status >= 400, 0)
  const isNothing = typeof body === 'string' && body.trim() === ''
  if (side === 'response' || isNothing || read.unread !== undefined || read.documents.some(isObject))
    return read
  return { ...read, unread: LEFT_OUT }
}
