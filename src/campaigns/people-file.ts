// Reads the list of people: CSV (with or without a header), NDJSON, a JSON document, or one address a line. Rows are
// streamed, so a long list needs no more memory; only a JSON document is read as a whole. The input is untrusted.
import { TextDecoder } from 'node:util'
import { addressToInvite } from '../people/address.ts'
import { readCsv } from '../people/csv.ts'
import { LIST_COLUMNS, type ListDetails } from '../people/person.ts'
import { columnsIn, quoteCell, quoteCells, READERS, UnreadableList } from './people-columns.ts'

/** `sharedId`: an id that one or two other addresses have, too. */
export type ListEntry = ListDetails & { email: string; sharedId?: string }

type ListRow = { line: number } & ({ kind: 'person'; person: ListEntry } | { kind: 'fault'; fault: string })

class InvalidRow extends Error {}

/** An unreadable cell in these columns loses its value, not the person. The text names the fallback. */
const UNREADABLE_CELLS = {
  'Time zones': "the company's counts",
  Languages: 'the default one counts',
  Statuses: 'these people stay',
}
/** Texts for one excluded person, and for several. */
const LEFT_OUT = {
  blocked: ['is blocked there', 'are blocked there'],
  guest: ['is a guest (see --include-guests)', 'are guests (see --include-guests)'],
  mailbox: ['is a mailbox of a room or a team', 'are mailboxes of rooms or teams'],
} as const

type OnUnreadable = (what: keyof typeof UNREADABLE_CELLS, cell: string) => void

/**
 * Leaves out people who are blocked in the directory, and guests by default.
 * @param onNote gets the columns used, and at the end the counts of people left out and of unreadable cells
 * @throws {UnreadableList} {UnreadableCsv}
 */
