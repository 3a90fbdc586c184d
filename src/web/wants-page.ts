// Does a person look at the answer, or a program? Pure.
import type { Request } from 'express'

/**
 * Pages for browsers' navigations; problem+json for those who ask for JSON and for fetches (Sec-Fetch-Dest: empty,
 * Fetch Metadata), which could do nothing with a page.
 */
export function wantsPage(req: Pick<Request, 'get' | 'path'>): boolean {
  if (req.path.startsWith('/api/')) return false
  const accept = req.get('accept') ?? ''
  if (accept.includes('text/html')) return true
  if (req.get('sec-fetch-dest') === 'empty' || req.get('x-requested-with') === 'XMLHttpRequest') return false
  return !/\bjson\b/.test(accept)
}
