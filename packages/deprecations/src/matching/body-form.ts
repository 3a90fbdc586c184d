// Reads the forms that a body may be instead of JSON: url-encoded, and multipart (RFC 7578).
// Names lead to where a field lies: `a[b]` and `a.b` are `b` inside `a`. Values are kept only where they are JSON.
import { readDocuments, type Parsed } from './body-text.ts'

const MAX_STEPS = 20

/** A value of a form: parsed where it is JSON, for it may bear the fields itself, and null otherwise. */
const valueOf = (text: string): Parsed =>
  /^\s*[[{]/.test(text) ? readDocuments(text) : { documents: [null], broken: false }

const within = (name: string, value: unknown): unknown =>
  name
    .split(/[[\].]+/)
    .filter((step) => step !== '')
    .slice(0, MAX_STEPS)
    .reduceRight<unknown>((inner, step) => (/^\d+$/.test(step) ? [inner] : { [step]: inner }), value)

/** The fields of a form as documents of their own. */
const readFields = (fields: Iterable<readonly [string, string]>): Parsed => {
  const documents: unknown[] = []
  let broken = false
  for (const [name, text] of fields) {
    const value = valueOf(text)
    documents.push(
      ...(value.documents.length === 0 ? [null] : value.documents).map((one) => within(name, one)),
    )
    broken ||= value.broken
  }
  return { documents, broken }
}

/** Whether a text looks like `name=value&name=value`. */
export const isForm = (text: string): boolean => /^[^\s=&{}"<>]+=[^\r\n]*$/.test(text)

/** The fields of an url-encoded form. */
export const readForm = (text: string): Parsed => readFields(new URLSearchParams(text.trim()))

/** Whether a text looks like a multipart form. */
export const isMultipart = (text: string): boolean =>
  /^--\S{1,70}\r?\ncontent-/i.test(text.slice(0, 200)) && /content-disposition\s*:/i.test(text)

/** The parts of a multipart form; one whose end is missing is broken. */
export const readMultipart = (text: string): Parsed => {
  const boundary = text.slice(0, text.indexOf('\n')).trimEnd()
  const [, ...parts] = `\n${text}`.split(`\n${boundary}`)
  const ended = parts.at(-1)?.startsWith('--') === true
  const fields = (ended ? parts.slice(0, -1) : parts).map((part): [string, string] => {
    const [, head = '', content = ''] = /^([^]*?)\r?\n\r?\n([^]*)$/.exec(part) ?? []
    return [/;\s*name="?([^";\r\n]*)/i.exec(head)?.[1] ?? '', content]
  })
  const read = readFields(fields)
  return { documents: read.documents, broken: read.broken || !ended }
}
