// CSV: a reader that takes text in pieces (RFC 4180, and what spreadsheets make of it), and cells for writing that no
// spreadsheet takes for a formula. Pure.

export type CsvRecord = {
  /** Where it begins; the first line is 1. */
  line: number
  cells: string[]
}

const MOST_CHARACTERS = 65_536

/** A quote that was opened and never closed swallows the rest of the file. */
export class UnclosedQuote extends Error {
  override name = 'UnclosedQuote'
}

/** The one of `,` `;` and tab that the first line has most of. */
function delimiterOf(line: string): string {
  const bare = line.replaceAll(/"[^"]*"/g, '')
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, times: bare.split(delimiter).length }))
  return counted.reduce((best, other) => (other.times > best.times ? other : best)).delimiter
}

export type CsvReader = { feed(text: string): CsvRecord[]; end(): CsvRecord[] }

/** @param isPlain a record is a line, with nothing to take apart in it */
export function createCsvReader({ isPlain = false } = {}): CsvReader {
  let rest = ''
  let line = 1
  let delimiter: string | undefined

  /** Takes one record from the front of the rest, or nothing while its end has not come. */
  function next(isEnd: boolean): CsvRecord | undefined {
    const end = endOf(rest, isPlain)
    if (rest.length > MOST_CHARACTERS && (end < 0 || end > MOST_CHARACTERS))
      throw new UnclosedQuote(`line ${line}: a quote is opened and not closed, or the line is far too long`)
    if (end < 0 && !(isEnd && rest !== '')) return undefined
    const raw = end < 0 ? rest : rest.slice(0, end)
    if (end < 0 && !isPlain && raw.split('"').length % 2 === 0)
      throw new UnclosedQuote(`line ${line}: a quote is opened and not closed`)
    rest = end < 0 ? '' : rest.slice(end + 1)
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    delimiter ??= delimiterOf(text)
    const record = { line, cells: isPlain ? [text] : cellsOf(text, delimiter) }
    line += raw.split('\n').length
    return record
  }

  function all(isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = []
    for (let record = next(isEnd); record !== undefined; record = next(isEnd)) records.push(record)
    return records
  }

  return {
    feed(text) {
      rest += text
      return all(false)
    },
    end: () => all(true),
  }
}

/** Where the record's last line ends: line breaks between quotes belong to it. */
function endOf(text: string, isPlain: boolean): number {
  let from = 0
  for (;;) {
    const end = text.indexOf('\n', from)
    if (end < 0 || isPlain || text.slice(0, end).split('"').length % 2 === 1) return end
    from = end + 1
  }
}

function cellsOf(text: string, delimiter: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (isQuoted && character === '"' && text[index + 1] === '"') {
      cell += '"'
      index++
    } else if (character === '"' && (isQuoted || cell.trim() === '')) {
      isQuoted = !isQuoted
      if (isQuoted) cell = ''
    } else if (character === delimiter && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}

/** A spreadsheet runs what begins so (ASVS 5 1.2.10): the apostrophe makes it text. */
const isFormula = (text: string) => /^[=+\-@\t\r\n\0＝＋－＠]/.test(text)

/** One line of CSV (RFC 4180), every cell quoted. */
export const csvLine = (cells: readonly (string | number)[]): string =>
  `${cells
    .map((cell) => {
      const text = String(cell)
      return `"${(typeof cell === 'string' && isFormula(text) ? `'${text}` : text).replaceAll('"', '""')}"`
    })
    .join(',')}\r\n`
