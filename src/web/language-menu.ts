// The menu of languages that every page has: the same page in each language. It is the same for almost everyone, so its
// HTML is kept.
import type { Request } from 'express'
import type { Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'
import type { RenderView } from './views.ts'

export type LanguageMenuOptions = {
  render: RenderView
  languages: Pick<Languages, 'offered'>
  /** The one check of where a link may lead; absent: to the walk alone. */
  checkReturnTo?: (value: unknown) => string | undefined
}

/** @returns the menu as HTML; empty where there is nothing to choose from */
type LanguageMenu = (req: Request, status: number, t: Texts) => string

export function createLanguageMenu(options: LanguageMenuOptions): LanguageMenu {
  const { render, languages, checkReturnTo } = options
  const made = new Map<string, string>()
  const create = (page: string, t: Texts): string => {
    const choices = languages.offered.map(({ tag, name }) => ({ tag, name, href: `${page}lang=${tag}` }))
    return render('languages', { choices, t })
  }
  return (req, status, t) => {
    if (languages.offered.length < 2) return ''
    const isRepeatable = status === 200 && req.method === 'GET' && !STEPS.test(req.path)
    if (isRepeatable && req.originalUrl.includes('?'))
      return create(`?${othersIn(req.originalUrl, checkReturnTo)}`, t)
    // As an address relative to the page: the path of a request may be anyone's making. A page that cannot be asked for
    // again, or that says what failed, leads to the walk.
    const page = isRepeatable ? '?' : '/onboarding?'
    const key = `${t.lang} ${page}`
    const menu = made.get(key) ?? create(page, t)
    made.set(key, menu)
    return menu
  }
}

/** What else an address says. Not even as a part of our own address does a page lead anywhere that was not checked. */
function othersIn(url: string, checkReturnTo: LanguageMenuOptions['checkReturnTo']): string {
  const query = new URLSearchParams(url.split('?', 2)[1])
  query.delete('lang')
  if (query.has('return_to')) {
    const checked = checkReturnTo?.(query.get('return_to'))
    query.delete('return_to')
    if (checked !== undefined) query.set('return_to', checked)
  }
  return query.size === 0 ? '' : `${query.toString()}&`
}

/** Addresses that a browser only passes through. */
const STEPS = /\/(callback|connect|start|continue)\b/
