// Reads who is to be invited: CSV (with or without a header; comma, semicolon or tab), NDJSON, or one address a line.
// A row at a time, so that a long list takes no more memory than a short one.
import { TextDecoder } from 'node:util'
import { readCsv, withoutEscape } from '../people/csv.ts'
import { columnsOf, jsonPerson, personOf, UnreadablePeople, type Columns, type Read } from './invitee.ts'

export type Row = Read & { line: number }

/** @throws {UnreadablePeople} {UnreadableCsv} */
export async function* readPeople(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Row> {
  const text = decoded(source)
  const first = await text.next()
  if (first.done === true) return
  if (/^\s*\[\s*[[{"]/.test(first.value))
    throw new UnreadablePeople(
      'the list is a JSON array. Convert it to one object per line (NDJSON) with `jq -c .[]`',
    )
  const kind = /^\s*\{/.test(first.value) ? 'ndjson' : 'csv'
  let columns: Columns | undefined
  for await (const { line, cells } of readCsv(kind, first.value, withFirst(first.value, text))) {
    if (cells.every((cell) => cell.trim() === '')) continue
    if (kind === 'csv' && columns === undefined) {
      const first = columnsOf(cells)
      columns = first.columns
      if (first.hasHeader) continue
    }
    // The export of people can be a list, too.
    const read =
      columns === undefined ? jsonPerson(cells[0] ?? '') : personOf(columns, cells.map(withoutEscape))
    yield { line, ...read }
  }
}

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

/** A first line that is longer is no list. Characters. */
const MAX_START = 65_536

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
    if (start === undefined || (!/[\r\n]/.test(start.trimStart()) && start.length < MAX_START)) continue
    yield start
    start = undefined
  }
  const rest = (start ?? '') + decodedWith(decoder)
  if (rest !== '') yield rest
}

function refuseOtherEncodings(start: Uint8Array): void {
  const mark = Buffer.from(start.subarray(0, 2)).toString('hex')
  if (mark === 'fffe' || mark === 'feff' || start.subarray(0, 64).includes(0))
    throw new UnreadablePeople('the file is UTF-16 ("Unicode text" in Excel). Save it as "CSV UTF-8"')
}

/** @param bytes absent: the end, where half a character is a fault too @throws {UnreadablePeople} */
function decodedWith(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    throw new UnreadablePeople('the file is not UTF-8. Save it as "CSV UTF-8"')
  }
}
