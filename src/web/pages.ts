// The one place that answers with HTML: the view, in the frame that every page has. What surprises: a page that looks
// again says so in a header, and `?still=yes` stops it, as WCAG 2.2.1 asks for people who need more time.
import type { Request, Response } from 'express'
import { signedInOf, type User } from '../session/signed-in.ts'
import type { Script, Sheet } from './assets.ts'
import { createLanguageMenu, type LanguageMenuOptions } from './language-menu.ts'
import type { Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'
import { withReference, type Brand } from './brand.ts'
import { allowOwnScript } from './security-headers.ts'

type Refresh = { seconds: number; url: string }

type Data = Record<string, unknown> & {
  /** When the page looks again, and where; a path of ours. */
  refresh?: Refresh | undefined
  /** What makes the page better where scripts run; it does without. Not sent to a page that was told to be still. */
  script?: Script | undefined
  /** Of a failure: the link to the company's help carries it. */
  reference?: string | undefined
}

type Page = {
  /** A file of views/, without its ending. */
  view: string
  status?: number
  /** A stylesheet that the page needs besides the one of every page. */
  sheet?: Sheet
  /** What the view prints; as a function, it gets the texts in the language of the person. */
  data: Data | ((t: Texts) => Data)
}

export type SendPage = (req: Request, res: Response, page: Page) => void

type PagesOptions = LanguageMenuOptions & {
  languages: Pick<Languages, 'of' | 'offered'>
  /** The company, in a language. */
  brandIn: (t: Texts) => Brand
  /** What the layout prints on every page, by the name that it has there. */
  frame: Readonly<Record<string, unknown>>
  /** Where the further stylesheets and the scripts are. */
  sheets: Readonly<Record<Sheet, string>>
  scripts: Readonly<Record<Script, string>>
  /** Asked for every page: it must cost nothing. Absent: no one is. */
  isAdmin?: (user: User) => boolean
}

export function createPages(options: PagesOptions): SendPage {
  const { render, languages, brandIn, frame, sheets, scripts, isAdmin } = options
  const menu = createLanguageMenu(options)
  return (req, res, { view, status = 200, sheet, data: given }) => {
    const t = languages.of(req)
    const data = typeof given === 'function' ? given(t) : given
    const user = signedInOf(req)?.user
    // Express parses the query whenever it is asked for it.
    const still = req.originalUrl.includes('still=') && req.query['still'] !== undefined
    const brand = data.reference ? withReference(brandIn(t), data.reference, t) : brandIn(t)
    const page = {
      ...frame,
      t,
      sheet: sheet && sheets[sheet],
      languages: menu(req, status, t),
      brand,
      windowTitle: (title: string) => windowTitle(title, brand.name),
      /** Is a link to how far everyone is offered? */
      isAdmin: user !== undefined && isAdmin?.(user) === true,
      /** How the signed-in person is called. */
      person: user === undefined ? undefined : (user.email ?? user.name ?? ''),
      initials: user === undefined ? '' : initialsOf(user),
      /** Was the page told not to look again? */
      still,
    }
    const script = data.script === undefined || still ? undefined : scripts[data.script]
    const html = render(view, { ...page, ...data, script })
    if (data.refresh !== undefined && !still)
      res.setHeader('Refresh', `${data.refresh.seconds}; url=${data.refresh.url}`)
    if (script !== undefined) allowOwnScript(res)
    const bytes = Buffer.from(html)
    res.writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': bytes.length,
      'Content-Language': t.lang,
      Vary: 'Accept-Language, Cookie',
    })
    res.end(bytes)
  }
}

/** Longer ones are cut in tabs and lists of results anyway. As validators count it: each letter as it is written. */
const MAX_TITLE = 70
const writtenLength = (text: string) => text.replaceAll(/[&<>"']/g, '&quot;').length

function windowTitle(title: string, name: string): string {
  const whole = `${title} - ${name}`
  if (writtenLength(whole) <= MAX_TITLE) return whole
  return writtenLength(title) <= MAX_TITLE ? title : `${title.slice(0, MAX_TITLE - 20)}…`
}

/** `AL` for Ada Lovelace, or for ada.lovelace@acme.example; for the eye alone. */
function initialsOf({ name, email }: User): string {
  const words = (name ?? email?.split('@')[0] ?? '').split(/[\s._-]+/).filter(Boolean)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return letters.map((word) => Array.from(word ?? '')[0]?.toLocaleUpperCase() ?? '').join('')
}
