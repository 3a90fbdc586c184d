// Answers every failure with a page or problem+json, and one log line. A Problem is expected and explained; any other
// error is a bug: people get a fixed text, and the log its place in the code.
import type { ErrorRequestHandler, Request, Response } from 'express'
import { shorten } from '../safe-text.ts'
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { Problem, type ProblemCode } from '../problem.ts'
import { StoreUnavailable } from '../records/records.ts'
import { sendsBearer } from './bearer.ts'
import { findSignedIn } from '../session/signed-in.ts'
import { currentRequest, newRequestId } from '../trace/current-request.ts'
import {
  mayBeFromOwnPage,
  isFromOtherSite,
  isMarkedUntrusted,
  isProvenFromOwnPage,
  pathWithoutReload,
  untrustedPath,
} from './cross-site.ts'
import type { Log } from './log.ts'
import type { SendPage } from './pages.ts'
import { routeOf } from './route-of.ts'
import { seeOther } from './see-other.ts'
import type { Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'

/** Ends the work for a browser that disconnected, as any page can cause by the hundred. Isn't logged. */
class BrowserGone extends Error {}

export function browserGoneSignal(res: Response): AbortSignal {
  const leaving = new AbortController()
  const leave = () => res.writableFinished || leaving.abort(new BrowserGone())
  if (res.closed) leave()
  else res.once('close', leave)
  return leaving.signal
}

/** The body parser's error for a connection that ended within a body. If we ended it, that was logged. */
const isAbortedBody = (error: unknown) => Reflect.get(Object(error), 'type') === 'request.aborted'

/**
 * True for navigations of a browser. Requests for JSON, and fetches (Sec-Fetch-Dest: empty, Fetch Metadata), can't
 * use a page, so they get problem+json.
 */
export function wantsPage(req: Pick<Request, 'get' | 'path' | 'headers'>): boolean {
  // Express matches routes in any letter case.
  if (/^\/api\//i.test(req.path)) return false
  const accept = req.get('accept') ?? ''
  if (accept.includes('text/html')) return true
  // Comes after the test for browsers, because a proxy may add a token to their requests.
  if (sendsBearer(req)) return false
  if (req.get('sec-fetch-dest') === 'empty' || req.get('x-requested-with') === 'XMLHttpRequest') return false
  return !/\bjson\b/.test(accept) && !/\.json$/i.test(req.path)
}

export function createErrorPage(deps: {
  log: Pick<Log, 'warn' | 'error' | 'info'>
  sendPage: SendPage
  languages: Pick<Languages, 'ofRequest'>
  publicUrl: string
  /** The path to which "Try again" may lead; undefined if it isn't ours. */
  tryAgainPathFor: (url: string) => string | undefined
  displayName: Company['displayName']
  countProblem: (code: string) => void
  now: () => number
}): ErrorRequestHandler {
  const { log, sendPage, languages, publicUrl, tryAgainPathFor, displayName, countProblem, now } = deps
  const levelOf = createLogLevels(now)
  return (error: unknown, req, res, _next) => {
    if (error instanceof BrowserGone || isAbortedBody(error)) return
    const problem = problemOf(error)
    const url = repeatUrl(problem, req, publicUrl)
    const tryAgain = url === undefined ? undefined : tryAgainPathFor(url)
    const isPage = wantsPage(req)
    // Nothing failed; the person only has to sign in first.
    const isSignedOut = problem.code === 'signed_out' && problem.tryAgain !== undefined
    if (isSignedOut && tryAgain !== undefined && isPage && !isMarkedUntrusted(req)) {
      if (!mayBeForm(req)) return seeOther(res, tryAgain)
      const view = 'web/interstitial'
      const refresh = { seconds: 0, url: tryAgain }
      return sendPage(req, res, { view, data: (t) => ({ title: t('problem.signed_out.title'), refresh }) })
    }
    const reference = currentRequest()?.id ?? newRequestId()
    const { status, code, detail, cause } = problem
    const fields = { code, status, method: req.method, route: routeOf(req), reference }
    const line = cause === undefined ? fields : { ...fields, err: cause }
    if (!AUDITED.has(code)) log[levelOf(problem)](line, detail || (status === 500 ? 'internal error' : code))
    countProblem(code)
    if (res.headersSent) return void res.destroy()
    // Otherwise express-session would set a cookie for a session that wasn't stored.
    if (problem instanceof StoreUnavailable) delete (req as Partial<Request>).session
    if (problem.retryAfter !== undefined) res.setHeader('Retry-After', String(problem.retryAfter))
    const reloadsAutomatically = tryAgain !== undefined && isPage && req.query['still'] === undefined
    const t = languages.ofRequest(req)
    const { title, advice } = problemTexts(problem, t, displayName, reloadsAutomatically)
    if (!isPage) {
      res.status(status).setHeader('Content-Type', 'application/problem+json')
      return void res.end(
        JSON.stringify({ type: 'about:blank', title, status, code, detail: advice, reference }),
      )
    }
    const page = problemPage(problem, tryAgain)
    // A missing page needs no support.
    const data = { ...page, title, advice, reference: status === 404 ? '' : reference }
    try {
      sendPage(req, res, { view: 'web/problem', status, data })
    } catch (failed) {
      log.error({ ...fields, err: failed }, 'internal error: the page about a failure')
      res.status(status).setHeader('Content-Type', 'text/plain; charset=utf-8')
      res.end(`${title}\n\n${advice}\n\n${t('frame.reference', { reference })}\n`)
    }
  }
}

const WARN_EVERY_MS = 3_600_000

function createLogLevels(now: () => number): (problem: Problem) => 'error' | 'warn' | 'info' {
  const warningTimes = new Map<ProblemCode, number>()
  return ({ status, code }) => {
    if (status >= 500) return status === 500 ? 'error' : 'warn'
    if (!TOKEN_REJECTIONS.has(code) || now() - (warningTimes.get(code) ?? -Infinity) < WARN_EVERY_MS)
      return 'info'
    warningTimes.set(code, now())
    return 'warn'
  }
}

/** The URL for "Try again": of a GET that may succeed later, because a link can't send a form again. */
function repeatUrl(problem: Problem, req: Request, publicUrl: string): string | undefined {
  const { status, code, tryAgain } = problem
  if (OVERVIEW_FAILS_TOO.has(code)) return undefined
  const isRepeatable = req.method === 'GET' && (status >= 500 || status === 429) && !NOT_RETRYABLE.has(code)
  return tryAgain ?? (isRepeatable ? safeRepeatUrl(req, publicUrl) : undefined)
}

/** GETs with an effect, which require a followed link of our own page. */
const GETS_WITH_EFFECT = /^\/(onboarding\/connect|invite\/[^/]+\/start|sign-out|signed-out)(\/|$)/i

/**
 * True if a form of our page may have led here: by a POST, by a query, or by the redirect after a POST, if the session
 * goes on without a valid token. Chromium applies `form-action` to all redirects of a form, so it would refuse the one
 * to the authorization server, and nothing would happen on the page.
 */
function mayBeForm(req: Request): boolean {
  if (!isProvenFromOwnPage(req) || req.get('sec-fetch-dest') !== 'document') return false
  if (req.method !== 'GET') return true
  const mayBeRedirected = req.originalUrl.includes('?') || findSignedIn(req) !== undefined
  return mayBeRedirected && !GETS_WITH_EFFECT.test(req.path)
}

/** The URL for "Try again", which must not turn a request from elsewhere into one from our page. */
function safeRepeatUrl(req: Request, publicUrl: string): string {
  const isElsewhere =
    isFromOtherSite(req, publicUrl) || (GETS_WITH_EFFECT.test(req.path) && !mayBeFromOwnPage(req, publicUrl))
  return isElsewhere && !isMarkedUntrusted(req) ? untrustedPath(req.originalUrl) : req.originalUrl
}

/** Express and its parsers set a status for a bad request; any other unknown error is a bug. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status === 413) return new Problem(413, 'too_large', { cause: error })
  if (status >= 400 && status < 500) return new Problem(400, 'bad_request', { cause: error })
  return new Problem(500, 'internal', { cause: error })
}

const codes = (...all: ProblemCode[]): ReadonlySet<ProblemCode> => new Set(all)

/** The service rejects a person's token, perhaps everyone's because of a setting. Logged as a warning once an hour. */
const TOKEN_REJECTIONS = codes('search_forbidden', 'service_forbidden', 'service_refused_sign_in')

/** These failures are in the audit log already. */
const AUDITED = codes('datasource_unknown', 'too_many', 'too_many_requests', 'token_refused')

/** With these failures, the overview fails, too, until an operator acts. */
const OVERVIEW_FAILS_TOO = codes(
  'service_forbidden',
  'service_misconfigured',
  'service_refused_request',
  'service_refused_return',
  'sign_in_misconfigured',
)

/** These pages have no "Try again", because a retry would fail. */
const NOT_RETRYABLE = codes(...OVERVIEW_FAILS_TOO, 'search_misconfigured', 'search_refused')

/** Only an operator or admin can fix these failures, so the page shows the company's help first. */
const NEEDS_HELP = codes(
  ...OVERVIEW_FAILS_TOO,
  'admins_only',
  'owners_only',
  'search_forbidden',
  'search_misconfigured',
)

export function problemTexts(
  { code, datasource, retryAfter }: Problem,
  t: Texts,
  displayName: Company['displayName'],
  reloadsAutomatically = false,
): { title: string; advice: string } {
  const apps = datasource?.personsApps.map((app) => ({ ...app, name: displayName(app, t.lang) })) ?? []
  const name = withUniqueNames(apps).find(({ instance }) => instance === datasource?.instance)?.name ?? ''
  const app = { hasApp: name === '' ? 'no' : 'yes', app: name }
  const again = t('problem.again', {
    waits: reloadsAutomatically && retryAfter !== undefined ? 'yes' : 'no',
    soon: soonIn(retryAfter, t),
  })
  return {
    title: t(`problem.${code}.title`, { ...app, app: shorten(name, MAX_NAME) }),
    advice: t(`problem.${code}.advice`, { ...app, again }),
  }
}

/** A longer name would be cut off in the window's title. */
const MAX_NAME = 24

function soonIn(seconds: number | undefined, t: Texts): string {
  if (seconds === undefined || seconds < 2) return t('problem.soon', { unit: 'moment', count: 0 })
  if (seconds < 90) return t('problem.soon', { unit: 'seconds', count: seconds })
  return t('problem.soon', { unit: 'minutes', count: Math.ceil(seconds / 60) })
}

function problemPage({ code, retryAfter }: Problem, tryAgain: string | undefined) {
  const refresh =
    retryAfter === undefined || tryAgain === undefined
      ? undefined
      : { seconds: Math.max(1, retryAfter), url: tryAgain }
  const stop = refresh && pathWithoutReload(refresh.url)
  return {
    tryAgain,
    refresh,
    stop,
    code,
    needsHelp: NEEDS_HELP.has(code),
    overviewFailsToo: OVERVIEW_FAILS_TOO.has(code),
  }
}
