// The schema of the company file, with its error messages. `npm run settings` writes company.schema.json from it.
import { z } from 'zod'
import { isLoopback } from '../http/loopback.ts'
import { datasourceType } from './app-names.ts'
import { contrastFault } from './contrast.ts'
import { textFaults } from './placeholders.ts'

const MAX_ITEMS = 10
const HEX_COLOR = /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/

const textUpTo = (maxCharacters: number) =>
  z
    .string()
    .min(1, { error: 'is empty: write a text or remove the line', abort: true })
    .max(maxCharacters, `has more than ${maxCharacters} characters: shorten it`)

const text = textUpTo(300)

/** Messages may be longer, because they contain all of their plural forms. */
const message = textUpTo(2_000)

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** `pt-BR` for `pt-br`; undefined if the tag is invalid. */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** True for an IANA name, such as Europe/Berlin. An offset such as +02:00 has no daylight saving time. */
export function isTimezone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone)
  } catch {
    return false
  }
}

function isLanguage(tag: string): boolean {
  const canonicalTag = canonicalLanguage(tag)
  return canonicalTag !== undefined && languageNames.of(canonicalTag) !== undefined
}

const languageTag = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, {
    error: 'is not a language tag: write it like en, de or pt-BR',
    abort: true,
  })
  .refine(isLanguage, 'is not a known language: write a tag like en, de or pt-BR')

const byLanguage = <T extends z.ZodType>(value: T) => z.record(languageTag, value)

const localizedText = z.union([text, byLanguage(text)], {
  error: 'must be text, or a text for each language, like { en: Hello, de: Hallo }',
})

const list = z.array(text).max(MAX_ITEMS, `has more than ${MAX_ITEMS} entries: remove some`)

const localizedList = z.union([list, byLanguage(list)], {
  error: 'must be a list, or a list for each language, like { en: [One, Two] }',
})

function urlFault(value: string, protocols: readonly string[]): string | undefined {
  const forms = protocols
    .map((protocol) => (protocol === 'mailto:' ? protocol : `${protocol}//`))
    .join(' or ')
  const url = URL.canParse(value) && !/\s/.test(value) ? new URL(value) : undefined
  if (url === undefined) return 'is not an address: write it like https://intranet.acme.example/'
  if (url.username || url.password) return 'must not contain a username or password: remove them'
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'must start with https:// (plain http is accepted for loopback addresses only)'
  if (url.protocol !== 'http:' && !protocols.includes(url.protocol))
    return `must start with ${forms}, not with ${url.protocol}`
  return undefined
}

const checked = (field: z.ZodString, faultOf: (value: string) => string | undefined) =>
  field.superRefine((value, context) => {
    const fault = faultOf(value)
    if (fault !== undefined) context.addIssue(fault)
  })

const color = (scheme: 'light' | 'dark') =>
  checked(
    z.string().regex(HEX_COLOR, { error: `must be a color like '#0b6e5f', in quotes`, abort: true }),
    (hex) => contrastFault(hex, scheme),
  )

/** ASCII only: owners can approve apps, and a look-alike address must not. */
const address = z
  .string()
  .regex(/^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+$/, 'is not an email address: write it like grace@acme.example')

const link = (description: string, ...protocols: readonly string[]) =>
  z
    .strictObject({
      url: checked(z.string(), (value) => urlFault(value, protocols)).describe(
        `Where it leads: ${protocols.join(' or ')}`,
      ),
      label: localizedText.optional().describe('What the link is called'),
    })
    .optional()
    .describe(description)

const logoOf = (picture: z.ZodString) =>
  z
    .strictObject({
      light: picture.describe(
        'For light pages: a path from the folder of this file (SVG, PNG, WebP or JPEG)',
      ),
      dark: picture.optional().describe('For dark pages (default: the one for light pages)'),
      icon: picture.optional().describe("The icon in a browser's tab: square"),
    })
    .describe("The company's logo")

const colors = z
  .strictObject({
    light: color('light').describe(
      'For light pages, as #rrggbb: at least 4.5:1 on white. The color of text on it is derived',
    ),
    dark: color('dark')
      .optional()
      .describe('For dark pages: at least 4.5:1 on #14161f (default: the light one, made lighter)'),
  })
  .describe('The brand color')

const links = z
  .strictObject({
    help: link('Who helps with search', 'https:', 'mailto:'),
    privacy: link('What search does with data', 'https:'),
    home: link('The intranet', 'https:'),
    search: link('Where people search', 'https:'),
  })
  .describe('Links on the pages')

const isDay = (day: string): boolean => z.iso.date().safeParse(day).success

const days = checked(z.string(), (value) => {
  const [from = '', to = from, more] = value.split('/')
  if (isDay(from) && isDay(to) && more === undefined && from <= to) return undefined
  return 'must be a day, like 2027-01-11, or the first and the last one, like 2027-12-24/2028-01-02'
})

const quiet = z.union([days, z.strictObject({ group: text, dates: z.array(days) })], {
  error: 'must be a day, or { group, dates }',
})

