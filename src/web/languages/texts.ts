// A language, ready to use: `t('overview.title')`, its direction, and how it writes days and numbers.
import { TYPE, parse, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import type { Catalogue, Key } from './catalogue.ts'

export type Texts = {
  /** The message in this language. @throws {ReferenceError} without a value that it needs */
  (key: Key, values?: Values): string
  /** A BCP 47 tag, for `lang` attributes and Content-Language. */
  lang: string
  dir: 'ltr' | 'rtl'
  /** A day in UTC, because no one's time zone is known. @param milliseconds since 1970 */
  day: (milliseconds: number) => string
  /** The same in few letters, for tables. @param milliseconds since 1970 */
  date: (milliseconds: number) => string
  /** A day and a time of day in UTC, which the page has to say. @param milliseconds since 1970 */
  moment: (milliseconds: number) => string
  /** How long ago something was, in its largest unit up to hours. @param milliseconds that have passed since */
  ago: (milliseconds: number) => string
  number: (count: number) => string
  /** Names one after the other, without an "and". */
  list: (all: readonly string[]) => string
  /** Sentences one after the other. */
  sentences: (all: readonly string[]) => string
}

/** Languages that write no space between sentences. */
const NO_SPACE = /^(ja|zh)\b/
const RIGHT_TO_LEFT_SCRIPTS = ['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm']
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const LEFT_TO_RIGHT =
  /(?![\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}])\p{L}|\d/u

const directionOf = (tag: string): Texts['dir'] =>
  RIGHT_TO_LEFT_SCRIPTS.includes(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr'

/** A name that runs the other way must not turn the words around it (Unicode UAX 9, isolates). */
const isolatedIn = (dir: Texts['dir'], value: string): string =>
  (dir === 'ltr' ? RIGHT_TO_LEFT : LEFT_TO_RIGHT).test(value) ? `\u2068${value}\u2069` : value

/** Between words without spaces a line breaks at the space inside a name: "Acme Search" stays one. */
const MAX_UNBROKEN = 24
const heldTogether = (value: string): string =>
  value.length <= MAX_UNBROKEN ? value.replaceAll(' ', '\u00a0') : value

/** @param common values that any message may name, such as `product` */
export function textsOf(tag: string, catalogue: Catalogue, common: Values = {}): Texts {
  const dir = directionOf(tag)
  const held = NO_SPACE.test(tag) ? heldTogether : (value: string) => value
  const rules = rulesOf(tag, { text: (value) => isolatedIn(dir, held(value)), common })
  const messages = new Map<string, Message>()
  for (const [key, text] of Object.entries(catalogue)) messages.set(key, compiled(key, text, { tag, rules }))
  const text = (key: Key, values?: Values): string => {
    const message = messages.get(key)
    if (message === undefined) throw new ReferenceError(`there is no message "${key}"`)
    if (typeof message === 'string') return message
    return message(values)
  }
  const days = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' })
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' })
  const moments = new Intl.DateTimeFormat(tag, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
  })
  const spans = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  // Between units, Chinese and Japanese put no mark.
  const kind = /^(zh|ja)/.test(tag) ? ({ type: 'conjunction', style: 'narrow' } as const) : undefined
  const lists = new Intl.ListFormat(tag, kind ?? { type: 'unit', style: 'short' })
  return Object.assign(text, {
    lang: tag,
    dir,
    day: (at: number) => days.format(at),
    date: (at: number) => dates.format(at),
    moment: (at: number) => moments.format(at),
    ago(milliseconds: number) {
      const minutes = Math.max(0, Math.floor(milliseconds / 60_000))
      return minutes < 60 ? spans.format(-minutes, 'minute') : spans.format(-Math.floor(minutes / 60), 'hour')
    },
    number: rules.number,
    list: (all: readonly string[]) => lists.format(all.map((name) => isolatedIn(dir, name))),
    sentences: (all: readonly string[]) => all.join(NO_SPACE.test(tag) ? '' : ' '),
  })
}

type Language = { tag: string; rules: Rules }

