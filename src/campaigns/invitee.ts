// Who is to be invited, made from one row, or from one line of JSON. Pure. Everything in it is untrusted: it goes into
// headers, emails, terminals and pages.
import { printable } from '@onramp/deprecations/command-line/printable'
import { addressToInvite } from '../people/address.ts'
import { canonicalLanguage } from '../company/schema.ts'

export type Invitee = {
  email: string
  name?: string
  /** A department or a place: the report counts by it. */
  group?: string
  /** In which language to write to them: a tag (BCP 47), whether it is offered or not. */
  language?: string
}

/** The whole list cannot be read: another encoding, or no column of addresses. The message says what to do. */
export class UnreadablePeople extends Error {
  override name = 'UnreadablePeople'
}

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
const MAX_CHARACTERS = 100
const MAX_SHOWN = 40

/** A cell as people see it who correct the list: short, and harmless on a terminal. */
const shown = (text: string): string => {
  const short = Array.from(printable(text.trim()))
  return `"${short.slice(0, MAX_SHOWN).join('')}${short.length > MAX_SHOWN ? '…' : ''}"`
}

function faultOf(what: string, text: string): string | undefined {
  if (/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u.test(text))
    return `the ${what} contains a line break or a control character`
  return text.length > MAX_CHARACTERS ? `the ${what} is too long` : undefined
}

/** Which cell is what; -1: there is none. */
export type Columns = { email: number; name: number; group: number; language: number }

const ADDRESS_ALONE: Columns = { email: 0, name: -1, group: -1, language: -1 }

/** The first may be the manager's: they would get the emails of everyone below them. */
const whichOf = (cells: readonly string[], advice: string) =>
  new UnreadablePeople(
    `which column has the addresses, ${cells.slice(0, 10).map(shown).join(' or ')}? ${advice}`,
  )

/** @throws {UnreadablePeople} */
function columnsNamed(names: readonly string[]): Columns {
  const place = (pattern: RegExp) => names.findIndex((name) => pattern.test(name.trim()))
  const found = EMAIL_HEADERS.map((pattern) => names.filter((name) => pattern.test(name.trim())))
  const [addresses = []] = found.filter(({ length }) => length > 0)
  if (addresses.length > 1) throw whichOf(addresses, 'Rename it to "email", and the others to something else')
  const email = names.findIndex((name) => name === addresses[0])
  return { email, name: place(NAME_HEADER), group: place(GROUP_HEADER), language: place(LANGUAGE_HEADER) }
}

/** @param first the cells of the first row @throws {UnreadablePeople} */
export function columnsOf(first: readonly string[]): { columns: Columns; hasHeader: boolean } {
  const email = first.findIndex((cell) => cell.includes('@'))
  const addresses = first.filter((cell) => addressToInvite(cell) !== undefined)
  if (addresses.length > 1) throw whichOf(addresses, 'Add a first line that calls it "email"')
  if (email >= 0) return { columns: { ...ADDRESS_ALONE, email }, hasHeader: false }
  const columns = columnsNamed(first)
  if (columns.email >= 0) return { columns, hasHeader: true }
  throw new UnreadablePeople(
    `no "email" column, and the first line has no email address: ${first.slice(0, 10).map(shown).join(', ')}`,
  )
}

export type Read = { kind: 'person'; person: Invitee } | { kind: 'fault'; fault: string }

const faulty = (fault: string): Read => ({ kind: 'fault', fault })

export function personOf(columns: Columns, cells: readonly unknown[]): Read {
  const email = cells[columns.email]
  if (typeof email !== 'string' || email.trim() === '') return faulty('missing email address')
  const address = addressToInvite(email)
  if (address === undefined) return faulty(`${shown(email)} is not a valid email address`)
  const person: Invitee = { email: address }
  for (const what of ['name', 'group'] as const) {
    const cell = cells[columns[what]]
    const text = typeof cell === 'string' ? cell.trim() : ''
    const fault = faultOf(what, text)
    if (fault !== undefined) return faulty(fault)
    if (text !== '') person[what] = text
  }
  const said = cells[columns.language]
  if (typeof said !== 'string' || said.trim() === '') return { kind: 'person', person }
  const language = languageOf(said.trim())
  return language === undefined
    ? faulty(`${shown(said)} is not a language tag like en, de or pt-BR`)
    : { kind: 'person', person: { ...person, language } }
}

/** The tag as it is written everywhere else. Directories export `pt_BR` for `pt-BR`, and "German" is no tag. */
export function languageOf(said: string): string | undefined {
  const tag = said.replaceAll('_', '-')
  return /^[A-Za-z]{2,3}(-|$)/.test(tag) ? canonicalLanguage(tag) : undefined
}

/** @param line of NDJSON: an object, or an address alone */
export function jsonPerson(line: string): Read {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return faulty('not valid JSON')
  }
  if (typeof value === 'string') return personOf(ADDRESS_ALONE, [value])
  if (typeof value !== 'object' || value === null) return faulty('neither an object nor an address')
  try {
    return personOf(columnsNamed(Object.keys(value)), Object.values(value))
  } catch (error) {
    if (error instanceof UnreadablePeople) return faulty(error.message)
    throw error
  }
}
