// Refuses requests that other sites cause in a person's browser, and prefetches by browsers and scanners.
import type { Request, RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { routeOf } from './route-of.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * True if the request comes from our own page: by Fetch Metadata, which no page can forge; by Origin or Referer for older
 * browsers. Undefined without any of them, as from programs.
 */
function isFromOwnPage(req: Request, publicOrigin: string): boolean | undefined {
  if (isAutomaticReload(req)) return false
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const named = req.get('origin') ?? req.get('referer')
  if (named === undefined) return undefined
  return URL.canParse(named) && new URL(named).origin === publicOrigin
}

/** "none" is the person: an address that was typed, a bookmark, a reload. */
export const isFromOtherSite = (req: Request, publicOrigin: string): boolean =>
  req.get('sec-fetch-site') !== 'none' && isFromOwnPage(req, publicOrigin) === false

/**
 * Refuses every state-changing request that another site's page made (OWASP CSRF, Fetch Metadata with Origin fallback), and
 * what it embeds or fetches: the person didn't ask for it, and a page of ours can start a sign-in or call the service.
 */
export const refuseCrossSite =
  (publicOrigin: string): RequestHandler =>
  (req, res, next) => {
    if (!SAFE_METHODS.has(req.method) && isFromOtherSite(req, publicOrigin))
      throw new Problem(403, 'cross_site', { detail: 'a state-changing request from another site' })
    // Set by the intranet's routes: this origin may read the answer.
    if (isEmbedded(req) && !res.hasHeader('Access-Control-Allow-Origin'))
      throw new Problem(403, 'cross_site', { detail: "embedded or fetched by another site's page" })
    next()
  }

/**
 * False for a followed link, which loads a document at the top of a tab (Fetch Metadata, W3C, "resource isolation policy"),
 * and for an older browser, which sends no metadata.
 */
function isEmbedded(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site === undefined || site === 'none' || site === 'same-origin') return false
  // Frames and objects navigate too, but with another destination. Chromium 76 to 79 sent none, and "nested-navigate".
  return req.get('sec-fetch-mode') !== 'navigate' || (req.get('sec-fetch-dest') ?? 'document') !== 'document'
}

/** For links that lead to a datasource. Programs without metadata pass: they are no page of another site. */
export const isFollowedFromOwnPage = (req: Request, publicOrigin: string): boolean =>
  isFromOwnPage(req, publicOrigin) !== false

/** True if the browser proves a click on our own page; older browsers can't. */
export const isProvenFromOwnPage = (req: Request): boolean =>
  req.get('sec-fetch-site') === 'same-origin' && !isAutomaticReload(req)

const withParameter = (path: string, parameter: string): string =>
  path.replace(/(?=#|$)/, `${path.includes('?') ? '&' : '?'}${parameter}`)

/** The same page without its automatic reload (pages.ts). */
export const pathWithoutReload = (path: string): string => withParameter(path, 'still=yes')

export const automaticReloadPath = (path: string): string => withParameter(path, 'unattended=yes')

/** An automatic reload may not sign in a person who has signed out, nor do what another site's link may not. */
export const isAutomaticReload = ({ originalUrl }: Request): boolean => /[?&]unattended=/.test(originalUrl)

/** `X-Purpose: preview` comes from Safari, and from messengers that preview links. */
const SPECULATION = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

const isSpeculative = ({ headers }: Request) =>
  SPECULATION.some(
    (name) => headers[name] !== undefined && /prefetch|prerender|preview/i.test(String(headers[name])),
  )

/**
 * A prefetch, and a HEAD (mail scanners send one to every link), start and consume nothing. A HEAD is 404 for a path
 * that begins as none of our routes.
 */
export const answerSpeculation: RequestHandler = (req, res, next) => {
  if (isSpeculative(req)) {
    // Not a success, so that no browser keeps it for the real visit.
    res.statusCode = 503
    res.end()
  } else if (req.method === 'HEAD') {
    if (routeOf(req) === undefined) throw new Problem(404, 'not_found')
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.end()
  } else next()
}
