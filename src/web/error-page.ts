// Not found, and the page of every failure. Problems were expected and are explained; anything else is a bug, told to
// people in fixed words and to the log with its place in the code. One log line a failure.
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { shortened } from '../client-api/bounds.ts'
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { Problem, type ProblemCode } from '../problem.ts'
import { StoreUnavailable } from '../records/records.ts'
import { sendsBearer } from './bearer.ts'
import { BrowserGone } from './browser-gone.ts'
import { currentRequest, newRequestId } from '../trace/current-request.ts'
import { isUnattended, repeatable } from './cross-site.ts'
import type { Log } from './log.ts'
import type { SendPage } from './pages.ts'
import { routeOf } from './route-of.ts'
import { seeOther } from './see-other.ts'
import type { Languages } from './languages/languages.ts'
import type { Texts } from './languages/texts.ts'

export const notFound: RequestHandler = () => {
  throw new Problem(404, 'not_found')
}

/**
 * Does a person look at the answer, or a program? Pages for browsers' navigations; problem+json for requests that ask for
 * JSON and for fetches (Sec-Fetch-Dest: empty, Fetch Metadata), which could do nothing with a page.
 */
export function wantsPage(req: Pick<Request, 'get' | 'path' | 'headers'>): boolean {
  // Routes are found in any letter case.
  if (/^\/api\//i.test(req.path)) return false
  const accept = req.get('accept') ?? ''
  if (accept.includes('text/html')) return true
  // Only now: a proxy in front of us may add a token of its own to what browsers send.
  if (sendsBearer(req)) return false
  if (req.get('sec-fetch-dest') === 'empty' || req.get('x-requested-with') === 'XMLHttpRequest') return false
  return !/\bjson\b/.test(accept)
}

type ErrorPageParts = {
  log: Pick<Log, 'warn' | 'error' | 'info'>
  sendPage: SendPage
  languages: Pick<Languages, 'of'>
  /** Of PUBLIC_URL. */
  origin: string
  /** The one check of where a link may lead: a path of ours, or undefined. */
  pathOf: (address: string) => string | undefined
  /** What the company calls an app. */
  displayName: Company['displayName']
  /** Counts a problem by its code. */
  count: (code: string) => void
  /** Milliseconds since 1970. */
  now: () => number
}

const WARN_EVERY_MS = 3_600_000

export function createErrorPage({
  log,
  sendPage,
  languages,
  origin,
  pathOf,
  displayName,
  count,
  now,
}: ErrorPageParts): ErrorRequestHandler {
  const warnedAt = new Map<ProblemCode, number>()
  function levelOf({ status, code }: Problem): 'error' | 'warn' | 'info' {
    if (status >= 500) return status === 500 ? 'error' : 'warn'
    if (!BY_SERVICE.has(code) || now() - (warnedAt.get(code) ?? -Infinity) < WARN_EVERY_MS) return 'info'
    warnedAt.set(code, now())
    return 'warn'
  }

  return (error: unknown, req, res, _next) => {
    if (error instanceof BrowserGone) return
    const problem = problemOf(error)
    // Nothing failed: the person only has to sign in first.
    const tryAgain = SHUT.has(problem.code)
      ? undefined
      : pathOf(problem.tryAgain ?? (isRepeatable(req, problem) ? repeatable(req, origin) : ''))
    const isSignedOut = problem.code === 'signed_out' && problem.tryAgain !== undefined
    if (isSignedOut && tryAgain !== undefined && wantsPage(req) && !isUnattended(req))
      return seeOther(res, tryAgain)
    const reference = currentRequest()?.id ?? newRequestId()
    const { status, code, detail, cause } = problem
    const fields = { code, status, method: req.method, route: routeOf(req), reference }
    const line = cause === undefined ? fields : { ...fields, err: cause }
    if (!AUDITED.has(problem.code))
      log[levelOf(problem)](line, detail || (status === 500 ? 'a fault in onramp' : code))
    count(problem.code)
    if (res.headersSent) return void res.destroy()
    // Whatever was to be written into a session that the store does not take must not end in a cookie for it.
    if (problem instanceof StoreUnavailable) delete (req as Partial<Request>).session
    if (problem.retryAfter !== undefined) res.setHeader('Retry-After', String(problem.retryAfter))
    const waits = tryAgain !== undefined && wantsPage(req) && req.query['still'] === undefined
    const words = problemTexts(problem, languages.of(req), displayName, waits)
    if (!wantsPage(req)) return answerJson(res, problem, words, reference)
    try {
      sendPage(req, res, {
        view: 'web/problem',
        status: problem.status,
        data: pageOf(problem, words, reference, tryAgain),
      })
    } catch {
      res.statusCode = problem.status
      res.setHeader('Content-Type', 'text/plain; charset=utf-8')
      res.end(`${words.title}\n\n${words.advice}\n\n${words.reference(reference)}\n`)
    }
  }
}

/** Express and its parsers say what is wrong with a request by a status; everything else unknown is a bug of ours. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status === 413) return new Problem(413, 'too_large', { cause: error })
  if (status >= 400 && status < 500) return new Problem(400, 'bad_request', { cause: error })
  return new Problem(500, 'internal', { cause: error })
}

/** The service refuses the token of a person: perhaps everyone's, so each is a warning once an hour: its settings differ. */
const BY_SERVICE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'search_forbidden',
  'service_forbidden',
  'service_refused_sign_in',
])

