// The one place that answers with HTML: the view, in the frame that every page has. What surprises: a page that looks
// again by itself says so in a header, and `?still=yes` stops it, as WCAG 2.2.1 asks for whoever needs more time.
import type { Request, Response } from 'express'
import { signedInOf } from '../session/signed-in.ts'
import type { User } from '../session/signed-in.ts'
import { texts, type Texts } from './texts.en.ts'
import type { RenderView } from './views.ts'

type Refresh = { seconds: number; url: string }

type Page = {
  /** A file of views/, without its ending. */
  view: string
  status?: number
  data: Record<string, unknown> & {
    /** When the page looks again by itself, and where; a path of ours. */
    refresh?: Refresh | undefined
  }
}

export type SendPage = (req: Request, res: Response, page: Page) => void

type Frame = {
  t: Texts
  /** The address of the stylesheet; its name changes with its content. */
  stylesheet: string
  icon: string
  /** How the signed-in person is called, or undefined. */
  person: string | undefined
  helpUrl: string | undefined
  /** Is a link to how far everybody is offered? */
  isAdmin: boolean
  /** Was the page told not to look again by itself? */
  still: boolean
}

export type PagesOptions = {
  render: RenderView
  stylesheet: string
  icon: string
  helpUrl: string | undefined
  /** Asked for every page: it must cost nothing. Absent: nobody is. */
  isAdmin?: (user: User) => boolean
}

export function createPages({ render, stylesheet, icon, helpUrl, isAdmin }: PagesOptions): SendPage {
  return (req, res, { view, status = 200, data }) => {
    const user = signedInOf(req)?.user
    // Express parses the query whenever it is asked for it.
    const still = req.originalUrl.includes('still=') && req.query['still'] !== undefined
    const frame: Frame = {
      t: texts,
      stylesheet,
      icon,
      helpUrl,
      isAdmin: user !== undefined && isAdmin?.(user) === true,
      person: user === undefined ? undefined : (user.email ?? user.name ?? ''),
      still,
    }
    const html = render(view, { ...frame, ...data })
    const bytes = Buffer.byteLength(html)
    if (data.refresh !== undefined && !still)
      res.setHeader('Refresh', `${data.refresh.seconds}; url=${data.refresh.url}`)
    // At once, as a flat list: Node writes that as it is.
    res.writeHead(status, ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(bytes)])
    // Nothing but ASCII, as most pages are: written byte for byte, without turning it into UTF-8 first.
    res.end(html, bytes === html.length ? 'latin1' : 'utf8')
  }
}
