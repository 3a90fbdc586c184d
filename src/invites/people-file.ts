// Reads who is to be invited: CSV (with or without a header; comma, semicolon or tab), NDJSON, or one address a line.
// A row at a time, so that a long list takes no more memory than a short one.
import { TextDecoder } from 'node:util'
import { addressToInvite } from './address.ts'
import { readCsv, type TextOf } from './csv.ts'

export type Invitee = {
  email: string
  name?: string
  /** A department, a place: the report counts by it. */
  group?: string
}

export type Row =
  | { kind: 'person'; line: number; bytes: number; person: Invitee }
  | { kind: 'fault'; line: number; bytes: number; fault: string }

/** The whole file cannot be read: another encoding, no column of addresses. The message says how to mend it. */
export class UnreadablePeople extends Error {
  override name = 'UnreadablePeople'
}

const EMAIL_HEADER = /^(e-?mail([ _-]?address)?|mail|user[ _-]?principal[ _-]?name|upn)$/i
const NAME_HEADER = /^((full|display|first|given)[ _-]?)?name$/i
const GROUP_HEADER = /^(group|department|dept|team|division|office|location|cost[ _-]?cent(er|re))$/i
const MOST_NAME_CHARACTERS = 100

type Read = { person: Invitee } | { fault: string }

type Cells = { email: unknown; name: unknown; group: unknown }

/** @param cells what stands in the row, untrusted */
function personOf({ email, name, group }: Cells): Read {
  if (typeof email !== 'string' || email.trim() === '') return { fault: 'there is no address' }
  const address = addressToInvite(email)
  if (address === undefined) return { fault: 'this is not one plain email address' }
  const called = typeof name === 'string' ? name.trim() : ''
  const belongs = typeof group === 'string' ? group.trim() : ''
  for (const [what, text] of [
    ['name', called],
    ['group', belongs],
  ] as const) {
    if (/[\p{Cc}\u2028\u2029]/u.test(text))
      return { fault: `the ${what} holds a line break or a control character` }
    if (text.length > MOST_NAME_CHARACTERS) return { fault: `the ${what} is too long` }
  }
  const named = called === '' ? {} : { name: called }
  return { person: { email: address, ...named, ...(belongs === '' ? {} : { group: belongs }) } }
}

function jsonPerson(line: string): Read {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'string') return personOf({ email: value, name: undefined, group: undefined })
    if (typeof value !== 'object' || value === null)
      return { fault: 'this is neither an object nor an address' }
    const named = (pattern: RegExp) =>
      Object.entries(value).find(([key]) => pattern.test(key))?.[1] as unknown
    return personOf({ email: named(EMAIL_HEADER), name: named(NAME_HEADER), group: named(GROUP_HEADER) })
  } catch {
    return { fault: 'this is not JSON' }
  }
}

type Columns = { email: number; name: number; group: number; hasHeader: boolean }

function columnsOf(cells: readonly string[]): Columns {
  const index = (pattern: RegExp) => cells.findIndex((cell) => pattern.test(cell.trim()))
  const email = index(EMAIL_HEADER)
  if (email >= 0) return { email, name: index(NAME_HEADER), group: index(GROUP_HEADER), hasHeader: true }
  const first = cells.findIndex((cell) => cell.includes('@'))
  if (first >= 0) return { email: first, name: -1, group: -1, hasHeader: false }
  throw new UnreadablePeople('no column is called email, and the first line holds no address')
}

/** @throws {UnreadablePeople} {UnreadableCsv} */
export async function* readPeople(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Row> {
  const text = decoded(source)
  const first = await text.next()
  if (first.done === true) return
  const kind: TextOf = /^\s*\{/.test(first.value) ? 'ndjson' : 'csv'
  let columns: Columns | undefined
  for await (const { line, bytes, cells } of readCsv(kind, first.value, withFirst(first.value, text))) {
    if (cells.every((cell) => cell.trim() === '')) continue
    if (kind === 'csv' && columns === undefined) {
      columns = columnsOf(cells)
      if (columns.hasHeader) continue
    }
    const read = columns === undefined ? jsonPerson(cells[0] ?? '') : personOf(inColumns(columns, cells))
    yield 'person' in read
      ? { kind: 'person', line, bytes, person: read.person }
      : { kind: 'fault', line, bytes, fault: read.fault }
  }
}

const inColumns = ({ email, name, group }: Columns, cells: readonly string[]): Cells => ({
  email: cells[email],
  name: cells[name],
  group: cells[group],
})

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

/** The text in pieces; the first one holds the first line. @throws {UnreadablePeople} */
async function* decoded(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let start: string | undefined = ''
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk)
    if (start === '') refuseOtherEncodings(bytes)
    const piece = decodedWith(decoder, bytes)
    if (start === undefined) yield piece
    else start += piece
    if (start === undefined || (!/\S.*[\r\n]/.test(start) && start.length < MOST_START)) continue
    yield start
    start = undefined
  }
  const rest = (start ?? '') + decodedWith(decoder)
  if (rest !== '') yield rest
}

/** More without a line break is no list. */
const MOST_START = 65_536

function refuseOtherEncodings(start: Uint8Array): void {
  const mark = Buffer.from(start.subarray(0, 2)).toString('hex')
  if (mark === 'fffe' || mark === 'feff' || start.subarray(0, 64).includes(0))
    throw new UnreadablePeople('the file is UTF-16, as Excel writes "Unicode text": save it as "CSV UTF-8"')
}

/** @param bytes absent: the end, where half a character is one too */
function decodedWith(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    throw new UnreadablePeople('the file is not UTF-8: save it as "CSV UTF-8"')
  }
}
