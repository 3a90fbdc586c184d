// Sends all HTML: a view inside the layout. A page reloads by the Refresh header, and `?still=yes` stops it, which
// WCAG 2.2.1 requires for people who need more time.
import type { Request, Response } from 'express'
import { findSignedIn, type User } from '../session/signed-in.ts'
import type { Company } from '../company/company.ts'
import { loadAssets } from './assets.ts'
import { createBrand } from './brand.ts'
import { LANGUAGES_FOLDER } from './languages/catalogue.ts'
import { createLanguages, type Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'
import { createViews } from './views.ts'

type Assets = ReturnType<typeof loadAssets>

type ViewData = Record<string, unknown> & {
  /** When the page reloads, and with which path of onramp. */
  refresh?: { seconds: number; url: string } | undefined
  /** The page works without it. Not sent with `?still=yes`. */
  script?: keyof Assets['scripts'] | undefined
  /** The reference of a failure, which the link to the company's help contains. */
  reference?: string | undefined
}

type Page = {
  view: string
  status?: number
  /** An additional stylesheet. */
  sheet?: keyof Assets['sheets']
  data: ViewData | ((t: Texts) => ViewData)
}

export type SendPage = (req: Request, res: Response, page: Page) => void

export function createPages({
  company,
  isHttps,
  checkReturnTo,
  isAdmin,
}: {
  company: Company
  isHttps: boolean
  /** The allowed destinations of return_to. */
  checkReturnTo: (value: unknown) => string | undefined
  /** Called for every page, so it must be cheap. */
  isAdmin: (user: User) => boolean
}) {
  const assets = loadAssets(company)
  const languages = createLanguages(company, LANGUAGES_FOLDER, isHttps)
  const brandIn = createBrand(company)
  const render = createViews()
  const send: SendPage = (req, res, { view, status = 200, sheet, data: given }) => {
    const t = languages.ofRequest(req)
    const data = typeof given === 'function' ? given(t) : given
    const user = findSignedIn(req)?.user
    const { stylesheet, brand: colors, icon, sheets, scripts } = assets
    // The cheap test comes first, because Express parses the query at each access.
    const isReloadStopped = req.originalUrl.includes('still=') && req.query['still'] !== undefined
    const brand = brandIn(t, data.reference)
    const script = data.script === undefined || isReloadStopped ? undefined : scripts[data.script]
    const html = render(view, {
      t,
      stylesheet,
      colors,
      icon,
      sheet: sheet && sheets[sheet],
      languages: languageChoices(req, status, languages.offered, checkReturnTo),
      brand,
      windowTitle: (title: string) => windowTitle(title, brand.name),
      isAdmin: user !== undefined && isAdmin(user),
      person: user === undefined ? undefined : (user.email ?? user.name ?? ''),
      initials: user === undefined ? '' : initialsOf(user),
      isReloadStopped,
      ...data,
      script,
    })
    const body = Buffer.from(html)
    if (data.refresh !== undefined && !isReloadStopped)
      res.setHeader('Refresh', `${data.refresh.seconds}; url=${data.refresh.url}`)
    if (script !== undefined) allowOwnScript(res)
    res.writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': body.length,
      'Content-Language': t.lang,
      Vary: 'Accept-Language, Cookie',
    })
    res.end(body)
  }
  return { assets, languages, send }
}

const CONTENT_POLICY = 'Content-Security-Policy'

/** Only pages that need a script may run one, and only ours, which may call our origin alone. */
const allowOwnScript = (res: Response) =>
  void res.setHeader(
    CONTENT_POLICY,
    `${String(res.getHeader(CONTENT_POLICY))};script-src 'self';connect-src 'self'`,
  )

/** Tabs and search results cut longer titles. Validators count escaped letters. */
const MAX_TITLE = 70
const writtenLength = (text: string) => text.replaceAll(/[&<>"']/g, '&quot;').length

function windowTitle(title: string, name: string): string {
  const whole = `${title} - ${name}`
  if (writtenLength(whole) <= MAX_TITLE) return whole
  return writtenLength(title) <= MAX_TITLE ? title : `${title.slice(0, MAX_TITLE - 20)}…`
}

/** `AL` for Ada Lovelace, and for ada.lovelace@acme.example. */
function initialsOf({ name, email }: User): string {
  const words = (name ?? email?.split('@')[0] ?? '').split(/[\s._-]+/).filter(Boolean)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return letters.map((word) => Array.from(word ?? '')[0]?.toLocaleUpperCase() ?? '').join('')
}

/** Pages that can't be repeated. */
const NOT_REPEATABLE_PATHS = /\/(callback|connect|start|continue)\b/

/** The menu of languages, which leads to the same page. */
export function languageChoices(
  req: Request,
  status: number,
  offered: Languages['offered'],
  checkReturnTo: (value: unknown) => string | undefined,
): { tag: string; name: string; href: string }[] {
  const isRepeatable = status === 200 && req.method === 'GET' && !NOT_REPEATABLE_PATHS.test(req.path)
  // The address is relative, because anyone can make up a path. A page that can't be repeated leads to the walk.
  const page = isRepeatable ? `?${otherParameters(req.originalUrl, checkReturnTo)}` : '/onboarding?'
  return offered.map(({ tag, name }) => ({ tag, name, href: `${page}lang=${tag}` }))
}

/** Twelve links repeat it: of a request of 16 kB they would make a page of 700. */
const MAX_REPEATED_QUERY = 1_500

/** Checks return_to, even as a part of our own address. Nothing of a query that is too long. */
function otherParameters(url: string, checkReturnTo: (value: unknown) => string | undefined): string {
  const [, text = ''] = url.split('?', 2)
  const query = new URLSearchParams(text.length > MAX_REPEATED_QUERY ? '' : text)
  query.delete('lang')
  if (query.has('return_to')) {
    const checked = checkReturnTo(query.get('return_to'))
    query.delete('return_to')
    if (checked !== undefined) query.set('return_to', checked)
  }
  return query.size === 0 ? '' : `${query.toString()}&`
}