export async function* readPeopleList(
  source: AsyncIterable<Uint8Array | string>,
  onNote: (note: string) => void = () => {},
  includeGuests = false,
  leftOut: Record<keyof typeof LEFT_OUT, number> = { blocked: 0, guest: 0, mailbox: 0 },
): AsyncGenerator<ListRow> {
  const text = decodeUtf8(source)
  const first = await text.next()
  if (first.done === true) return
  const allText = (async function* () {
    yield first.value
    yield* text
  })()
  const isJsonDocument = isDocument(first.value)
  const kind = isJsonDocument || /^\s*\{/.test(first.value) ? 'ndjson' : 'csv'
  const header = new HeaderFinder(onNote)
  const unreadable = new Map<keyof typeof UNREADABLE_CELLS, { count: number; sample: string }>()
  const onUnreadable: OnUnreadable = (column, sample) => {
    const { count, sample: earlier } = unreadable.get(column) ?? { count: 0, sample }
    unreadable.set(column, { count: count + 1, sample: earlier })
  }
  const lines = isJsonDocument ? documentLines(allText, onNote) : allText
  for await (const { line, cells } of readCsv(kind, first.value, lines)) {
    if (cells.every((cell) => cell.trim() === '')) continue
    if (kind === 'csv' && header.readHeader(line, cells)) continue
    try {
      const row = header.columns === undefined ? jsonRow(cells[0] ?? '') : header.rowOf(cells)
      const reason = reasonToLeaveOut(row, onUnreadable)
      if (reason !== undefined && !(reason === 'guest' && includeGuests)) leftOut[reason]++
      else yield { line, kind: 'person', person: personOf(row, onUnreadable) }
    } catch (error) {
      // Several columns of a JSON row may have addresses.
      if (!(error instanceof InvalidRow || error instanceof UnreadableList)) throw error
      yield { line, kind: 'fault', fault: error.message }
    }
  }
  header.end()
  const reasons = Object.entries(LEFT_OUT).flatMap(([reason, [one, many]]) => {
    const count = leftOut[reason as keyof typeof leftOut]
    return count === 0 ? [] : `${count} ${count === 1 ? one : many}`
  })
  if (reasons.length > 0) onNote(`Left out: ${reasons.join(', ')}.`)
  for (const [column, { count, sample }] of unreadable)
    onNote(
      `${column} that can't be read: ${count}, such as ${quoteCell(sample)}; ${UNREADABLE_CELLS[column]}.`,
    )
}

type Columns = ReturnType<typeof columnsIn>

const EMAIL_ONLY: Columns = { ...columnsIn([]), email: 0 }

function describeColumns(headers: readonly string[], { exclusionColumns, ...texts }: Columns): string {
  const taken = Object.entries(texts).filter(([, index]) => index >= 0)
  const names = taken.map(([column, index]) =>
    headers[index] === column ? column : `${column} (${quoteCell(headers[index] ?? '')})`,
  )
  const exclusionHeaders = exclusionColumns.map(({ index }) => headers[index] ?? '')
  if (exclusionHeaders.length > 0) names.push(`who is left out (${quoteCells(exclusionHeaders, ', ')})`)
  const usedIndexes = [...Object.values(texts), ...exclusionColumns.map(({ index }) => index)]
  const ignoredHeaders = headers.filter((_, index) => !usedIndexes.includes(index))
  return `Columns: ${names.join(', ')}. Ignored: ${quoteCells(ignoredHeaders, ', ') || 'none'}.`
}

const MAX_SKIPPED = 10

/** Finds the columns of a CSV. Some exports begin with a version, a type or a title. */
class HeaderFinder {
  columns: Columns | undefined
  readonly #onNote: (note: string) => void
  readonly #skipped: string[][] = []
  #width = Infinity

  constructor(onNote: (note: string) => void) {
    this.#onNote = onNote
  }

  /** @returns true if the line has no person @throws {UnreadableList} */
  readHeader(line: number, cells: string[]): boolean {
    const isHeader = hasNoEmail(cells)
    if (this.columns !== undefined) {
      // A title may contain an address. Without the header, blocked people couldn't be recognized.
      const isEarly = this.#width === Infinity && line <= MAX_SKIPPED
      if (isEarly && isHeader && columnsIn(cells).email >= 0)
        throw new UnreadableList(`line ${line} looks like the header. Remove the lines above it`)
      return false
    }
    if (!isHeader && this.#skipped.some(hasSeveral)) throw noColumn(this.#skipped)
    const columns = columnsIn(cells, isHeader)
    if (columns.email < 0 && this.#skipped.push(cells) >= MAX_SKIPPED) throw noColumn(this.#skipped)
    if (columns.email < 0) return true
    this.columns = columns
    if (isHeader) this.#width = cells.length
    const without = `No header: the addresses are in column ${columns.email + 1}.`
    this.#onNote(isHeader ? describeColumns(cells, columns) : without)
    return isHeader
  }

  rowOf(cells: readonly string[]): Cells {
    // An unquoted comma moves the cells after it into the next column.
    if (cells.length > this.#width)
      throw new InvalidRow(
        `${cells.length} cells, and the header has ${this.#width}: quote cells with commas`,
      )
    return { columns: this.columns ?? EMAIL_ONLY, cells }
  }

  end(): void {
    if (this.columns === undefined && this.#skipped.length > 0) throw noColumn(this.#skipped)
  }
}

/** Characters; a file with a longer first line is no list. */
const MAX_START = 65_536
/** A whole line with a delimiter. Anchored: otherwise each comma of a long line would start a match. */
const START = /^[^,;\t@{[\r\n]*[,;\t@{[][^\r\n]*[\r\n]/m

/** Yields the text in pieces; the first one contains a whole line. @throws {UnreadableList} */
async function* decodeUtf8(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let start: string | undefined = ''
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk)
    if (start === '') refuseOtherEncodings(bytes)
    const piece = decode(decoder, bytes)
    if (start === undefined) yield piece
    else start += piece
    if (start === undefined || (!START.test(start) && start.length < MAX_START)) continue
    yield start
    start = undefined
  }
  const rest = (start ?? '') + decode(decoder)
  if (rest !== '') yield rest
}

function refuseOtherEncodings(start: Uint8Array): void {
  const signature = Buffer.from(start.subarray(0, 4)).toString('hex')
  const beginning = start.subarray(0, 64)
  const zeros = beginning.filter((byte) => byte === 0)
  if (signature === '504b0304' || signature === 'd0cf11e0')
    throw new UnreadableList('the file is an Excel workbook, or another archive. Save it as "CSV UTF-8"')
  if (/^(fffe|feff)/.test(signature) || zeros.length > beginning.length / 4)
    throw new UnreadableList('the file is UTF-16 ("Unicode text" in Excel). Save it as "CSV UTF-8"')
  if (zeros.length > 0)
    throw new UnreadableList('the file has NUL characters, so it is no text. Save it as "CSV UTF-8"')
}

/** @param bytes absent at the end, where an incomplete character is a fault @throws {UnreadableList} */
function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    throw new UnreadableList('the file is not UTF-8. Save it as "CSV UTF-8"')
  }
}

const MAX_CHARACTERS = 100

const hasNoEmail = (cells: readonly string[]): boolean => !cells.some((cell) => cell.includes('@'))
const hasSeveral = (cells: readonly string[]): boolean =>
  cells.filter((cell) => cell.trim() !== '').length > 1

const noColumn = (rows: readonly string[][]) => {
  const header = rows.find(hasSeveral) ?? rows[0] ?? []
  return new UnreadableList(
    `no "email" column, and the first line has no email address: ${quoteCells(header, ', ')}`,
  )
}

const MAX_DOCUMENT = 64 * 1024 * 1024

/** Finds a list, or the only list of objects in an object, as in responses of Microsoft Graph and SCIM. */
const listIn = (value: unknown): unknown[] | undefined => {
  if (Array.isArray(value)) return value
  const lists = Object.values(Object(value) as object).filter((member) => Array.isArray(member))
  const ofObjects = (lists as unknown[][]).filter((list) => list.every((one) => typeof one === 'object'))
  return ofObjects.length === 1 ? ofObjects[0] : undefined
}

/** Flattens Okta's `profile`, and SCIM's `emails`, `userName` and `name`. */
function membersOf(person: object): Record<string, unknown> {
  const { profile, emails, userName, name } = person as Record<string, unknown>
  const listed = (Array.isArray(emails) ? emails : []).map((one) => Object(one) as Record<string, unknown>)
  const primaryEmail =
    listed.find(({ primary }) => primary === true) ?? (listed.length === 1 ? listed[0] : undefined)
  const { formatted, fullName = name } = Object(name) as Record<string, unknown>
  return {
    ...(Object(profile) as object),
    ...(primaryEmail?.['value'] !== undefined && { 'primary email': primaryEmail['value'] }),
    ...(String(userName).includes('@') && { upn: userName }),
    ...person,
    name: formatted ?? fullName,
  }
}

/** True for one JSON document, false for NDJSON. @param start at least the first line */
function isDocument(start: string): boolean {
  if (!/^\s*(\{|\[\s*([[{"\]]|$))/.test(start)) return false
  try {
    const value = JSON.parse(start.trimStart().split(/[\r\n]/, 1)[0] ?? '') as object
    // A person's own object may contain a list, too.
    return listIn(value) !== undefined && columnsIn(Object.keys(membersOf(value))).email < 0
  } catch {
    return true
  }
}

/** Yields the entries of a document, one a line. @throws {UnreadableList} */
async function* documentLines(
  text: AsyncIterable<string>,
  onNote: (note: string) => void,
): AsyncGenerator<string> {
  const advice = 'Convert it to one object per line (NDJSON) with `jq -c .[]`'
  let allText = ''
  for await (const piece of text)
    if ((allText += piece).length > MAX_DOCUMENT)
      throw new UnreadableList(`the list is more than 64 MiB of JSON. ${advice}`)
  let value: unknown
  try {
    value = JSON.parse(allText.trimStart())
  } catch {
    throw new UnreadableList(`the list is neither one JSON document nor an object per line. ${advice}`)
  }
  const isPerson = columnsIn(Object.keys(membersOf(Object(value) as object))).email >= 0
  const list = isPerson ? [value] : listIn(value)
  if (list === undefined)
    throw new UnreadableList(`the JSON has no list of people in it, or several. ${advice}`)
  const next = Object.entries(Object(value) as object).find(
    ([key, to]) => (/(^|\.)next/i.test(key) && to) || (/^total/i.test(key) && Number(to) > list.length),
  )
  if (next !== undefined)
    throw new UnreadableList(`the list is one page of several (${quoteCell(next[0])}). Export all of them`)
  onNote(`JSON with ${list.length} entries; "line 2" is the second one.`)
  for (const entry of list) yield `${JSON.stringify(entry)}\n`
}

const cellText = (cell: unknown): string =>
  ['string', 'boolean', 'number'].includes(typeof cell) ? String(cell).trim() : ''

type Cells = { columns: Columns; cells: readonly unknown[] }

function exclusionOf(cell: string): 'guest' | 'mailbox' | undefined {
  if (/^guest(mail)?(user)?$|#EXT#@/i.test(cell)) return 'guest'
  return /^(shared|room|equipment|scheduling)mailbox$/i.test(cell) ? 'mailbox' : undefined
}

/** Words of the languages of Excel. */
const YES = /^(true|yes|y|1|ja|oui|sí|si|sim|tak|wahr|vrai|verdadero|verdadeiro|vero|waar|prawda)$/i
const NO = /^(false|no|n|0|nein|non|não|nee|nie|falsch|faux|falso|onwaar|fałsz)$/i
const ACTIVE =
  /^((sign[ -]?in|user|account) )?(active|activated|enabled|allowed|staged|provisioned|recovery|password[ _]expired|locked[ _]out|on leave)$/i
const BLOCKED =
  /^((sign[ -]?in|user|account|admin) )?(suspended|deprovisioned|disabled|inactive|blocked|deactivated|terminated|archived|deleted)$/i

/** @param isYes true if a yes in this column blocks @returns undefined if the cell is unreadable */
function isBlocked(cell: string, isYes: boolean): boolean | undefined {
  if (cell === '' || ACTIVE.test(cell)) return false
  if (BLOCKED.test(cell)) return true
  if (YES.test(cell)) return isYes
  return NO.test(cell) ? !isYes : undefined
}

function reasonToLeaveOut(
  { columns, cells }: Cells,
  onUnreadable: OnUnreadable,
): keyof typeof LEFT_OUT | undefined {
  const reasons = columns.exclusionColumns.map(({ index, means }) => {
    const cell = cellText(cells[index])
    if (means === 'guest') return exclusionOf(cell) ?? (isBlocked(cell, true) ? 'guest' : undefined)
    if (means === 'deleted') return cell === '' ? undefined : 'blocked'
    if (means === 'flags') return (Number(cell) & 2) === 0 ? undefined : 'blocked'
    const isExcluded = isBlocked(cell, means === 'blocked')
    if (isExcluded === undefined) onUnreadable('Statuses', cell)
    return isExcluded === true ? 'blocked' : undefined
  })
  const allReasons = [...reasons, exclusionOf(cellText(cells[columns.email]))]
  return (['blocked', 'mailbox', 'guest'] as const).find((reason) => allReasons.includes(reason))
}

/** @throws {InvalidRow} */
function checkText(text: string, column: string): void {
  if (/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u.test(text))
    throw new InvalidRow(`the ${column} contains a line break or a control character`)
  if (text.length > MAX_CHARACTERS) throw new InvalidRow(`the ${column} is too long`)
}

function personOf({ columns, cells }: Cells, onUnreadable: OnUnreadable): ListEntry {
  const textIn = (column: number): string => {
    const cell = cells[column]
    return ['string', 'number'].includes(typeof cell) ? String(cell).trim() : ''
  }
  const email = textIn(columns.email)
  if (email === '') throw new InvalidRow('missing email address')
  const address = addressToInvite(email)
  if (address === undefined) throw new InvalidRow(`${quoteCell(email)} is not a valid email address`)
  const person: ListEntry = { email: address }
  for (const column of LIST_COLUMNS) {
    const text = textIn(columns[column])
    const { unreadable, read } = READERS[column] ?? {}
    if (read === undefined) checkText(text, column)
    const value = read === undefined ? text : read(text)
    if (value) person[column] = value
    else if (text !== '' && unreadable) onUnreadable(unreadable, text)
  }
  return person
}

/** @param line of NDJSON: an object, or an address alone @throws {InvalidRow} {UnreadableList} */
function jsonRow(line: string): Cells {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new InvalidRow('not valid JSON')
  }
  if (typeof value === 'string') return { columns: EMAIL_ONLY, cells: [value] }
  if (typeof value !== 'object' || value === null) throw new InvalidRow('neither an object nor an address')
  const members = membersOf(value)
  return { columns: columnsIn(Object.keys(members)), cells: Object.values(members) }
}
