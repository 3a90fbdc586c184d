// The language of a person: their choice, else their account's, else their browser's. A choice (`?lang=de` on any page)
// has a separate cookie, because people choose before they sign in.
import type { NextFunction, Request, Response } from 'express'
import type { Company } from '../../company/company.ts'
import { findSignedIn } from '../../session/signed-in.ts'
import { isFromOtherSite } from '../cross-site.ts'
import { languagesIn, readCatalogue, REFERENCE_LANGUAGE, type Catalogue } from './catalogue.ts'
import { createTexts, type Texts } from './texts.ts'

const COOKIE = 'onramp-lang'
const CHOSEN = new RegExp(`(?:^|;[ \\t]*)${COOKIE}=([A-Za-z0-9-]{2,35})(?:;|$)`)
const MAX_ACCEPT_CHARACTERS = 500
const A_YEAR_MS = 31_536_000_000

/**
 * The languages that the company offers, its default first, with its texts.
 * @param folder the path of languages/
 * @param publicUrl PUBLIC_URL, from whose pages people choose
 */
export function createLanguages(
  { languages: chosen, product, textsOf }: Pick<Company, 'languages' | 'product' | 'textsOf'>,
  folder: string,
  publicUrl: string,
) {
  const isOffered = new Set(chosen.length === 0 ? languagesIn(folder) : chosen)
  const tags = [...isOffered]
  const [fallback = REFERENCE_LANGUAGE] = tags
  const create = (tag: string): Texts => {
    const catalogue: Catalogue = { ...readCatalogue(folder, tag), ...textsOf(tag) }
    return createTexts(tag, catalogue, {
      product: product ?? catalogue['brand.product'],
      // The word for search may be inflected in this language.
      hasProduct: product === undefined ? 'no' : 'yes',
    })
  }
  /** Created on first use, because most commands need few of all languages. */
  const textsByTag = new Map<string, Texts>()
  const inLanguage = (wanted: string): Texts => {
    const tag = isOffered.has(wanted) ? wanted : fallback
    const texts = textsByTag.get(tag) ?? create(tag)
    textsByTag.set(tag, texts)
    return texts
  }
  let offered: { tag: string; name: string }[] | undefined

  const bestMatch = createLanguageMatcher(tags)

  function languageInQuery(req: Request): string | undefined {
    if (!req.originalUrl.includes('lang=')) return undefined
    const { lang } = req.query
    return typeof lang === 'string' ? bestMatch([lang]) : undefined
  }

  function languageInCookie(req: Request): string | undefined {
    const [, tag] = CHOSEN.exec(req.headers.cookie ?? '') ?? []
    return tag !== undefined && isOffered.has(tag) ? tag : undefined
  }

  return {
    /** `name` is in the language itself. */
    get offered() {
      return (offered ??= tags.map((tag) => ({ tag, name: inLanguage(tag)('language.name') })))
    },
    /** @returns the default for a tag that isn't offered */
    byTag: inLanguage,
    /** The nearest offered language, else the default. */
    nearest: (tag: string) => inLanguage(bestMatch([tag]) ?? fallback),
    ofRequest: (req: Request): Texts => {
      if (tags.length === 1) return inLanguage(fallback)
      const requestedTag = languageInQuery(req) ?? languageInCookie(req)
      if (requestedTag !== undefined) return inLanguage(requestedTag)
      // A longer list would be sorted as a whole, although only its first few tags count.
      req.headers['accept-language'] = req.headers['accept-language']?.slice(0, MAX_ACCEPT_CHARACTERS)
      const locale = findSignedIn(req)?.user.locale?.replaceAll('_', '-') ?? '*'
      const wanted = [locale, ...req.acceptsLanguages()].filter((tag) => tag !== '*')
      return inLanguage(bestMatch(wanted) ?? fallback)
    },
    remember: (req: Request, res: Response, next: NextFunction): void => {
      const [tag, earlierTag] = [languageInQuery(req), languageInCookie(req)]
      // Another site's link is no choice of the person: it replaces none, and lasts until the browser is closed.
      const isLink = isFromOtherSite(req, publicUrl)
      if (tag !== undefined && tag !== earlierTag && !(isLink && earlierTag !== undefined))
        res.cookie(COOKIE, tag, {
          ...(!isLink && { maxAge: A_YEAR_MS }),
          httpOnly: true,
          sameSite: 'lax',
          secure: publicUrl.startsWith('https:'),
        })
      next()
    },
  }
}

export type Languages = ReturnType<typeof createLanguages>

const MAX_WANTED = 5
const isTag = (text: string) => text !== '' && text.length <= 35
const languageOf = (tag: string) => tag.toLowerCase().split('-', 1)[0]
/** People who read the first usually read the second (Unicode CLDR, language matching). */
const ALSO_READ: Partial<Record<string, string>> = { ca: 'es', eu: 'es', gl: 'es', gsw: 'de', lb: 'de' }

/**
 * Creates a function from wanted tags, in order of preference, to the best offered one. It has no cache, because
 * strangers can make up tags.
 */
function createLanguageMatcher(offered: readonly string[]) {
  /** The first offered tag for each form, once a tag needs it. */
  let byForm: Map<string, string> | undefined
  /** Tags that are the only ones of their language, which don't need Intl, because it is slow. */
  const onlyTags = new Map(
    [...Map.groupBy(offered, languageOf)].flatMap(([language, [tag, other]]) =>
      tag !== undefined && other === undefined ? [[language, tag]] : [],
    ),
  )
  const offeredAs = (forms: readonly string[]) => {
    const known = (byForm ??= new Map(
      offered.toReversed().flatMap((tag) => formsOf(tag).map((form) => [form, tag] as const)),
    ))
    return known.get(forms.find((form) => known.has(form)) ?? '')
  }

  return (wanted: readonly string[]): string | undefined => {
    const tags = wanted.slice(0, MAX_WANTED).filter(isTag)
    for (const tag of tags) {
      const match = onlyTags.get(languageOf(tag)) ?? offeredAs(formsOf(tag))
      if (match !== undefined) return match
    }
    return offeredAs(tags.flatMap(formsOf).map((form) => ALSO_READ[form] ?? ''))
  }
}

/** Forms to look up, the nearest first: de-AT, de-Latn, de. None for an invalid tag. */
function formsOf(tag: string): string[] {
  try {
    const { baseName, language, script = '' } = new Intl.Locale(tag).maximize()
    return [baseName, `${language}-${script}`, language]
  } catch {
    return []
  }
}
