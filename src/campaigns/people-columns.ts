// Recognizes columns by the names that directories and spreadsheets give them, and reads their cells.
import { printable } from '@onramp/terminal/printable'
import windows from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' }
import { canonicalLanguage, isTimezone } from '../company/schema.ts'
import { addressToInvite } from '../people/address.ts'
import type { ListDetails } from '../people/person.ts'
import { OperatorError } from '../problem.ts'

export class UnreadableList extends OperatorError {
  override name = 'UnreadableList'
}

/** The index of each column, or -1. `exclusionColumns`: columns that may exclude a person. */
type Columns = Record<'email' | keyof ListDetails, number> & {
  exclusionColumns: { index: number; means: keyof typeof EXCLUSION_HEADERS }[]
}

/** The first pattern that matches a header wins. Sign-in names come late, because they often receive no email. */
const EMAIL_HEADERS = [
  /^e-?mail([ _-]?address)?$/i,
  /^mail$/i,
  /^primary[ _-]?(work[ _-]?)?(e-?mail|smtp)([ _-]?address)?$|^e-?mail - primary( work)?$/i,
  /^(user[ _-]?principal[ _-]?name|upn)$/i,
  /(^|[ _-])e-?mail($|[ _(-])/i,
]
/** Columns ignored if another one has addresses. */
const OTHER_EMAIL_HEADER = /(^|[ _-])(secondary|recovery|alternate|home|personal|private)($|[ _)-])/i
const TEXT_HEADERS: Record<keyof ListDetails, RegExp> = {
  name: /^((full|display|first|given)[ _-]?)?name$/i,
  group: /^(group|department|dept|team|division|office|location|cost[ _-]?cent(er|re))$/i,
  language: /^((preferred|e-?mail)[ _-]?)?(language|lang|locale)$/i,
  timezone: /^(time[ _-]?zone|tz)$/i,
  id: /^((user|object|employee|worker|person(nel)?|staff)[ ._-]?)?id$|^(employee|personnel|staff)[ _-]?(number|no\.?)$/i,
}
/** The first match wins. In Entra's "Block sign in … [accountEnabled]", a yes blocks, despite the attribute's name. */
const EXCLUSION_HEADERS = {
  blocked:
    /^((is|user|account|sign[ _-]?in)[ _-]?)?(suspended|archived|disabled|deactivated|terminated|block(ed)?([ _-]?(credential|sign[ _-]?in\b.*))?)$|\[accountEnabled\]|^nsAccountLock$/i,
  active:
    /^((is|currently|user|account|employ(ee|ment)|worker|sign[ _-]?in|login)[ _-]?)?(enabled|active|status|active[ _-]?status)$/i,
  guest:
    /^(is[ _-]?guest|(user|recipient|account|member)[ _-]?type([ _-]?details)?|user[ _-]?principal[ _-]?name|upn)$/i,
  /** Flags of Active Directory; 2 is ACCOUNTDISABLE. */
  flags: /^userAccountControl$/i,
  /** A time means yes. */
  deleted: /^deleted[ _-]?(date[ _-]?time|at|on|date)$/i,
}

const EXCLUSION_PATTERNS = Object.entries(EXCLUSION_HEADERS) as [keyof typeof EXCLUSION_HEADERS, RegExp][]

/** `User name [userPrincipalName] Required` has two names, and so has `profile.email`. */
const headerNames = (header: string): string[] => {
  const names = [header, ...header.split(/[[\]]/, 2), header.replace(/^profile\./, '')]
  return [...new Set(names.map((name) => name.trim()))]
}

const MAX_SHOWN = 40
const MAX_COLUMNS_SHOWN = 10

/** Shortens a cell for messages, and makes it safe for a terminal. */
export const quoteCell = (text: string): string => {
  const short = Array.from(printable(text.trim()))
  return `"${short.slice(0, MAX_SHOWN).join('')}${short.length > MAX_SHOWN ? '…' : ''}"`
}

export const quoteCells = (cells: readonly string[], between: string): string => {
  const more = cells.length > MAX_COLUMNS_SHOWN ? [`${cells.length - MAX_COLUMNS_SHOWN} more`] : []
  return [...cells.slice(0, MAX_COLUMNS_SHOWN).map(quoteCell), ...more].join(between)
}

/** Several columns may have the addresses, and a wrong guess could email a manager in place of their team. */
const ambiguousAddressColumn = (cells: readonly string[], advice: string) =>
  new UnreadableList(`which column has the addresses, ${quoteCells(cells, ' or ')}? ${advice}`)

/** @param isHeader the cells are names @throws {UnreadableList} if several columns may have the addresses */
export const columnsIn = (cells: readonly string[], isHeader = true): Columns =>
  isHeader ? columnsFromHeader(cells) : columnsWithoutHeader(cells)

