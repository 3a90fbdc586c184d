// The menu of languages on every page, with links to the same page in each language. Almost everyone gets the same HTML,
// so it is kept.
import type { Request } from 'express'
import type { Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'
import type { RenderView } from './views.ts'

/** @returns HTML; empty if there is nothing to choose from */
export type LanguageMenu = (req: Request, status: number, t: Texts) => string

/** @param checkReturnTo where return_to may lead; default: nowhere */
export function createLanguageMenu(
  render: RenderView,
  offered: Languages['offered'],
  checkReturnTo?: (value: unknown) => string | undefined,
): LanguageMenu {
  const made = new Map<string, string>()
  const create = (page: string, t: Texts): string => {
    const choices = offered.map(({ tag, name }) => ({ tag, name, href: `${page}lang=${tag}` }))
    return render('languages', { choices, t })
  }
  return (req, status, t) => {
    if (offered.length < 2) return ''
    const isRepeatable = status === 200 && req.method === 'GET' && !STEPS.test(req.path)
    if (isRepeatable && req.originalUrl.includes('?'))
      return create(`?${othersIn(req.originalUrl, checkReturnTo)}`, t)
    // Relative, because anyone can make up the path of a request. A page that can't be repeated leads to the walk.
    const page = isRepeatable ? '?' : '/onboarding?'
    const key = `${t.lang} ${page}`
    const menu = made.get(key) ?? create(page, t)
    made.set(key, menu)
    return menu
  }
}

/** The other query parameters. return_to is checked, even as part of our own address. */
function othersIn(url: string, checkReturnTo?: (value: unknown) => string | undefined): string {
  const query = new URLSearchParams(url.split('?', 2)[1])
  query.delete('lang')
  if (query.has('return_to')) {
    const checked = checkReturnTo?.(query.get('return_to'))
    query.delete('return_to')
    if (checked !== undefined) query.set('return_to', checked)
  }
  return query.size === 0 ? '' : `${query.toString()}&`
}

const STEPS = /\/(callback|connect|start|continue)\b/
