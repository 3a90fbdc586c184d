// Reads who is to be invited: CSV (with or without a header; comma, semicolon or tab), NDJSON, or one address a line. A row
// at a time, so that a long list takes no more memory than a short one. Everything in it is untrusted: it goes into headers,
// emails, terminals and pages.
import { TextDecoder } from 'node:util'
import { printable } from '@onramp/deprecations/command-line/printable'
import { canonicalLanguage, isTimezone } from '../company/schema.ts'
import { addressToInvite } from '../people/address.ts'
import { readCsv, withoutEscape } from '../people/csv.ts'
import { Explained } from '../problem.ts'

export type Invitee = {
  email: string
  name?: string
  /** A department or a place: the report counts by it. */
  group?: string
  /** In which language to write to them: a tag (BCP 47), whether it is offered or not. */
  language?: string
  /** Where they are (IANA), such as Europe/Berlin. */
  timezone?: string
}

export type Row = { line: number } & ({ kind: 'person'; person: Invitee } | { kind: 'fault'; fault: string })

/** The whole list cannot be read: another encoding, or no column of addresses. The message says what to do. */
export class UnreadablePeople extends Explained {
  override name = 'UnreadablePeople'
}

/** A row that is no person. The message says why. */
class Fault extends Error {}

/**
 * @param onColumns gets which columns are taken and which ignored, once, for people
 * @throws {UnreadablePeople} {UnreadableCsv}
 */
