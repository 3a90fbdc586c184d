// The one place that answers with HTML: the view, in the frame that every page has. What surprises: a page that looks
// again by itself says so in a header, and `?still=yes` stops it, as WCAG 2.2.1 asks for whoever needs more time.
import type { Request, Response } from 'express'
import { texts, type Texts } from './texts.en.ts'
import type { RenderView } from './views.ts'

export type Refresh = { seconds: number; url: string }

export type Page = {
  /** A file of views/, without its ending. */
  view: string
  status?: number
  data: Record<string, unknown> & {
    /** When the page looks again by itself, and where; a path of ours. */
    refresh?: Refresh | undefined
  }
}

export type SendPage = (req: Request, res: Response, page: Page) => void

export type Frame = {
  t: Texts
  /** The address of the stylesheet; its name changes with its content. */
  stylesheet: string
  icon: string
  /** How the signed-in person is called, or undefined. */
  person: string | undefined
  helpUrl: string | undefined
  /** Was the page told not to look again by itself? */
  still: boolean
}

export type PagesOptions = {
  render: RenderView
  stylesheet: string
  icon: string
  helpUrl: string | undefined
}

export function createPages({ render, stylesheet, icon, helpUrl }: PagesOptions): SendPage {
  return (req, res, { view, status = 200, data }) => {
    // Before the session, and while the store is away, there is none.
    const user = (req as Partial<Request>).session?.user
    const still = req.query['still'] !== undefined
    const frame: Frame = {
      t: texts,
      stylesheet,
      icon,
      helpUrl,
      person: user === undefined ? undefined : (user.email ?? user.name ?? ''),
      still,
    }
    const html = render(view, { ...frame, ...data })
    res.statusCode = status
    if (data.refresh !== undefined && !still)
      res.setHeader('Refresh', `${data.refresh.seconds}; url=${data.refresh.url}`)
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.setHeader('Content-Length', Buffer.byteLength(html))
    res.end(html)
  }
}