/** Their line in the audit log says it all. */
const AUDITED: ReadonlySet<ProblemCode> = new Set(['too_many', 'too_many_requests', 'token_refused'] as const)

/** Only someone else can change these, and until then the overview fails too. */
const SHUT: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'service_forbidden',
  'service_misconfigured',
  'service_refused_request',
  'service_refused_return',
  'sign_in_misconfigured',
])

/** Nothing that the person does changes these, so "Try again" is not offered. */
const FINAL: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  ...SHUT,
  'search_misconfigured',
  'search_refused',
])

/** Only someone else can change these, so the company's help comes before the way back. */
const NEEDS_HELP: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  ...SHUT,
  'admins_only',
  'search_forbidden',
  'search_misconfigured',
])

/** Could the same request be answered later? A form cannot be sent again by a link. */
const isRepeatable = (req: Request, { status, code }: Problem) =>
  req.method === 'GET' && (status >= 500 || status === 429) && !FINAL.has(code)

type ProblemTexts = { title: string; advice: string; reference: (reference: string) => string }

/** What happened, what it means for what was done, and what comes next. */
export function problemTexts(
  { code, datasource, retryAfter }: Problem,
  t: Texts,
  displayName: Company['displayName'],
  /** Does the page try again on its own? */
  waits = false,
): ProblemTexts {
  const among = datasource?.among.map((app) => ({ ...app, name: displayName(app, t.lang) })) ?? []
  const name = withUniqueNames(among).find(({ instance }) => instance === datasource?.instance)?.name ?? ''
  const app = { hasApp: name === '' ? 'no' : 'yes', app: name }
  const again = t('problem.again', {
    waits: waits && retryAfter !== undefined ? 'yes' : 'no',
    soon: soonIn(retryAfter, t),
  })
  return {
    title: t(`problem.${code}.title`, { ...app, app: shortened(name, MAX_NAME) }),
    advice: t(`problem.${code}.advice`, { ...app, again }),
    reference: (reference) => t('frame.reference', { reference }),
  }
}

/** A title is also what the window is called: more of a name would be cut off there. */
const MAX_NAME = 24

/** @param seconds of Retry-After */
function soonIn(seconds: number | undefined, t: Texts): string {
  if (seconds === undefined || seconds < 2) return t('problem.soon', { unit: 'moment', count: 0 })
  if (seconds < 90) return t('problem.soon', { unit: 'seconds', count: seconds })
  return t('problem.soon', { unit: 'minutes', count: Math.ceil(seconds / 60) })
}

/** views/web/problem.eta */
type ProblemPage = {
  title: string
  advice: string
  tryAgain: string | undefined
  refresh: { seconds: number; url: string } | undefined
  /** The same page, without loading again. */
  stop: string | undefined
  /** Empty: no one has to look into a page that isn't there. */
  reference: string
  code: string
  needsHelp: boolean
  /** Would the overview fail the same way? */
  isShut: boolean
}

function pageOf(
  problem: Problem,
  words: ProblemTexts,
  reference: string,
  tryAgain: string | undefined,
): ProblemPage {
  const { code, status, retryAfter } = problem
  const refresh =
    retryAfter === undefined || tryAgain === undefined
      ? undefined
      : { seconds: Math.max(1, retryAfter), url: tryAgain }
  return {
    title: words.title,
    advice: words.advice,
    tryAgain,
    refresh,
    stop: refresh && `${refresh.url}${refresh.url.includes('?') ? '&' : '?'}still=yes`,
    reference: status === 404 ? '' : reference,
    code,
    needsHelp: NEEDS_HELP.has(code),
    isShut: SHUT.has(code),
  }
}

/** RFC 9457. */
function answerJson(
  res: Response,
  { status, code }: Problem,
  { title, advice }: ProblemTexts,
  reference: string,
): void {
  res.statusCode = status
  res.setHeader('Content-Type', 'application/problem+json')
  res.end(JSON.stringify({ type: 'about:blank', title, status, code, detail: advice, reference }))
}