export async function* readPeople(
  source: AsyncIterable<Uint8Array | string>,
  onColumns: (words: string) => void = () => {},
): AsyncGenerator<Row> {
  const text = decoded(source)
  const first = await text.next()
  if (first.done === true) return
  if (/^\s*\[\s*[[{"]/.test(first.value))
    throw new UnreadablePeople(
      'the list is a JSON array. Convert it to one object per line (NDJSON) with `jq -c .[]`',
    )
  const kind = /^\s*\{/.test(first.value) ? 'ndjson' : 'csv'
  let columns: Columns | undefined
  let width = Infinity
  for await (const { line, cells } of readCsv(kind, first.value, withFirst(first.value, text))) {
    if (cells.every((cell) => cell.trim() === '')) continue
    if (kind === 'csv' && columns === undefined) {
      const isHeader = !cells.some((cell) => cell.includes('@'))
      columns = isHeader ? columnsNamed(cells) : columnsWithout(cells)
      if (columns.email < 0)
        throw new UnreadablePeople(
          `no "email" column, and the first line has no email address: ${allShown(cells, ', ')}`,
        )
      onColumns(
        isHeader
          ? columnsInWords(cells, columns)
          : `No header: the addresses are in column ${columns.email + 1}.`,
      )
      if (isHeader) width = cells.length
      if (isHeader) continue
    }
    try {
      // An unquoted comma moves what comes after it into the next column.
      if (cells.length > width)
        throw new Fault(`${cells.length} cells, and the header has ${width}: quote cells with commas`)
      // The export of people can be a list, too.
      const person =
        columns === undefined ? jsonPerson(cells[0] ?? '') : personOf(columns, cells.map(withoutEscape))
      yield { line, kind: 'person', person }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      yield { line, kind: 'fault', fault: error.message }
    }
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

/** Which cell is what; -1: there is none. */
type Columns = { email: number; name: number; group: number; language: number; timezone: number }

/**
 * Each counts only where no column has a name before it. A name to sign in with often takes no emails; last, `Work Email` or
 * `e-mail (work)`.
 */
const EMAIL_HEADERS = [
  /^e-?mail([ _-]?address)?$/i,
  /^mail$/i,
  /^(user[ _-]?principal[ _-]?name|upn)$/i,
  /(^|[ _-])e-?mail($|[ _(-])/i,
]
const NAME_HEADER = /^((full|display|first|given)[ _-]?)?name$/i
const GROUP_HEADER = /^(group|department|dept|team|division|office|location|cost[ _-]?cent(er|re))$/i
const LANGUAGE_HEADER = /^((preferred|e-?mail)[ _-]?)?(language|lang|locale)$/i
const TIMEZONE_HEADER = /^(time[ _-]?zone|tz)$/i

const MAX_CHARACTERS = 100
const MAX_SHOWN = 40
const MAX_COLUMNS_SHOWN = 10

/** A cell as people see it who correct the list: short, and harmless on a terminal. */
const shown = (text: string): string => {
  const short = Array.from(printable(text.trim()))
  return `"${short.slice(0, MAX_SHOWN).join('')}${short.length > MAX_SHOWN ? '…' : ''}"`
}

const allShown = (cells: readonly string[], between: string): string => {
  const more = cells.length > MAX_COLUMNS_SHOWN ? [`${cells.length - MAX_COLUMNS_SHOWN} more`] : []
  return [...cells.slice(0, MAX_COLUMNS_SHOWN).map(shown), ...more].join(between)
}

/** The first may be the manager's: they would get the emails of everyone below them. */
const whichOf = (cells: readonly string[], advice: string) =>
  new UnreadablePeople(`which column has the addresses, ${allShown(cells, ' or ')}? ${advice}`)

/** @throws {UnreadablePeople} */
function columnsNamed(names: readonly string[]): Columns {
  const place = (pattern: RegExp) => names.findIndex((name) => pattern.test(name.trim()))
  const found = EMAIL_HEADERS.map((pattern) => names.filter((name) => pattern.test(name.trim())))
  const [addresses = []] = found.filter(({ length }) => length > 0)
  if (addresses.length > 1) throw whichOf(addresses, 'Rename it to "email", and the others to something else')
  const email = names.findIndex((name) => name === addresses[0])
  const [name, group] = [place(NAME_HEADER), place(GROUP_HEADER)]
  return { email, name, group, language: place(LANGUAGE_HEADER), timezone: place(TIMEZONE_HEADER) }
}

/** @param names the header's */
function columnsInWords(names: readonly string[], columns: Columns): string {
  const taken = Object.entries(columns).filter(([, at]) => at >= 0)
  const ignored = names.filter((_, at) => !Object.values(columns).includes(at))
  const words = taken.map(([what, at]) => (names[at] === what ? what : `${what} (${shown(names[at] ?? '')})`))
  return `Columns: ${words.join(', ')}. Ignored: ${allShown(ignored, ', ') || 'none'}.`
}

const ADDRESS_ALONE: Columns = { email: 0, name: -1, group: -1, language: -1, timezone: -1 }

/** Of a list without a header. @param cells of its first row @throws {UnreadablePeople} */
function columnsWithout(cells: readonly string[]): Columns {
  const addresses = cells.filter((cell) => addressToInvite(cell) !== undefined)
  if (addresses.length > 1) throw whichOf(addresses, 'Add a first line that calls it "email"')
  return { ...ADDRESS_ALONE, email: cells.findIndex((cell) => cell.includes('@')) }
}

/** @throws {Fault} */
function personOf(columns: Columns, cells: readonly unknown[]): Invitee {
  const textIn = (column: number): string => {
    const cell = cells[column]
    return typeof cell === 'string' ? cell.trim() : ''
  }
  const email = textIn(columns.email)
  if (email === '') throw new Fault('missing email address')
  const address = addressToInvite(email)
  if (address === undefined) throw new Fault(`${shown(email)} is not a valid email address`)
  const person: Invitee = { email: address }
  for (const what of ['name', 'group'] as const) {
    const text = textIn(columns[what])
    if (/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u.test(text))
      throw new Fault(`the ${what} contains a line break or a control character`)
    if (text.length > MAX_CHARACTERS) throw new Fault(`the ${what} is too long`)
    if (text !== '') person[what] = text
  }
  const zone = textIn(columns.timezone)
  if (zone !== '' && !isTimezone(zone))
    throw new Fault(`${shown(zone)} is not a time zone like Europe/Berlin`)
  if (zone !== '') person.timezone = zone
  const tag = textIn(columns.language)
  if (tag === '') return person
  const language = languageOf(tag)
  if (language === undefined) throw new Fault(`${shown(tag)} is not a language tag like en, de or pt-BR`)
  return { ...person, language }
}

/** The tag as it is written everywhere else. Directories export `pt_BR` for `pt-BR`, and "German" is no tag. */
export function languageOf(text: string): string | undefined {
  const tag = text.replaceAll('_', '-')
  return /^[A-Za-z]{2,3}(-|$)/.test(tag) ? canonicalLanguage(tag) : undefined
}

/** @param line of NDJSON: an object, or an address alone @throws {Fault} */
function jsonPerson(line: string): Invitee {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Fault('not valid JSON')
  }
  if (typeof value === 'string') return personOf(ADDRESS_ALONE, [value])
  if (typeof value !== 'object' || value === null) throw new Fault('neither an object nor an address')
  try {
    return personOf(columnsNamed(Object.keys(value)), Object.values(value))
  } catch (error) {
    throw error instanceof UnreadablePeople ? new Fault(error.message) : error
  }
}
