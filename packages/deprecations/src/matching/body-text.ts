// Reads JSON documents out of a text: one, several after each other, and the events of a stream. Pure.

import { isEncoded } from './bytes.ts'

export type Body = {
  documents: unknown[]
  /** Why some or all of it could not be read, as the end of a sentence: what was not read may hold anything. */
  unread?: string | undefined
}

/** A text that breaks more often than this is given up, so that reading takes linear time. */
const MAX_BREAKS = 20

export const CUT_OFF = 'is cut off or not JSON throughout'
const SIGN = /["{}[\]]/g
const SCALAR = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y
// oxlint-disable-next-line no-control-regex -- RFC 7464 puts a record separator before each document
const BETWEEN = /[\s,\u001e]*/y

/** Just behind the string that starts at `start`; -1 when it does not end. A regular expression would exhaust its stack. */
const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return -1
}

/**
 * Counts open brackets from `start`, outside of strings, to the end of the text or to where all are closed again.
 * @returns undefined where a string does not end
 */
export const bracketsFrom = (text: string, start: number, untilClosed: boolean) => {
  let depth = 0
  SIGN.lastIndex = start
  for (let found = SIGN.exec(text); found !== null; found = SIGN.exec(text)) {
    if (found[0] === '"') {
      const end = endOfString(text, found.index)
      if (end < 0) return undefined
      SIGN.lastIndex = end
    } else depth += found[0] === '{' || found[0] === '[' ? 1 : -1
    if (untilClosed && depth === 0) return { depth, end: SIGN.lastIndex }
  }
  return { depth, end: text.length }
}

/** Where the value that starts at `start` ends; -1 when it does not. */
const endOfValue = (text: string, start: number): number => {
  if (text[start] === '"') return endOfString(text, start)
  if (text[start] === '{' || text[start] === '[') {
    const brackets = bracketsFrom(text, start, true)
    return brackets?.depth === 0 ? brackets.end : -1
  }
  SCALAR.lastIndex = start
  return SCALAR.test(text) ? SCALAR.lastIndex : -1
}

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Every JSON document in a text, whatever white space, commas or record separators (RFC 7464) are between them. */
export const readDocuments = (text: string): Body => {
  const whole = parsed(text)
  if (whole !== undefined) return { documents: [whole.value] }
  const documents: unknown[] = []
  let breaks = 0
  for (let at = 0; breaks < MAX_BREAKS;) {
    BETWEEN.lastIndex = at
    BETWEEN.test(text)
    at = BETWEEN.lastIndex
    if (at >= text.length) return { documents, unread: breaks > 0 ? CUT_OFF : undefined }
    const end = endOfValue(text, at)
    const piece = end < 0 ? '' : text.slice(at, end)
    const document = parsed(piece)
    if (document !== undefined) documents.push(document.value)
    if (document !== undefined || piece === '[DONE]') at = end
    else {
      // The next line may be whole again.
      breaks += 1
      const line = text.indexOf('\n', at)
      at = line < 0 ? text.length : line + 1
    }
  }
  return { documents, unread: CUT_OFF }
}

/** Whether a text begins as a sequence of JSON texts does (RFC 7464). */
export const isSequence = (text: string): boolean => text.startsWith('\u001e')

/** Whether a text begins as a stream of events does (HTML standard, 9.2.5). */
export const isEventStream = (text: string): boolean => /^(?:(?:data|event|id|retry)\s?:|:)/.test(text)

/** Whether the data of an event has no structure, so that no field can be in it. */
const isProse = (text: string) =>
  !/[{}<>\\]|^[["]|;base64,/.test(text) && !isSequence(text) && !isEncoded(text)

/** The JSON documents in the events of a stream; the data of an event may be spread over several lines. */
export const readEventStream = (text: string): Body => {
  const body: Body = { documents: [] }
  let data: string[] = []
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    const [, name = '', value = ''] = /^([^:]*)(?::[ ]?([^]*))?$/.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (line === '') {
      const event = data.join('\n').trim()
      data = []
      // Words bear no fields.
      if (isProse(event) || event === '[DONE]') continue
      const { documents, unread } = readDocuments(event)
      body.documents.push(...documents)
      body.unread ??= unread
    } else if (name !== '' && !/^(?:event|id|retry)$/.test(name)) body.unread = CUT_OFF
  }
  return body
}
