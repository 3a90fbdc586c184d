// The operations of the two APIs: the two that the contract shows, and those that it names only in its schedule of
// deprecations, which follow that schedule on the day of the switch `date`.
import { randomUUID } from 'node:crypto'
import type { SwitchesControl } from '../control/switches.ts'
import type { Authorizations } from '../datasource/authorizations.ts'
import { readText, type Exchange } from '../http-server.ts'
import type { ServerName } from '../journal.ts'
import { sendJson } from '../pages.ts'
import type { Person } from '../people.ts'
import type { Callers } from './callers.ts'
import { announcement, dayOf, refuseRemoved, withoutRemoved } from './deprecations.ts'
import { operationNamed } from './operations.ts'
import type { RateLimit } from './rate-limit.ts'
import { Refusal } from './refusal.ts'
import { searchResults } from './search-results.ts'

export type ClientApiOptions = {
  authorizations: Authorizations
  callers: Callers
  switches: SwitchesControl
  rateLimit: RateLimit
  urls: Record<ServerName, string>
}

/**
 * Answers an operation of the Client API or the Indexing API.
 * @throws Refusal; headers that belong to it are set
 */
export async function handleClientApi(exchange: Exchange, options: ClientApiOptions): Promise<void> {
  const { req, res, entry } = exchange
  const { operation = '', answer } = operationNamed(exchange.operation) ?? {}
  const day = dayOf(options.switches.get().date)
  const [method = ''] = operation.split(' ')
  if (req.method !== method) {
    res.setHeader('allow', method)
    throw new Refusal(405, 'Method Not Allowed')
  }
  const wait = options.rateLimit.take()
  res.setHeaders(announcement(operation, day, `${options.urls.control}/#deprecations`))
  const text = await readText(req)
  if (wait !== undefined) {
    const at = new Date(Math.ceil(Date.now() / 1000 + wait) * 1000).toUTCString()
    res.setHeader('retry-after', options.switches.get().retryAfterDate ? at : String(wait))
    throw new Refusal(429, 'Too Many Requests')
  }
  const person = await options.callers.identify(req.headers, exchange.operation)
  entry.person = person.id
  const isShown = answer === undefined
  const body = readJson(text, isShown ? (req.headers['content-type'] ?? '') : undefined)
  if (body !== undefined) entry.body = body
  if (!isShown) {
    refuseRemoved(operation, body, day)
    sendJson(res, withoutRemoved(operation, answer(operation), day))
  } else if (exchange.operation === 'search') sendJson(res, search(person, body, options))
  else sendJson(res, check(exchange, person, options))
}

function check({ url }: Exchange, person: Person, { authorizations }: ClientApiOptions) {
  const destination = url.searchParams.get('final_redirect_url')
  if (destination !== null && !isAbsoluteUrl(destination))
    throw new Refusal(400, 'final_redirect_url must be an absolute URL')
  authorizations.voidTokens(person.id)
  const entries = authorizations.waiting(person).map(({ instance, displayName, authStatus, withoutPath }) => {
    const query = authorizations.issueToken(person.id, instance, destination ?? undefined)
    const path = `/auth/datasource/${encodeURIComponent(instance)}?${query}`
    return {
      datasourceInstance: instance,
      displayName,
      authStatus: authStatus ?? 'AWAITING_AUTH',
      authUrlRelativePath: withoutPath ? undefined : path,
    }
  })
  return { unauthorizedDatasourceInstances: entries }
}

function search(person: Person, body: unknown, { authorizations }: ClientApiOptions) {
  const { query, pageSize = 10 }: Record<string, unknown> = { ...(typeof body === 'object' && body) }
  if (typeof query !== 'string') throw new Refusal(400, 'query must be a string')
  if (typeof pageSize !== 'number' || !Number.isInteger(pageSize) || pageSize < 1)
    throw new Refusal(400, 'pageSize must be a positive integer')
  const results = searchResults(authorizations.authorized(person), query).slice(0, pageSize)
  return { results, trackingToken: randomUUID(), requestId: randomUUID() }
}

/**
 * The body as JSON; undefined for none. Only a body needs a type: the documented check sends none (contract 4.1), and real
 * clients then leave out Content-Type.
 * @param type the Content-Type, '' for none; absent where any will do
 */
function readJson(text: string, type?: string): unknown {
  if (text === '') return undefined
  if (type !== undefined && !/^application\/json *(;|$)/i.test(type))
    throw new Refusal(415, 'Content-Type must be application/json')
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The body is not valid JSON')
  }
}

/** Schemes that lead nowhere: they run or show something where they are opened. */
const NOWHERE = /^(javascript|data|vbscript|blob|about|file):/i

/** "An absolute URL" (contract 4.1) may have any scheme: a native app brings people back to `myapp://done`. */
function isAbsoluteUrl(value: string): boolean {
  const isWeb = /^https?:/i.test(value)
  const isWhole = isWeb ? /^https?:\/\/[^/?#]/i.test(value) : /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value)
  return isWhole && !NOWHERE.test(value) && URL.canParse(value)
}
