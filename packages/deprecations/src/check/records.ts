// Puts records of JSON together from lines: one a line as a rule, several on a line, or one over several lines.
// A line is parsed once; only one that is not JSON of its own costs more.
import { endOfString, readDocuments } from '../matching/body-text.ts'

/** A record as it is written and, where it is JSON, what it says. */
export type Written = { text: string; value?: unknown; broken?: true }
export type RecordTaker = (record: Written, line: number) => void

const parsed = (text: string): Written => {
  try {
    return { text, value: JSON.parse(text) as unknown }
  } catch {
    return { text, broken: true }
  }
}

const sign = /["{}[\]]/g

/** How many brackets a line leaves open; undefined where a string does not end, which no line of JSON may do. */
const openedBy = (line: string): number | undefined => {
  let depth = 0
  sign.lastIndex = 0
  for (let found = sign.exec(line); found !== null; found = sign.exec(line)) {
    if (found[0] !== '"') depth += found[0] === '{' || found[0] === '[' ? 1 : -1
    else {
      const end = endOfString(line, found.index)
      if (end < 0) return undefined
      sign.lastIndex = end
    }
  }
  return depth
}

/** Whether a record over several lines can start so: something is left open, and the line ends where JSON may. */
const isStart = (line: string) => /^\s*\{/.test(line) && /[[{,:]\s*$/.test(line)

/** Whether a line is a record of its own, so that whatever was open before it was cut off. */
const isRecord = (line: string) => /^\s*\{.*"method"/s.test(line) && openedBy(line) === 0

export class RecordReader {
  private pending: string[] = []
  private depth = 0
  private length = 0
  private started = 0
  private readonly take: RecordTaker
  private readonly longest: number

  /** `longest`: the most characters of one record; what is longer is handed on as broken. */
  constructor(take: RecordTaker, longest: number) {
    this.take = take
    this.longest = longest
  }

  line(text: string, number: number) {
    if (this.pending.length > 0 && isRecord(text)) this.end()
    if (this.pending.length > 0) return this.add(text)
    this.started = number
    if (text.trim() === '') return
    const record = parsed(text)
    if (record.broken === undefined) this.take(record, number)
    else if (isStart(text)) this.add(text)
    else this.split(text)
  }

  /** Hands on what is still open, as broken. */
  end() {
    const text = this.pending.join('\n')
    this.pending = []
    this.depth = 0
    this.length = 0
    if (text !== '') this.take({ text, broken: true }, this.started)
  }

  private add(text: string) {
    const opened = openedBy(text)
    this.pending.push(text)
    this.length += text.length
    this.depth += opened ?? 0
    if (opened === undefined || this.length > this.longest) return this.end()
    if (this.depth > 0) return
    const all = this.pending.join('\n')
    this.pending = []
    this.end()
    this.split(all)
  }

  private split(text: string) {
    const { documents, broken } = readDocuments(text)
    if (broken) return this.take({ text, broken: true }, this.started)
    // Written anew, as the record is only a piece of the text; one of its own keeps it, with all that is written twice.
    if (documents.length === 1) return this.take({ text, value: documents[0] }, this.started)
    for (const value of documents) this.take({ text: JSON.stringify(value), value }, this.started)
  }
}
