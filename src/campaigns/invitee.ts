// Who is to be invited, made from the cells of one row, or of one line of JSON. Pure. Everything in it is untrusted: it goes
// into headers, mails, terminals and pages.
import { printable } from '@onramp/deprecations/command-line/printable'
import { addressToInvite } from '../arrivals/address.ts'

export type Invitee = {
  email: string
  name?: string
  /** A department, a place: the report counts by it. */
  group?: string
}

/** The whole list cannot be read: another encoding, no column of addresses. The message says how to mend it. */
export class UnreadablePeople extends Error {
  override name = 'UnreadablePeople'
}

const EMAIL_HEADER = /^(e-?mail([ _-]?address)?|mail|user[ _-]?principal[ _-]?name|upn)$/i
/** `Work Email`, `e-mail (work)`: where nothing else is called so. */
const LIKE_EMAIL_HEADER = /(^|[ _-])e-?mail($|[ _(-])/i
const NAME_HEADER = /^((full|display|first|given)[ _-]?)?name$/i
const GROUP_HEADER = /^(group|department|dept|team|division|office|location|cost[ _-]?cent(er|re))$/i
const MOST_CHARACTERS = 100
const MOST_SHOWN = 40

export type Read = { person: Invitee } | { fault: string }

export type Cells = { email: unknown; name: unknown; group: unknown }

/** What stands there, for whoever has to mend it: short, and harmless on a terminal. */
const shown = (text: string): string => {
  const short = Array.from(printable(text.trim()))
  return `"${short.slice(0, MOST_SHOWN).join('')}${short.length > MOST_SHOWN ? '…' : ''}"`
}

function faultOf(what: string, text: string): string | undefined {
  if (/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u.test(text))
    return `the ${what} holds a line break or a control character`
  return text.length > MOST_CHARACTERS ? `the ${what} is too long` : undefined
}

export function personOf(cells: Cells): Read {
  const { email } = cells
  if (typeof email !== 'string' || email.trim() === '') return { fault: 'there is no address' }
  const address = addressToInvite(email)
  if (address === undefined)
    return { fault: `${shown(email)} is not one plain email address like ada@acme.example` }
  const person: Invitee = { email: address }
  for (const what of ['name', 'group'] as const) {
    const cell = cells[what]
    const text = typeof cell === 'string' ? cell.trim() : ''
    const fault = faultOf(what, text)
    if (fault !== undefined) return { fault }
    if (text !== '') person[what] = text
  }
  return { person }
}

/** @param line of NDJSON: an object, or an address alone */
export function jsonPerson(line: string): Read {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'string') return personOf({ email: value, name: undefined, group: undefined })
    if (typeof value !== 'object' || value === null)
      return { fault: 'this is neither an object nor an address' }
    const keys = Object.keys(value)
    const { email, name, group } = placesIn(keys)
    const at = (place: number): unknown => Object.values(value)[place]
    return personOf({ email: at(email), name: at(name), group: at(group) })
  } catch {
    return { fault: 'this is not JSON' }
  }
}

/** Which cell is what; -1: there is none. */
export type Columns = { email: number; name: number; group: number; hasHeader: boolean }

function placesIn(names: readonly string[]) {
  const place = (pattern: RegExp) => names.findIndex((name) => pattern.test(name.trim()))
  const exact = place(EMAIL_HEADER)
  const email = exact >= 0 ? exact : place(LIKE_EMAIL_HEADER)
  return { email, name: place(NAME_HEADER), group: place(GROUP_HEADER) }
}

/** @param first the cells of the first row @throws {UnreadablePeople} */
export function columnsOf(first: readonly string[]): Columns {
  const address = first.findIndex((cell) => cell.includes('@'))
  if (address >= 0) return { email: address, name: -1, group: -1, hasHeader: false }
  const places = placesIn(first)
  if (places.email >= 0) return { ...places, hasHeader: true }
  throw new UnreadablePeople(
    `no column is called email, and the first line holds no address: ${first.slice(0, 10).map(shown).join(', ')}`,
  )
}

export const inColumns = ({ email, name, group }: Columns, cells: readonly string[]): Cells => ({
  email: cells[email],
  name: cells[name],
  group: cells[group],
})
