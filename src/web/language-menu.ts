// The menu of languages on every page, with links to the same page in each language.
import type { Request } from 'express'
import type { Languages } from './languages/languages.ts'

/** Pages that can't be repeated. */
const STEPS = /\/(callback|connect|start|continue)\b/

/** @param checkReturnTo where return_to may lead; default: nowhere */
export function languageChoices(
  req: Request,
  status: number,
  offered: Languages['offered'],
  checkReturnTo?: (value: unknown) => string | undefined,
): { tag: string; name: string; href: string }[] {
  const isRepeatable = status === 200 && req.method === 'GET' && !STEPS.test(req.path)
  // Relative, because anyone can make up the path of a request. A page that can't be repeated leads to the walk.
  const page = isRepeatable ? `?${otherParameters(req.originalUrl, checkReturnTo)}` : '/onboarding?'
  return offered.map(({ tag, name }) => ({ tag, name, href: `${page}lang=${tag}` }))
}

/** return_to is checked, even as part of our own address. */
function otherParameters(url: string, checkReturnTo?: (value: unknown) => string | undefined): string {
  const query = new URLSearchParams(url.split('?', 2)[1])
  query.delete('lang')
  if (query.has('return_to')) {
    const checked = checkReturnTo?.(query.get('return_to'))
    query.delete('return_to')
    if (checked !== undefined) query.set('return_to', checked)
  }
  return query.size === 0 ? '' : `${query.toString()}&`
}
