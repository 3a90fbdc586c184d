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
import { createViews, escapeHtml } from './views.ts'

type Assets = ReturnType<typeof loadAssets>

type ViewData = Record<string, unknown> & {
  /** When the page reloads, and with which address. */
  refresh?: { seconds: number; url: string } | undefined
  /** The reference of a failure, which the link to the company's help contains. */
  reference?: string | undefined
}

type Page = {
  view: string
  status?: number
  /** An additional stylesheet. */
  sheet?: keyof Assets['sheets']
  /** A script that the page works without. Not sent with `?still=yes`. */
  script?: keyof Assets['scripts']
  data: ViewData | ((t: Texts) => ViewData)
  /** JSON of all that `data` depends on besides the language, with PLACEHOLDERS. Only without a query and a refresh. */
  sharedKey?: string | undefined
}

/** Private-use characters, which messages and escaping leave unchanged. `inMessage`: the person in a message. */
export const PLACEHOLDERS = { person: '\ue000', inMessage: '\ue001', initials: '\ue002' }
type Placeholder = keyof typeof PLACEHOLDERS
const PLACEHOLDER_NAMES = Object.keys(PLACEHOLDERS) as Placeholder[]

export type SendPage = (req: Request, res: Response, page: Page) => void

export type Pages = { assets: Assets; languages: Languages; send: SendPage }

const renderView = createViews()

export function createPages({
  company,
  publicUrl,
  checkReturnTo,
  isAdmin,
}: {
  company: Company
  publicUrl: string
  /** The allowed destinations of return_to. */
  checkReturnTo: (value: unknown) => string | undefined
  /** Called for every page, so it must be cheap. */
  isAdmin: (user: User) => boolean
}): Pages {
  const assets = loadAssets(company)
  const languages = createLanguages(company, LANGUAGES_FOLDER, publicUrl)
  const brandIn = createBrand(company)
  const sharedPages = new SharedPages()
  const send: SendPage = (req, res, { view, status = 200, data: viewData, sharedKey, ...page }) => {
    const t = languages.ofRequest(req)
    const user = findSignedIn(req)?.user
    const isForAdmin = user !== undefined && isAdmin(user)
    const person = user && (user.email ?? user.name ?? '')
    const initials = user === undefined ? '' : initialsOf(user)
    const { stylesheet, brand: colors, icon, sheets, scripts } = assets
    // The cheap test comes first, because Express parses the query at each access.
    const isReloadStopped = req.originalUrl.includes('still=') && req.query['still'] !== undefined
    const script = page.script === undefined || isReloadStopped ? undefined : scripts[page.script]
    const renderFor = (names: { person: string | undefined; initials: string }) => {
      const data = typeof viewData === 'function' ? viewData(t) : viewData
      if (data.refresh !== undefined && !isReloadStopped)
        res.setHeader('Refresh', `${data.refresh.seconds}; url=${data.refresh.url}`)
      const brand = brandIn(t, data.reference)
      return renderView(view, {
        t,
        stylesheet,
        colors,
        icon,
        sheet: page.sheet && sheets[page.sheet],
        languages: languageChoices(req, status, languages.offered, checkReturnTo),
        brand,
        windowTitle: (title: string) => windowTitle(title, brand.name),
        isAdmin: isForAdmin,
        ...names,
        isReloadStopped,
        ...data,
        script,
      })
    }
    const fill = (key: string, name = '') => {
      const texts = { person: name, inMessage: t.inMessage(name), initials }
      return sharedPages.fill(key, texts, () => renderFor(PLACEHOLDERS))
    }
    const body =
      sharedKey === undefined
        ? Buffer.from(renderFor({ person, initials }))
        : fill([view, t.lang, isForAdmin, sharedKey].join(' '), person)
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

/** A page has 12 kB with ten apps. */
const MAX_SHARED_PAGES = 200

/** Renders pages that differ only by the person's name once. They are kept without a name, so none shows another's. */
class SharedPages {
  readonly #pages = new Map<string, (Buffer | Placeholder)[]>()

  /** @param render called for a new key */
  fill(key: string, texts: Record<Placeholder, string>, render: () => string): Buffer {
    const parts = this.#pages.get(key) ?? this.#add(key, render())
    const escapedText = (name: Placeholder) => Buffer.from(escapeHtml(texts[name]))
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? escapedText(part) : part)))
  }

  #add(key: string, html: string) {
    const placeholderIn = (part: string) => PLACEHOLDER_NAMES.find((name) => PLACEHOLDERS[name] === part)
    const parts = html.split(/([\ue000-\ue002])/).map((part) => placeholderIn(part) ?? Buffer.from(part))
    if (this.#pages.size >= MAX_SHARED_PAGES) this.#pages.clear()
    this.#pages.set(key, parts)
    return parts
  }
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
function languageChoices(
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

/** Twelve links repeat the query, so a request of 16 kB would make a page of 700 kB. */
const MAX_REPEATED_QUERY = 1_500

/** Checks return_to, even as a part of our own address. @returns '' for a query that is too long */
function otherParameters(url: string, checkReturnTo: (value: unknown) => string | undefined): string {
  const [, text = ''] = url.split('?', 2)
  const query = new URLSearchParams(text.length > MAX_REPEATED_QUERY ? '' : text)
  query.delete('lang')
  if (query.has('return_to')) {
    const returnTo = checkReturnTo(query.get('return_to'))
    query.delete('return_to')
    if (returnTo !== undefined) query.set('return_to', returnTo)
  }
  return query.size === 0 ? '' : `${query.toString()}&`
}
