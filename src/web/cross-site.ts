// What other sites may not do in a person's browser, and what browsers and scanners may not do ahead of a person.
import type { Request, RequestHandler } from 'express'
import { Problem } from '../problem.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Does the request come from a page of ours? By Fetch Metadata (every current browser sends it and no page can forge
 * it), by Origin or Referer where a browser is older; undefined when nothing is said, as by programs.
 */
function isFromOwnPage(req: Request, publicOrigin: string): boolean | undefined {
  if (isUnattended(req)) return false
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const named = req.get('origin') ?? req.get('referer')
  if (named === undefined) return undefined
  return URL.canParse(named) && new URL(named).origin === publicOrigin
}

/** "none" is the person: an address typed, a bookmark, a reload. What says nothing is no page. */
export const isFromOtherSite = (req: Request, publicOrigin: string): boolean =>
  req.get('sec-fetch-site') !== 'none' && isFromOwnPage(req, publicOrigin) === false

/** Refuses every state-changing request that another site's page made (OWASP CSRF, Fetch Metadata with Origin fallback). */
export function refuseCrossSite(publicOrigin: string): RequestHandler {
  return (req, _res, next) => {
    if (!SAFE_METHODS.has(req.method) && isFromOtherSite(req, publicOrigin))
      throw new Problem(403, 'cross_site', { detail: 'a state-changing request from another site' })
    next()
  }
}

/**
 * Refuses what another site's page embeds or fetches: such a request comes without the person, and reading a page of ours
 * can start a sign-in or ask the service. A link that is followed goes on: it loads a document at the top of a tab
 * (Fetch Metadata, W3C; "resource isolation policy"). A browser that says nothing is an older one.
 */
export const refuseEmbedding: RequestHandler = (req, res, next) => {
  const site = req.get('sec-fetch-site')
  if (site === undefined || site === 'none' || site === 'same-origin') return next()
  // A frame, an object or an embedded thing navigates too, but its destination says what it is.
  // Chromium 76 to 79 said no destination yet, and "nested-navigate" for a frame.
  const isFollowed =
    req.get('sec-fetch-mode') === 'navigate' && (req.get('sec-fetch-dest') ?? 'document') === 'document'
  // The intranet's routes have said that this origin may read the answer.
  const mayRead = res.hasHeader('Access-Control-Allow-Origin')
  if (!isFollowed && !mayRead)
    throw new Problem(403, 'cross_site', { detail: "embedded or fetched by another site's page" })
  next()
}

/** May this link be followed to a datasource? Links of our own pages only; a program that says nothing is no page. */
export const isFollowedFromOwnPage = (req: Request, publicOrigin: string): boolean =>
  isFromOwnPage(req, publicOrigin) !== false

/** Did the person click on a page of ours, as far as a browser can prove it? An older one cannot. */
export const isProvenFromOwnPage = (req: Request): boolean =>
  req.get('sec-fetch-site') === 'same-origin' && !isUnattended(req)

/** GETs that act, and only where a link of our own page was followed. */
const ACTING = /^\/(onboarding\/connect|invite\/[^/]+\/start|sign-out|signed-out)(\/|$)/i

/** The address for "Try again": what didn't come from a page of ours must not come again as if it did. */
export function repeatable(req: Request, publicOrigin: string): string {
  const isElsewhere =
    isFromOtherSite(req, publicOrigin) ||
    (ACTING.test(req.path) && isFromOwnPage(req, publicOrigin) === false)
  return isElsewhere && !isUnattended(req) ? unattendedPath(req.originalUrl) : req.originalUrl
}

/** The address at which a page loads again without the person. */
export const unattendedPath = (path: string): string =>
  path.replace(/(?=#|$)/, `${path.includes('?') ? '&' : '?'}unattended=yes`)

/** A page that loads again may not sign in a person who has signed out meanwhile, nor do what another site's link may not. */
export const isUnattended = ({ originalUrl }: Request): boolean => /[?&]unattended=/.test(originalUrl)

/** `X-Purpose: preview` comes from Safari, and from messengers that load links ahead. */
const SPECULATION = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

const isSpeculative = ({ headers }: Request) =>
  SPECULATION.some(
    (name) => headers[name] !== undefined && /prefetch|prerender|preview/i.test(String(headers[name])),
  )

type Layer = {
  match(path: string): boolean
  route?: { methods: Record<string, boolean> }
  handle: { stack?: Layer[] }
}

/** Looks for a route without running any. */
const isRoute = (layers: Layer[], path: string): boolean =>
  layers.some(
    (layer) => layer.match(path) && (layer.route?.methods['get'] ?? isRoute(layer.handle.stack ?? [], path)),
  )

/**
 * Nothing is started, consumed or asked of the service for a browser that only guesses where the person will go, nor
 * for a HEAD, which mail scanners send to every link. A HEAD of a path that no route has is 404.
 */
export const answerSpeculation: RequestHandler = (req, res, next) => {
  if (isSpeculative(req)) {
    // Not a success, so that no browser keeps it for the real visit.
    res.statusCode = 503
    res.end()
  } else if (req.method === 'HEAD') {
    if (!isRoute(req.app.router.stack as unknown as Layer[], req.path)) throw new Problem(404, 'not_found')
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.end()
  } else next()
}
