// The kinds of values that a company file has, each with the words that correct a wrong one.
import { z } from 'zod'
import { isSafe } from '../loopback.ts'
import { GROUND, HEX_COLOR, MIN_CONTRAST, contrast, isReadable, type Scheme } from './contrast.ts'

const MAX_CHARACTERS = 300
const MAX_ITEMS = 10

const textOf = (maxCharacters: number) =>
  z
    .string()
    .min(1, { error: 'is empty: write a text or remove the line', abort: true })
    .max(maxCharacters, `has more than ${maxCharacters} characters: shorten it`)

export const text = textOf(MAX_CHARACTERS)

/** A message with all of its plural forms is longer than what it shows. */
export const message = textOf(2_000)

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** `pt-br` as it is written everywhere else: `pt-BR`. Undefined for what is no language tag. */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

const isLanguage = (tag: string) => {
  const canonical = canonicalLanguage(tag)
  return canonical !== undefined && languageNames.of(canonical) !== undefined
}

/** A language tag (BCP 47) of a language that exists. */
export const languageTag = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, {
    error: 'is no language tag: write it like en, de or pt-BR',
    abort: true,
  })
  .refine(isLanguage, 'is no language that is known: write a tag like en, de or pt-BR')

const byLanguage = <T extends z.ZodType>(value: T) => z.record(languageTag, value)

/** A text for all languages, or one for each. */
export const localizedText = z.union([text, byLanguage(text)], {
  error: 'must be text, or a text for each language, like { en: Hello, de: Hallo }',
})

const list = z.array(text).max(MAX_ITEMS, `has more than ${MAX_ITEMS} entries: remove some`)

export const localizedList = z.union([list, byLanguage(list)], {
  error: 'must be a list, or a list for each language, like { en: [One, Two] }',
})

function addressFault(value: string, protocols: readonly string[]): string | undefined {
  const forms = protocols
    .map((protocol) => (protocol === 'mailto:' ? protocol : `${protocol}//`))
    .join(' or ')
  const url = URL.canParse(value) && !/\s/.test(value) ? new URL(value) : undefined
  if (url === undefined) return 'is not an address: write it like https://intranet.acme.example/'
  if (url.username || url.password) return 'must not carry a user name or password: leave them out'
  if (url.protocol === 'http:' && !isSafe(url))
    return 'must start with https:// (plain http is accepted for loopback addresses only)'
  if (url.protocol !== 'http:' && !protocols.includes(url.protocol))
    return `must start with ${forms}, not with ${url.protocol}`
  return undefined
}

export const address = (...protocols: readonly string[]) =>
  z.string().superRefine((value, context) => {
    const fault = addressFault(value, protocols)
    if (fault !== undefined) context.addIssue(fault)
  })

/** A brand colour that can be read on our pages. */
export const color = (scheme: Scheme) =>
  z
    .string()
    .regex(HEX_COLOR, { error: `must be a colour like '#0b6e5f', in quotes`, abort: true })
    .refine((hex) => isReadable(hex, scheme), {
      error: ({ input }) => {
        const ratio = Math.floor(contrast(String(input), GROUND[scheme]) * 100) / 100
        return `has a contrast of ${ratio.toFixed(2)}:1 on ${GROUND[scheme]}, and text needs ${MIN_CONTRAST}:1: make it ${scheme === 'light' ? 'darker' : 'lighter'}`
      },
    })

export const picture = z.string().min(1, 'is empty: name a file in the folder of the company file')
