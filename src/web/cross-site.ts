// Refuses requests that other sites cause in a person's browser, and prefetches by browsers and scanners.
import type { Request, RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { routeOf } from './route-of.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * True if the request comes from our own page: by Fetch Metadata, which no page can forge; for older browsers, by
 * Origin or Referer. Undefined if all are missing, as in requests of programs.
 */
function isFromOwnPage(req: Request, publicOrigin: string): boolean | undefined {
  if (isMarkedUntrusted(req)) return false
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const source = req.get('origin') ?? req.get('referer')
  if (source === undefined) return undefined
  return URL.canParse(source) && new URL(source).origin === publicOrigin
}

/** `sec-fetch-site: none` comes from the person: a typed address, a bookmark or a reload. */
export const isFromOtherSite = (req: Request, publicOrigin: string): boolean =>
  req.get('sec-fetch-site') !== 'none' && isFromOwnPage(req, publicOrigin) === false

/**
 * Refuses every state-changing request of another site's page (OWASP CSRF, Fetch Metadata with Origin fallback). Also
 * refuses embedding and fetching, because the person doesn't see it, and our pages may start a sign-in or a check.
 */
export const refuseCrossSite =
  (publicOrigin: string): RequestHandler =>
  (req, res, next) => {
    if (!SAFE_METHODS.has(req.method) && isFromOtherSite(req, publicOrigin))
      throw new Problem(403, 'cross_site', { detail: 'a state-changing request from another site' })
    // The intranet's routes set the header if this origin may read the response.
    if (isEmbedded(req) && !res.hasHeader('Access-Control-Allow-Origin'))
      throw new Problem(403, 'cross_site', { detail: "embedded or fetched by another site's page" })
    next()
  }

/**
 * False for a followed link, which loads a document at the top of a tab (Fetch Metadata, W3C, "resource isolation
 * policy"), and for an older browser, which sends no metadata.
 */
function isEmbedded(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site === undefined || site === 'none' || site === 'same-origin') return false
  // Frames and objects also navigate, but to another destination. Chromium 76 to 79 sent none, and "nested-navigate".
  return req.get('sec-fetch-mode') !== 'navigate' || (req.get('sec-fetch-dest') ?? 'document') !== 'document'
}

/** For links that lead to a datasource. Programs without metadata pass, because they aren't pages of another site. */
export const mayBeFromOwnPage = (req: Request, publicOrigin: string): boolean =>
  isFromOwnPage(req, publicOrigin) !== false

/** True if the browser proves a click on our own page; older browsers can't. */
export const isProvenFromOwnPage = (req: Request): boolean =>
  req.get('sec-fetch-site') === 'same-origin' && !isMarkedUntrusted(req)

const withParameter = (path: string, parameter: string): string =>
  path.replace(/(?=#|$)/, `${path.includes('?') ? '&' : '?'}${parameter}`)

/** The same page without its automatic reload (pages.ts). */
export const pathWithoutReload = (path: string): string => withParameter(path, 'still=yes')

/**
 * Marks a path, so that its request has only the rights of a link on another site: for automatic reloads, which must
 * not sign in a person who has signed out, and for pages that another site may have caused.
 */
export const untrustedPath = (path: string): string => withParameter(path, 'unattended=yes')

export const isMarkedUntrusted = ({ originalUrl }: Request): boolean => /[?&]unattended=/.test(originalUrl)

/** Safari, and messengers that preview links, send `X-Purpose: preview`. */
const SPECULATION = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

const isSpeculative = ({ headers }: Request) =>
  SPECULATION.some(
    (name) => headers[name] !== undefined && /prefetch|prerender|preview/i.test(String(headers[name])),
  )

/** A prefetch, or a HEAD of a mail scanner, starts and consumes nothing. A HEAD outside of our routes gets 404. */
export const answerWithoutEffect: RequestHandler = (req, res, next) => {
  if (isSpeculative(req)) {
    // An error, so that no browser caches it for the real visit.
    res.statusCode = 503
    res.end()
  } else if (req.method === 'HEAD') {
    if (routeOf(req) === undefined) throw new Problem(404, 'not_found')
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.end()
  } else next()
}
