// Reads and writes CSV (RFC 4180, and the dialects of spreadsheets). A line of NDJSON is read as a record of one cell,
// so both have line numbers and a size limit.
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse, type Info } from 'csv-parse'
import { stringify } from 'csv-stringify'
import { OperatorError } from '../problem.ts'

class UnreadableCsv extends OperatorError {
  override name = 'UnreadableCsv'
}

const MAX_BYTES = 65_536
/** JSON always escapes this control character, so it never splits a line. */
const NO_DELIMITER = '\u001F'

/** The apostrophe by which `writeCsv` escapes formulas. */
const ESCAPE = /^'(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/

/** Picks the most frequent of `,` `;` and tab in the first line that has one, such as `sep=;`. */
function delimiterOf(start: string): string {
  const lines = start.split(/\r?\n|\r/).map((line) => line.replaceAll(/"[^"]*"/g, ''))
  const bare = lines.find((line) => /[,;\t]/.test(line)) ?? ''
  const times = (delimiter: string) => bare.split(delimiter).length
  return [',', ';', '\t'].reduce((best, other) => (times(other) > times(best) ? other : best))
}

/**
 * @param start the beginning of the text, with at least its first line
 * @param text the whole text, in pieces
 * @throws {UnreadableCsv}, and errors of reading the text
 */
export async function* readCsv(
  kind: 'csv' | 'ndjson',
  start: string,
  text: AsyncIterable<string>,
): AsyncGenerator<{ line: number; cells: string[] }> {
  let last = 0
  const parser = parse({
    bom: true,
    info: true,
    delimiter: kind === 'csv' ? delimiterOf(start) : NO_DELIMITER,
    quote: kind === 'csv' ? '"' : false,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    ltrim: true,
    max_record_size: MAX_BYTES,
    on_record: (record: string[], { lines }: Info) => {
      last = lines
      return record
    },
  })
  // The end of the text, and an error of its source, reach the loop through the parser.
  pipeline(Readable.from(text), parser, () => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      const breaks = record.join().match(/\r\n|\r|\n/g)?.length ?? 0
      // The export of people can be used as a list, too.
      const cells = kind === 'csv' ? record.map((cell) => cell.replace(ESCAPE, '')) : record
      yield { line: info.lines - breaks, cells }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableCsv(
      `after line ${last}: an unclosed quote, or a line longer than ${MAX_BYTES / 1024} KiB`,
      { cause: error },
    )
  }
}

/** Quotes every cell, and escapes those that a spreadsheet would take for a formula (ASVS 5 1.2.10). */
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