function compiled(key: string, text: string, { tag, rules }: Language): Message {
  try {
    return compileMessage(text, rules)
  } catch (cause) {
    throw new SyntaxError(`the message "${key}" in ${tag} is not ICU MessageFormat: ${text}`, { cause })
  }
}

type Values = Readonly<Record<string, string | number>>

export type Message = string | ((values?: Values) => string)

/** How a language counts and writes numbers. */
type Rules = {
  number: (value: number) => string
  plural: (value: number) => Intl.LDMLPluralRule
  ordinal: (value: number) => Intl.LDMLPluralRule
  /** What is written for a text that is given; what a message chooses by is left as it is. */
  text: (value: string) => string
  /** Values that any message may name. */
  common: Values
}

export const rulesOf = (tag: string, how: Partial<Pick<Rules, 'text' | 'common'>> = {}): Rules => ({
  text: (value) => value,
  common: {},
  ...how,
  number: numberWriter(tag),
  plural: pluralOf(new Intl.PluralRules(tag)),
  ordinal: pluralOf(new Intl.PluralRules(tag, { type: 'ordinal' })),
})

/** @param text ICU MessageFormat @throws {SyntaxError} when it is not, or uses dates, times or tags */
export function compileMessage(text: string, rules: Rules): Message {
  const write = joinedOf(parse(text, { ignoreTag: true }), rules)
  return typeof write === 'string' ? write : (values = rules.common) => write(values, 0)
}

type Write = (values: Values, counted: number) => string

function joinedOf(elements: readonly MessageFormatElement[], rules: Rules): string | Write {
  const parts = elements.map((element) => partOf(element, rules))
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  return (values, counted) => {
    let joined = ''
    for (const part of parts) joined += typeof part === 'string' ? part : part(values, counted)
    return joined
  }
}

function partOf(element: MessageFormatElement, rules: Rules): string | Write {
  switch (element.type) {
    case TYPE.literal:
      return element.value
    case TYPE.argument:
      return (values) => rules.text(String(valueOf(element.value, values, rules)))
    case TYPE.number:
      return (values) => rules.number(Number(valueOf(element.value, values, rules)))
    case TYPE.pound:
      return (_values, counted) => rules.number(counted)
    case TYPE.select: {
      const options = optionsOf(element.options, rules)
      return (values, counted) =>
        written(options, String(valueOf(element.value, values, rules)), values, counted)
    }
    case TYPE.plural: {
      const options = optionsOf(element.options, rules)
      const categoryOf = element.pluralType === 'ordinal' ? rules.ordinal : rules.plural
      return (values) => {
        const exact = Number(valueOf(element.value, values, rules))
        const count = exact - element.offset
        const key = options.has(`=${exact}`) ? `=${exact}` : categoryOf(count)
        return written(options, key, values, count)
      }
    }
    default:
      throw new SyntaxError('dates, times and tags have no place in a message: pass them as texts')
  }
}

type Options = ReadonlyMap<string, string | Write>

const optionsOf = (
  options: Readonly<Record<string, { value: MessageFormatElement[] }>>,
  rules: Rules,
): Options => new Map(Object.entries(options).map(([key, { value }]) => [key, joinedOf(value, rules)]))

function written(options: Options, key: string, values: Values, counted: number): string {
  const chosen = options.get(key) ?? options.get('other') ?? ''
  return typeof chosen === 'string' ? chosen : chosen(values, counted)
}

function valueOf(name: string, values: Values, { common }: Rules): string | number {
  const value = values[name] ?? common[name]
  if (value === undefined) throw new ReferenceError(`a message needs {${name}}, which it was not given`)
  return value
}

const SMALL = 1000

/** Small numbers are worked out once: Intl takes 0.5 µs for each. */
function keptWhenSmall<T>(work: (value: number) => T): (value: number) => T {
  const small: T[] = []
  return (value) =>
    Number.isInteger(value) && value >= 0 && value < SMALL ? (small[value] ??= work(value)) : work(value)
}

function numberWriter(tag: string): (value: number) => string {
  const format = new Intl.NumberFormat(tag)
  return keptWhenSmall((value) => format.format(value))
}

const pluralOf = (rules: Intl.PluralRules) => keptWhenSmall((value) => rules.select(value))
