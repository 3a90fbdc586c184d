// The one place that answers with HTML: the view, in the frame that every page has.
import type { Request, Response } from 'express'
import { texts, type Texts } from './texts.en.ts'
import type { RenderView } from './views.ts'

export type Page = {
  /** A file of views/, without its ending. */
  view: string
  status?: number
  data: Record<string, unknown>
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
    const frame: Frame = {
      t: texts,
      stylesheet,
      icon,
      helpUrl,
      person: user === undefined ? undefined : (user.email ?? user.name ?? ''),
    }
    const html = render(view, { ...frame, ...data })
    res.statusCode = status
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.setHeader('Content-Length', Buffer.byteLength(html))
    res.end(html)
  }
}
