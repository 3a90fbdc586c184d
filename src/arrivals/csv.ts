// CSV in and out (RFC 4180, and what spreadsheets make of it), by csv-parse and csv-stringify. What surprises: a line of
// NDJSON is read as a record of one cell, so that both have line numbers and a limit for the length of a record.
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse, type Info } from 'csv-parse'
import { stringify } from 'csv-stringify'

export type CsvRecord = {
  /** Where it begins; the first line is 1. */
  line: number
  cells: string[]
}

/** The text is no CSV from some line on. The message says which and how to mend it. */
export class UnreadableCsv extends Error {
  override name = 'UnreadableCsv'
}

const MOST_BYTES = 65_536
/** A control character, which JSON never holds as it is: the line stays whole. */
const NONE = '\u001F'

/** The one of `,` `;` and tab that the first line has most of. */
function delimiterOf(start: string): string {
  const [line = ''] = start.split(/\r?\n|\r/, 1)
  const bare = line.replaceAll(/"[^"]*"/g, '')
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, times: bare.split(delimiter).length }))
  return counted.reduce((best, other) => (other.times > best.times ? other : best)).delimiter
}

export type TextOf = 'csv' | 'ndjson'

/**
 * @param start how the text begins: its first line at least
 * @param text the whole of it, in pieces
 * @throws {UnreadableCsv} and whatever reading the text throws
 */
export async function* readCsv(
  kind: TextOf,
  start: string,
  text: AsyncIterable<string>,
): AsyncGenerator<CsvRecord> {
  let last = 0
  const parser = parse({
    bom: true,
    info: true,
    delimiter: kind === 'csv' ? delimiterOf(start) : NONE,
    quote: kind === 'csv' ? '"' : false,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    ltrim: true,
    max_record_size: MOST_BYTES,
    on_record: (record: string[], { lines }: Info) => {
      last = lines
      return record
    },
  })
  // Its end, and a fault of the text's source, reach the loop through the parser.
  pipeline(Readable.from(text), parser, () => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      const breaks = record.join().match(/\r\n|\r|\n/g)?.length ?? 0
      yield { line: info.lines - breaks, cells: record }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableCsv(
      `after line ${last}: a quote is opened and not closed, or a line is longer than ${MOST_BYTES / 1024} KiB`,
      { cause: error },
    )
  }
}

/** One text a chunk, every cell quoted; no spreadsheet takes one for a formula (ASVS 5 1.2.10). */
export async function* writeCsv(
  rows: AsyncIterable<(string | number)[]>,
  header: string[],
): AsyncGenerator<string> {
  const writer = stringify({
    header: true,
    columns: header,
    quoted: true,
    quoted_empty: true,
    escape_formulas: true,
    record_delimiter: 'windows',
    encoding: 'utf8',
  })
  pipeline(Readable.from(rows), writer, () => {})
  for await (const chunk of writer) yield String(chunk)
}
