// Reads who is to be invited: CSV (with or without a header; comma, semicolon or tab), NDJSON, or one address a line.
// A row at a time, so that a long list takes no more memory than a short one.
import { TextDecoder } from 'node:util'
import { addressToInvite } from './address.ts'
import { createCsvReader, type CsvRecord } from './csv.ts'

export type Invitee = { email: string; name?: string }

export type Row =
  | { kind: 'person'; line: number; bytes: number; person: Invitee }
  | { kind: 'fault'; line: number; bytes: number; fault: string }

/** The whole file cannot be read: another encoding, no column of addresses. The message says how to mend it. */
export class UnreadablePeople extends Error {
  override name = 'UnreadablePeople'
}

const EMAIL_HEADER = /^(e-?mail([ _-]?address)?|mail|user[ _-]?principal[ _-]?name|upn)$/i
const NAME_HEADER = /^((full|display|first|given)[ _-]?)?name$/i
const MOST_NAME_CHARACTERS = 100

type Read = { person: Invitee } | { fault: string }

/** @param cells what stands in the row, untrusted */
function personOf(email: unknown, name: unknown): Read {
  if (typeof email !== 'string' || email.trim() === '') return { fault: 'there is no address' }
  const address = addressToInvite(email)
  if (address === undefined) return { fault: 'this is not one plain email address' }
  const called = typeof name === 'string' ? name.trim() : ''
  if (/[\p{Cc}\u2028\u2029]/u.test(called))
    return { fault: 'the name holds a line break or a control character' }
  if (called.length > MOST_NAME_CHARACTERS) return { fault: 'the name is too long' }
  return { person: called === '' ? { email: address } : { email: address, name: called } }
}

function jsonPerson(line: string): Read {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'string') return personOf(value, undefined)
    if (typeof value !== 'object' || value === null)
      return { fault: 'this is neither an object nor an address' }
    const named = (pattern: RegExp) =>
      Object.entries(value).find(([key]) => pattern.test(key))?.[1] as unknown
    return personOf(named(EMAIL_HEADER), named(NAME_HEADER))
  } catch {
    return { fault: 'this is not JSON' }
  }
}

type Columns = { email: number; name: number; hasHeader: boolean }

function columnsOf({ cells }: CsvRecord): Columns {
  const index = (pattern: RegExp) => cells.findIndex((cell) => pattern.test(cell.trim()))
  const email = index(EMAIL_HEADER)
  if (email >= 0) return { email, name: index(NAME_HEADER), hasHeader: true }
  const first = cells.findIndex((cell) => cell.includes('@'))
  if (first >= 0) return { email: first, name: -1, hasHeader: false }
  throw new UnreadablePeople('no column is called email, and the first line holds no address')
}

/** @throws {UnreadablePeople} */
export async function* readPeople(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Row> {
  let columns: Columns | undefined
  for await (const { isJson, bytes, record } of recordsOf(source)) {
    const { line, cells } = record
    if (cells.every((cell) => cell.trim() === '')) continue
    if (!isJson && columns === undefined) {
      columns = columnsOf(record)
      if (columns.hasHeader) continue
    }
    const [email, name] = [cells[columns?.email ?? 0], cells[columns?.name ?? -1]]
    const read = isJson ? jsonPerson(cells[0] ?? '') : personOf(email, name)
    yield 'person' in read
      ? { kind: 'person', line, bytes, person: read.person }
      : { kind: 'fault', line, bytes, fault: read.fault }
  }
}

type Found = { isJson: boolean; bytes: number; record: CsvRecord }

/** The records of the file, each with how many bytes were read when it was found. */
async function* recordsOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Found> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let reader: ReturnType<typeof createCsvReader> | undefined
  let isJson = false
  let bytes = 0
  for await (const chunk of source) {
    const buffer = Buffer.from(chunk)
    if (bytes === 0) refuseOtherEncodings(buffer)
    bytes += buffer.length
    const text = decodedWith(decoder, buffer)
    isJson = reader === undefined ? text.trimStart().startsWith('{') : isJson
    reader ??= createCsvReader({ isPlain: isJson })
    for (const record of reader.feed(text)) yield { isJson, bytes, record }
  }
  for (const record of reader?.end() ?? []) yield { isJson, bytes, record }
}

function refuseOtherEncodings(start: Buffer): void {
  const mark = start.subarray(0, 2).toString('hex')
  if (mark === 'fffe' || mark === 'feff' || start.subarray(0, 64).includes(0))
    throw new UnreadablePeople('the file is UTF-16, as Excel writes "Unicode text": save it as "CSV UTF-8"')
}

function decodedWith(decoder: TextDecoder, buffer: Buffer): string {
  try {
    return decoder.decode(buffer, { stream: true })
  } catch {
    throw new UnreadablePeople('the file is not UTF-8: save it as "CSV UTF-8"')
  }
}
