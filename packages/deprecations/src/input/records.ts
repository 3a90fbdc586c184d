// Puts records of JSON together from lines: one a line as a rule, several on a line, or one over several lines.
// A line is parsed once; only one that is not JSON of its own costs more.
import { bracketsFrom, readDocuments } from '../matching/body-text.ts'
import { MAX_LINE } from './lines.ts'

/** A record as it is written and, unless it is broken, what was parsed of it. */
export type Written = { text: string; value?: unknown; broken?: true }

const parsed = (text: string): Written => {
  try {
    return { text, value: JSON.parse(text) as unknown }
  } catch {
    return { text, broken: true }
  }
}

/** How many brackets a line leaves open; undefined where a string does not end, which no line of JSON may do. */
const openedBy = (line: string) => bracketsFrom(line, 0, false)?.depth

/** Whether a record over several lines can start so: something is left open, and the line ends where JSON may. */
const isStart = (line: string) => /^\s*\{/.test(line) && /[[{,:]\s*$/.test(line)

/** Whether a line is a record of its own, so that what was open before it was cut off. */
const isWhole = (line: string) => /^\s*\{.*"method"/s.test(line) && openedBy(line) === 0

/**
 * Takes lines, and hands on the records in them with the line on which each starts. One that is longer than a line may be
 * is handed on as broken, as is what is still open at the end.
 */
export const createRecordReader = (take: (record: Written, line: number) => void) => {
  let pending: string[] = []
  let [depth, length, started] = [0, 0, 0]

  const takePending = () => {
    const text = pending.join('\n')
    pending = []
    depth = 0
    length = 0
    return text
  }
  const end = () => {
    const text = takePending()
    if (text !== '') take({ text, broken: true }, started)
  }
  const split = (text: string) => {
    const { documents, unread } = readDocuments(text)
    if (unread !== undefined) take({ text, broken: true }, started)
    // Only a record of its own keeps the text, with all that is written twice; a piece of it is written anew.
    else if (documents.length === 1) take({ text, value: documents[0] }, started)
    else for (const value of documents) take({ text: JSON.stringify(value), value }, started)
  }
  const add = (text: string) => {
    const opened = openedBy(text)
    pending.push(text)
    length += text.length
    depth += opened ?? 0
    if (opened === undefined || length > MAX_LINE) end()
    else if (depth <= 0) split(takePending())
  }
  const line = (text: string, number: number) => {
    if (pending.length > 0 && isWhole(text)) end()
    if (pending.length > 0) return add(text)
    started = number
    if (text.trim() === '') return
    const record = parsed(text)
    if (record.broken === undefined) take(record, number)
    else if (isStart(text)) add(text)
    else split(text)
  }
  return { line, end }
}