function columnsFromHeader(headers: readonly string[]): Columns {
  const names = headers.map(headerNames)
  const isNamed = (pattern: RegExp) => (_header: string, index: number) =>
    names[index]?.some((name) => pattern.test(name)) === true
  const matchesByPattern = EMAIL_HEADERS.map((pattern) => headers.filter(isNamed(pattern)))
  const [addresses = []] = matchesByPattern.filter(({ length }) => length > 0)
  const workAddresses = addresses.filter((header) => !OTHER_EMAIL_HEADER.test(header))
  const candidates = workAddresses.length > 0 ? workAddresses : addresses
  if (candidates.length > 1)
    throw ambiguousAddressColumn(candidates, 'Rename it to "email", and the others to something else')
  const email = headers.findIndex((header) => header === candidates[0])
  const exclusionColumns = headers.flatMap((header, index) => {
    const signal = EXCLUSION_PATTERNS.find(([, pattern]) => isNamed(pattern)(header, index))
    return signal === undefined ? [] : { index, means: signal[0] }
  })
  const texts = Object.entries(TEXT_HEADERS).map(([key, pattern]) => [
    key,
    headers.findIndex(isNamed(pattern)),
  ])
  const indexes = Object.fromEntries(texts) as Record<keyof ListDetails, number>
  return { email, ...indexes, exclusionColumns }
}

function columnsWithoutHeader(cells: readonly string[]): Columns {
  const addresses = cells.filter((cell) => addressToInvite(cell) !== undefined)
  if (addresses.length > 1) throw ambiguousAddressColumn(addresses, 'Add a first line that calls it "email"')
  return { ...columnsFromHeader([]), email: cells.findIndex((cell) => cell.includes('@')) }
}

/** @returns the canonical tag: directories export `pt_BR` for `pt-BR` */
export function languageTag(text: string): string | undefined {
  const tag = text.replaceAll('_', '-')
  return /^[A-Za-z]{2,3}(-|$)/.test(tag) ? canonicalLanguage(tag) : undefined
}

/** Language tags by name, in English or in the language itself: `German`, `Deutsch`, `Portuguese (Brazil)`. */
function tagsByName() {
  const options = { type: 'language', fallback: 'none', languageDisplay: 'standard' } as const
  const nameIn = (language: string, tag: string) =>
    new Intl.DisplayNames(language, options).of(tag)?.toLowerCase()
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  const twoLetterTags = letters.flatMap((first) => letters.map((other) => first + other))
  const tags = [...twoLetterTags, 'pt-BR', 'zh-Hans', 'zh-Hant']
  return new Map(tags.flatMap((tag) => ['en', tag].map((language) => [nameIn(language, tag), tag] as const)))
}
let tags: ReturnType<typeof tagsByName> | undefined

function findLanguage(text: string): string | undefined {
  tags ??= tagsByName()
  const name = text.toLowerCase()
  return languageTag(tags.get(name) ?? tags.get(name.replace(/ ?\(.*/, '')) ?? text)
}

const WINDOWS_ZONES = new Map(
  windows.supplemental.windowsZones.mapTimezones
    .filter(({ mapZone }) => mapZone._territory === '001')
    .map(({ mapZone }) => [mapZone._other.toLowerCase(), mapZone._type]),
)
const AREAS = [...new Set(Intl.supportedValuesOf('timeZone').map((zone) => zone.split('/')[0] ?? ''))]

/** @param text IANA's or Windows' name, or Windows' label: `(UTC+01:00) Amsterdam, Berlin` @returns IANA's name */
function timezoneOf(text: string): string | undefined {
  if (!zones.has(text) && zones.size >= MAX_ZONES) zones.clear()
  if (!zones.has(text)) zones.set(text, findTimezone(text))
  return zones.get(text)
}

/** A cache, because testing a name is slow and a list has few. */
const zones = new Map<string, string | undefined>()
const MAX_ZONES = 1_000

function findTimezone(text: string): string | undefined {
  if (isTimezone(text)) return text
  const zone = WINDOWS_ZONES.get(text.toLowerCase())
  if (zone !== undefined || !/^\(?(UTC|GMT)\b/i.test(text)) return zone
  return text
    .replace(/^\(?(UTC|GMT)[^a-z)]*\)?/i, '')
    .split(/[,()]/)
    .map((city) => city.trim().replaceAll(' ', '_'))
    .flatMap((city) => [city, ...AREAS.map((area) => `${area}/${city}`)])
    .find(isTimezone)
}

/** Normalize cells. An unreadable cell loses its value; the person stays. */
export const READERS: Partial<
  Record<
    keyof ListDetails,
    { unreadable: 'Time zones' | 'Languages'; read: (text: string) => string | undefined }
  >
> = {
  timezone: { unreadable: 'Time zones', read: timezoneOf },
  language: { unreadable: 'Languages', read: findLanguage },
}
