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

const LEFT_OUT = 'was left out by the recorder'

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
  if (isMultipart(text)) return readMultipart(text)
  if (isForm(text)) return readForm(text)
  // Words bear no fields; whether they are the body is judged at the end.
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

/** Whether a text is what servers answer besides documents: nothing, a page, events whose data are words. */
const isAnswer = (text: string, side: Side) =>
  text === '' || (side === 'response' && (PAGE.test(text) || isEventStream(text)))

/**
 * The JSON documents in a recorded body: one for a parsed value or a JSON text, several for a stream or a form, none for
 * nothing or for an error's message in words; a page is its text. `status` is that of the answer.
 * No operation takes or answers with words or a number: where they are in the place of a body, it was not kept.
 */
export const readBody = (
  body: unknown,
  { side, status = 0 }: { side: Side; status?: number | undefined },
): Body => {
  const isError = side === 'response' && status >= 400
  const read = readValue(body, isError, 0)
  if (isError || read.unread !== undefined || read.documents.some(isObject)) return read
  if (typeof body === 'string' && isAnswer(body.trim(), side)) return read
  return { ...read, unread: LEFT_OUT }
}
