// Reads the forms that a body may be instead of JSON: url-encoded, and multipart (RFC 7578).
// Names lead to where a field is: `a[b]` and `a.b` are `b` inside `a`. No value is ever reported.
import { CUT_OFF, readDocuments, type Body } from './body-text.ts'

const MAX_STEPS = 20

const within = (name: string, value: unknown): unknown =>
  name
    .split(/[[\].]+/)
    .filter((step) => step !== '')
    .slice(0, MAX_STEPS)
    .reduceRight<unknown>((inner, step) => (/^\d+$/.test(step) ? [inner] : { [step]: inner }), value)

/** The fields of a form as documents of their own. A value that is JSON may bear fields itself. */
const readFields = (fields: Iterable<readonly [string, string]>): Body => {
  const body: Body = { documents: [] }
  for (const [name, text] of fields) {
    const { documents, unread } = /^\s*[[{]/.test(text) ? readDocuments(text) : { documents: [] }
    const values = documents.length === 0 ? [text] : documents
    body.documents.push(...values.map((value) => within(name, value)))
    body.unread ??= unread
  }
  return body
}

const isBase64 = (text: string) => /^[\w+/-]{11,}={1,2}$/.test(text) && text.length % 4 === 0

/** Whether a text looks like `name=value&name=value`. The end of base64 looks like a name without a value. */
export const isForm = (text: string): boolean => /^[^\s=&{}"<>]+=[^\r\n]*$/.test(text) && !isBase64(text)

/** The fields of an url-encoded form. */
export const readForm = (text: string): Body => readFields(new URLSearchParams(text.trim()))

/** Whether a text looks like a multipart form. */
export const isMultipart = (text: string): boolean =>
  /^--\S{1,70}\r?\ncontent-/i.test(text.slice(0, 200)) && /content-disposition\s*:/i.test(text)

/** The parts of a multipart form. */
export const readMultipart = (text: string): Body => {
  const boundary = text.slice(0, text.indexOf('\n')).trimEnd()
  const [, ...parts] = `\n${text}`.split(`\n${boundary}`)
  const ended = parts.at(-1)?.startsWith('--') === true
  const fields = (ended ? parts.slice(0, -1) : parts).map((part): [string, string] => {
    const [, head = '', content = ''] = /^([^]*?)\r?\n\r?\n([^]*)$/.exec(part) ?? []
    return [/;\s*name="?([^";\r\n]*)/i.exec(head)?.[1] ?? '', content]
  })
  const body = readFields(fields)
  const isNamed = fields.every(([name]) => name !== '')
  return ended && isNamed ? body : { ...body, unread: CUT_OFF }
}