const datasourceOf = (picture: z.ZodString) =>
  z.strictObject({
    name: localizedText.optional().describe('What people call the app; tells two instances of it apart'),
    logo: picture.optional().describe("The app's logo: a path from the folder of this file"),
    reads: localizedList.optional().describe('What search reads; behind "What search can see"'),
    never: localizedList.optional().describe('What search never does; the first is above the button'),
    why: localizedText.optional().describe('Why people should connect it; behind "What search can see"'),
    account: localizedText.optional().describe('Which account to use'),
    help: localizedText.optional().describe('What people need to do first: "Connect to the VPN first"'),
    order: z
      .int({ error: 'must be a whole number, like 1' })
      .min(0, 'must be between 0 and 1000')
      .max(1000, 'must be between 0 and 1000')
      .optional()
      .describe('Its place on the list: 1 comes before 2; apps without it come last'),
    required: z.boolean().optional().describe('Whether everyone has to connect it'),
    replaces: text.optional().describe('The instance that it replaces, whose history it continues'),
    owner: z
      .union([address, z.array(address).min(1).max(MAX_ITEMS)], {
        error: 'must be an email address, or a list of them',
      })
      .optional()
      .describe('Who can approve the app in the company: onramp keep emails them (default: ADMIN_EMAILS)'),
    approve: checked(z.string(), (value) => urlFault(value, ['https:']))
      .optional()
      .describe('Where the owner approves it'),
    hidden: z.boolean().optional().describe('Whether the pages leave it out'),
  })

/** Undefined members aren't checked. `knownTexts`: replaceable texts, by key. */
export type SupportedTexts = {
  knownTexts?: ReadonlyMap<string, string> | undefined
  knownLanguages?: readonly string[] | undefined
}

const CHAIN_FAULT =
  'names an instance that replaces another one: keep only the newest of them, and give the oldest hidden: true'
const TWICE_FAULT = 'names an instance that another one replaces already: its history goes on under one only'
const REPLACES_FAULT = 'is for one instance, and names another one, like slack_2: { replaces: slack_1 }'

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const

/** @param pictureFault returns the reason why a picture can't be used */
export function companySchema({
  knownTexts,
  knownLanguages,
  pictureFault = () => undefined,
}: SupportedTexts & { pictureFault?: (name: string) => string | undefined } = {}) {
  const isEmpty = { error: 'is empty: name a file in the folder of the company file', abort: true }
  const picture = checked(z.string().min(1, isEmpty), pictureFault)
  const offeredLanguage = languageTag.refine(
    (tag) => knownLanguages?.includes(canonicalLanguage(tag) ?? tag) !== false,
    `is not a language of the pages: choose from ${knownLanguages?.join(', ')}`,
  )
  const own = z
    .record(z.string(), message.describe('The text, with the placeholders of the original'))
    .superRefine((texts, context) => {
      if (knownTexts !== undefined)
        for (const [key, sentence] of Object.entries(texts))
          for (const fault of textFaults(key, sentence, knownTexts))
            context.addIssue({ code: 'custom', path: [key], message: fault })
    })
  return z
    .strictObject({
      name: text.optional().describe("The company's name"),
      product: text.optional().describe('What search is called in the company'),
      logo: logoOf(picture).optional(),
      color: colors.optional(),
      links: links.optional(),
      sender: z
        .strictObject({
          name: text.describe('Their name: "Grace Hopper"'),
          role: localizedText.optional().describe('What they are: "Head of IT"'),
        })
        .optional()
        .describe('Who asks people to connect their apps, in the invitation (default: no one is named)'),
      languages: z
        .array(offeredLanguage)
        .min(1, 'is empty: name a language or remove the line')
        .refine((tags) => new Set(tags).size === tags.length, 'has a language twice: remove one')
        .optional()
        .describe('Languages that are offered; the first is the default'),
      texts: z
        .record(languageTag, own)
        .optional()
        .describe('Texts that replace the built-in ones: by language, then by key'),
      examples: localizedList.optional().describe('Searches that are suggested'),
      timezone: z
        .string()
        .refine(isTimezone, 'is not a known time zone: write it like Europe/Berlin')
        .optional()
        .describe('Where people are who have none of their own on the list (default: UTC)'),
      digest: z
        .enum(WEEKDAYS, { error: 'must be monday, tuesday, wednesday, thursday or friday' })
        .optional()
        .describe('The day on which ADMIN_EMAILS get a digest from onramp keep (default: none is sent)'),
      quiet: z
        .array(quiet)
        .optional()
        .describe('Days on which no one is emailed: 2027-01-11, first/last, or { group, dates }'),
      datasources: z
        .record(z.string(), datasourceOf(picture))
        .superRefine((apps, context) => {
          for (const [key, { replaces = '' }] of Object.entries(apps))
            if (replaces === key || (replaces !== '' && datasourceType(key) === key))
              context.addIssue({ code: 'custom', path: [key, 'replaces'], message: REPLACES_FAULT })
            else if (replaces !== '' && apps[replaces]?.replaces !== undefined)
              context.addIssue({ code: 'custom', path: [key, 'replaces'], message: CHAIN_FAULT })
            else if (
              replaces !== '' &&
              Object.entries(apps).find(([, app]) => app.replaces === replaces)?.[0] !== key
            )
              context.addIssue({ code: 'custom', path: [key, 'replaces'], message: TWICE_FAULT })
        })
        .optional()
        .describe(
          'Apps: by instance (slack_1), by all instances of one datasource (slack), or all of them (all)',
        ),
    })
    .meta({ title: 'Company file of onramp (COMPANY_FILE)' })
}

export type CompanyFile = z.output<ReturnType<typeof companySchema>>
