// The texts of one language, `t('overview.title')`, with its direction and its formats of days and numbers.
import { IntlMessageFormat } from 'intl-messageformat'
import type { Catalogue, TextKey } from './catalogue.ts'

const NO_SPACE = /^(ja|zh)\b/
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const LEFT_TO_RIGHT =
  /(?![\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}])\p{L}|\d/u

/** Isolates a name, which in the other direction would reorder the words around it (Unicode UAX 9). */
const isolate = (dir: 'ltr' | 'rtl', value: string): string =>
  (dir === 'ltr' ? RIGHT_TO_LEFT : LEFT_TO_RIGHT).test(value) ? `\u2068${value}\u2069` : value

/** In a language without spaces, a line would break inside "Acme Search". */
const MAX_UNBROKEN = 24
const withoutBreaks = (value: string): string =>
  value.length <= MAX_UNBROKEN ? value.replaceAll(' ', '\u00a0') : value

/** A plain word, which reorders nothing, and which a message may use for a selection. */
const SELECTOR = /^[a-z]+$/

const TIME = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const
const MOMENT = { year: 'numeric', month: 'long', day: 'numeric', ...TIME } as const

/** Creates on first use: an Intl format takes a millisecond, and most commands need few of all languages. */
function onFirstUse<T>(create: () => T): () => T {
  let created: T | undefined
  return () => (created ??= create())
}

/** Texts in the cache. */
const MAX_FORMATTED = 2_000
/** Characters of a cached key with its values, among them a person's search. */
const MAX_ID = 200

export function createTexts(tag: string, catalogue: Catalogue, common: Values = {}) {
  const { dir, numbers, days, dates, moments, times, spans, lists, conjunctions, parse } = formatsIn(tag)
  const unbroken = NO_SPACE.test(tag) ? withoutBreaks : (value: string) => value
  const writeValue = (value: string | number) =>
    typeof value === 'number' || SELECTOR.test(value) ? value : isolate(dir, unbroken(value))
  const writeAll = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, writeValue(value)]))
  const shared = writeAll(common)
  /** A cache by message and values, because most people have the same apps. */
  const formatted = new Map<string, string>()
  /** @throws {Error} if a value of the message is missing */
  function text(key: TextKey, values?: Values): string {
    const id = values === undefined ? key : key + JSON.stringify(values)
    const cached = formatted.get(id)
    if (cached !== undefined) return cached
    if (formatted.size >= MAX_FORMATTED) formatted.clear()
    if (!(key in catalogue)) throw new ReferenceError(`there is no message "${key}"`)
    const result = String(parse(catalogue[key]).format({ ...shared, ...writeAll(values ?? {}) }))
    if (id.length <= MAX_ID) formatted.set(id, result)
    return result
  }
  /** The French write the first day of a month as an ordinal, which the formats don't. */
  const withOrdinal = (day: string) => (/^fr\b/.test(tag) ? day.replace(/^1 /, '1er ') : day)
  return Object.assign(text, {
    /** A BCP 47 tag, for `lang` attributes and Content-Language. */
    lang: tag,
    dir,
    has: (key: string): key is TextKey => key in catalogue,
    /** A name as messages show it. */
    inMessage: (name: string) => String(writeValue(name)),
    // Times are milliseconds since 1970, shown in UTC, because people's time zones are unknown.
    day: (at: number) => withOrdinal(days().format(at)),
    /** A short date, for tables. */
    date: (at: number) => withOrdinal(dates().format(at)),
    /** Date and time of day, which the page has to mark as UTC. */
    moment: (at: number) => withOrdinal(moments().format(at)),
    /** A time of day: 9:00 AM. */
    hour: (hour: number) => times().format(hour * 3_600_000),
    /** "3 hours ago", in the largest unit up to hours. @param milliseconds since the event */
    ago: (milliseconds: number): string => {
      const minutes = Math.max(0, Math.floor(milliseconds / 60_000))
      return minutes < 60
        ? spans().format(-minutes, 'minute')
        : spans().format(-Math.floor(minutes / 60), 'hour')
    },
    number: (count: number) => numbers().format(count),
    /** Lists names without an "and". */
    list: (all: readonly string[]) => lists().format(all.map((name) => isolate(dir, name))),
    /** Lists names with an "and", for sentences. */
    conjunction: (all: readonly string[]) => conjunctions().format(all.map((name) => isolate(dir, name))),
    sentences: (all: readonly string[]) => all.join(NO_SPACE.test(tag) ? '' : ' '),
  })
}

export type Texts = ReturnType<typeof createTexts>

type Values = Readonly<Record<string, string | number>>

/** The formats and parsed messages of each language, for every company and page of the process. */
const formatsByTag = new Map<string, ReturnType<typeof createFormats>>()

function formatsIn(tag: string) {
  const formats = formatsByTag.get(tag) ?? createFormats(tag)
  formatsByTag.set(tag, formats)
  return formats
}

function createFormats(tag: string) {
  const { direction: dir = 'ltr' } = new Intl.Locale(tag).getTextInfo()
  const numbers = onFirstUse(() => new Intl.NumberFormat(tag))
  const plural = onFirstUse(() => new Intl.PluralRules(tag))
  const ordinal = onFirstUse(() => new Intl.PluralRules(tag, { type: 'ordinal' }))
  const formatters = {
    getNumberFormat: numbers,
    getPluralRules: (_tag: unknown, { type }: Intl.PluralRulesOptions = {}) =>
      type === 'ordinal' ? ordinal() : plural(),
    getDateTimeFormat: (): never => {
      throw new SyntaxError('dates and times are not supported: pass them as text')
    },
  }
  const parsed = new Map<string, IntlMessageFormat>()
  // Chinese and Japanese lists of units have no separator.
  const kind = /^(zh|ja)/.test(tag) ? ({ type: 'conjunction', style: 'narrow' } as const) : undefined
  return {
    dir,
    numbers,
    days: onFirstUse(() => new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' })),
    dates: onFirstUse(() => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' })),
    moments: onFirstUse(() => new Intl.DateTimeFormat(tag, MOMENT)),
    times: onFirstUse(() => new Intl.DateTimeFormat(tag, TIME)),
    spans: onFirstUse(() => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })),
    lists: onFirstUse(() => new Intl.ListFormat(tag, kind ?? { type: 'unit', style: 'short' })),
    conjunctions: onFirstUse(() => new Intl.ListFormat(tag)),
    parse: (text: string): IntlMessageFormat => {
      const message =
        parsed.get(text) ?? new IntlMessageFormat(text, tag, undefined, { ignoreTag: true, formatters })
      parsed.set(text, message)
      return message
    },
  }
}
