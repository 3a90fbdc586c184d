// What pages of the intranet may use: /widget.js, and to read /api/status with the person's cookie (CORS). Only the
// origins of RETURN_TO_ORIGINS, and a browser sends the cookie only from the same site (SameSite=Lax).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Router } from 'express'
import type { Company } from '../company/company.ts'
import { brandOf } from './brand.ts'
import type { Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'

/** @param allowedOrigins RETURN_TO_ORIGINS @param widget see widgetOf */
export function createIntranetRoutes(allowedOrigins: readonly string[], widget: Buffer): Router {
  const router = Router()

  router.get('/widget.js', (_req, res) => {
    // A script of another origin: without this the browser would not hand it over (helmet's default is same-origin).
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    res.setHeader('Cache-Control', 'public, max-age=3600')
    res.setHeader('Content-Type', 'text/javascript; charset=utf-8')
    res.end(widget)
  })

  router.all('/api/status', (req, res, next) => {
    const from = req.get('origin')
    res.vary('Origin')
    if (from !== undefined && allowedOrigins.includes(from)) {
      res.setHeader('Access-Control-Allow-Origin', from)
      res.setHeader('Access-Control-Allow-Credentials', 'true')
    }
    if (req.method !== 'OPTIONS') return next()
    res.setHeader('Access-Control-Allow-Methods', 'GET')
    res.setHeader('Access-Control-Allow-Headers', 'Accept')
    res.setHeader('Access-Control-Max-Age', '600')
    res.statusCode = 204
    res.end()
  })

  return router
}

/** Where the script has what it is given. */
const GIVEN = "'given by the server'"
/** Numbers of which a language, or a company, may have a text of its own (`=0`). */
const EXACT = [0, 1, 2]
/** One of each category is among these, in every language (CLDR). */
const SAMPLES = [...Array.from({ length: 200 }, (_, index) => index + 3), 1_000_000]
/** Found again in any text, as no other number of it is so large. */
const MANY = 987_654

/** The text with a place for the number, whether the message writes it as a number or as it is. */
const placed = (t: Texts, text: string, number: number, place: string) =>
  text.replace(t.number(number), place).replace(String(number), place)

/**
 * By exact number, else by the category of Intl.PluralRules, where `{n}` is the place of the number.
 * @param form the text for a number
 */
function formsOf(t: Texts, form: (count: number) => string): Record<string, string> {
  const rules = new Intl.PluralRules(t.lang)
  const forms: Record<string, string> = {}
  for (const count of SAMPLES) forms[rules.select(count)] ??= placed(t, form(count), count, '{n}')
  for (const count of EXACT) forms[count] = form(count)
  return forms
}

/** @param connected a number, because some languages count in this sentence too */
const progressIn = (t: Texts, connected: number) =>
  placed(t, t('widget.progress', { connected, total: MANY }), MANY, '{total}')

const textsOf = (t: Texts) => ({
  dir: t.dir,
  title: t('widget.title'),
  left: formsOf(t, (count) => t('widget.left', { count, n: '{n}' })),
  progress: formsOf(t, (connected) => progressIn(t, connected)),
})

/**
 * The script of views/assets with the texts of every language that is offered and the company's colors. The browser
 * counts, so a plural goes out as its forms: of some exact numbers and of each category.
 * @param folder the path of views/ @throws where the script has no place for what it is given
 */
export function widgetOf(folder: string, languages: Languages, company: Company): Buffer {
  const script = readFileSync(join(folder, 'assets', 'widget.js'), 'utf8')
  const { light, dark } = company.color
  const brandIn = brandOf(company)
  const given = {
    texts: Object.fromEntries(
      languages.offered.map(({ tag }) => {
        const t = languages.in(tag)
        return [tag, { ...textsOf(t), search: brandIn(t).search?.label }]
      }),
    ),
    brand: [light.brand, dark.brand],
    onBrand: [light.onBrand, dark.onBrand],
    strong: [light.strong, dark.strong],
    searchUrl: company.links.search?.url,
  }
  const [before, after, ...more] = script.split(GIVEN)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('views/assets/widget.js must have one place for what the server gives it')
  return Buffer.from(before + JSON.stringify(given) + after)
}
