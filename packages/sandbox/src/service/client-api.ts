// The operations of the two APIs: the two that the contract shows, and those that it names only in its schedule of
// deprecations, as that schedule has them on the day of the switch `date`.
import { randomUUID } from 'node:crypto'
import type { Authorizations } from '../provider/authorizations.ts'
import { readText } from './bodies.ts'
import type { Callers, Refusal } from './callers.ts'
import { announce, dayOf, refusalOf, withoutRemoved } from './deprecations.ts'
import { refuse } from './error-shapes.ts'
import type { Exchange } from '../http-server.ts'
import { namedOperation } from './named-operations.ts'
import { sendJson } from '../pages.ts'
import type { Person } from '../people.ts'
import type { RateLimit } from './rate-limit.ts'
import { searchResults } from './search-results.ts'
import type { SwitchesControl } from '../control/switches.ts'

export type ClientApiOptions = {
  authorizations: Authorizations
  callers: Callers
  switches: SwitchesControl
  rateLimit: RateLimit
  /** Makes a redirect destination into something that only the service can read and make. */
  seal: (destination: string) => string
  /** Address of the page that the schedule is on. */
  schedulePage: string
}

type Asked = { person: Person; body: unknown }
type Answer = { body: unknown } | { refusal: Refusal }

/** Whether a name is that of an operation of the Client API or the Indexing API. */
export function isApiOperation(name: string): boolean {
  return name === 'checkdatasourceauth' || name === 'search' || namedOperation(name) !== undefined
}

/** Answers an operation of the Client API or the Indexing API. */
export async function handleClientApi(exchange: Exchange, options: ClientApiOptions): Promise<void> {
  const { req, res, entry, operation } = exchange
  const { errorShape, date } = options.switches.get()
  const refuseWith = (refusal: Refusal) => refuse(res, refusal, errorShape)
  const scheduled = namedOperation(operation)?.operation
  const method = scheduled?.split(' ')[0] ?? 'POST'
  if (req.method !== method) {
    res.setHeader('allow', method)
    refuseWith({ status: 405, message: 'Method Not Allowed' })
    return
  }
  const wait = options.rateLimit.take()
  if (scheduled !== undefined) announce(res, scheduled, { day: dayOf(date), page: options.schedulePage })
  const text = await readText(req)
  if (wait !== undefined) {
    const date = new Date(Math.ceil((Date.now() + wait * 1000) / 1000) * 1000).toUTCString()
    res.setHeader('retry-after', options.switches.get().retryAfterDate ? date : String(wait))
    refuseWith({ status: 429, message: 'Too Many Requests' })
    return
  }
  const caller = await options.callers.identify(req.headers, operation)
  if ('refusal' in caller) {
    if (caller.refusal.status === 401) res.setHeader('www-authenticate', 'Bearer')
    refuseWith(caller.refusal)
    return
  }
  entry.person = caller.person.id
  const { body, refusal } = readJson({ text, type: req.headers['content-type'], operation })
  if (body !== undefined) entry.body = body
  if (refusal !== undefined) {
    refuseWith(refusal)
    return
  }
  const answer = answerOf(exchange, { person: caller.person, body }, options)
  if ('refusal' in answer) refuseWith(answer.refusal)
  else sendJson(res, answer.body)
}

function answerOf(exchange: Exchange, { person, body }: Asked, options: ClientApiOptions): Answer {
  const named = namedOperation(exchange.operation)
  if (named === undefined) {
    return exchange.operation === 'search' ? search(person, body, options) : check(exchange, person, options)
  }
  const day = dayOf(options.switches.get().date)
  const refusal = refusalOf(named.operation, body, day)
  return refusal ? { refusal } : { body: withoutRemoved(named.operation, named.answer(), day) }
}

function check({ url }: Exchange, person: Person, { authorizations, seal }: ClientApiOptions): Answer {
  const destination = url.searchParams.get('final_redirect_url')
  if (destination !== null && !isAbsoluteUrl(destination)) {
    return { refusal: { status: 400, message: 'final_redirect_url must be an absolute URL' } }
  }
  authorizations.voidTokens(person.id)
  const entries = authorizations.waiting(person).map(({ instance, displayName, authStatus, withoutPath }) => {
    const token = authorizations.issueToken(person.id, instance)
    const redirect = destination === null ? '' : `&redirect=${seal(destination)}`
    return {
      datasourceInstance: instance,
      ...(displayName !== undefined && { displayName }),
      authStatus: authStatus ?? 'AWAITING_AUTH',
      ...(!withoutPath && {
        authUrlRelativePath: `/auth/datasource/${encodeURIComponent(instance)}?token=${token}${redirect}`,
      }),
    }
  })
  return { body: { unauthorizedDatasourceInstances: entries } }
}

function search(person: Person, body: unknown, { authorizations }: ClientApiOptions): Answer {
  const { query, pageSize = 10 }: Record<string, unknown> = { ...(typeof body === 'object' && body) }
  if (typeof query !== 'string') return { refusal: { status: 400, message: 'query must be a string' } }
  if (typeof pageSize !== 'number' || !Number.isInteger(pageSize) || pageSize < 1) {
    return { refusal: { status: 400, message: 'pageSize must be a positive integer' } }
  }
  const results = searchResults(authorizations.authorized(person), query).slice(0, pageSize)
  return { body: { results, trackingToken: randomUUID(), requestId: randomUUID() } }
}

type Given = { text: string; type: string | undefined; operation: string }

/**
 * The body, and what is wrong with how it came. The contract lists `Content-Type: application/json` with the two
 * operations that it shows, also where no body is sent (4.1); of the others it shows nothing.
 */
function readJson({ text, type = '', operation }: Given): { body?: unknown; refusal?: Refusal } {
  const isShown = namedOperation(operation) === undefined
  const isJson = /^application\/json *(;|$)/i.test(type)
  if (isShown && !isJson)
    return { refusal: { status: 415, message: 'Content-Type must be application/json' } }
  if (text === '') return {}
  try {
    return { body: JSON.parse(text) as unknown }
  } catch {
    return { refusal: { status: 400, message: 'The body is not valid JSON' } }
  }
}

/** What runs where it is opened, instead of leading anywhere. */
const NOWHERE = /^(javascript|data|vbscript|blob|about|file):/i

/** "An absolute URL" (contract 4.1) may have any scheme: an app of its own takes people back to `myapp://done`. */
function isAbsoluteUrl(value: string): boolean {
  const isWeb = /^https?:/i.test(value)
  const isWhole = isWeb ? /^https?:\/\/[^/?#]/i.test(value) : /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value)
  return isWhole && !NOWHERE.test(value) && URL.canParse(value)
}
