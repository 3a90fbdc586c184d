// The two documented operations of the Client API. What the contract does not show, it does not invent:
// the other operations that it names are answered with 501.
import { randomUUID } from 'node:crypto'
import type { Authorizations } from './authorizations.ts'
import { readText } from './bodies.ts'
import type { Callers, Refusal } from './callers.ts'
import { refuse } from './error-shapes.ts'
import type { Exchange } from './http-server.ts'
import { sendJson } from './pages.ts'
import type { Person } from './people.ts'
import type { RateLimit } from './rate-limit.ts'
import { searchResults } from './search-results.ts'
import type { SwitchesControl } from './switches.ts'

export type ClientApiOptions = {
  authorizations: Authorizations
  callers: Callers
  switches: SwitchesControl
  rateLimit: RateLimit
  /** Makes a redirect destination into something that only the service can read and make. */
  seal: (destination: string) => string
}

type Answer = { body: unknown } | { refusal: Refusal }

/** Answers `POST /rest/api/v1/checkdatasourceauth` and `/search`. */
export async function handleClientApi(exchange: Exchange, options: ClientApiOptions): Promise<void> {
  const { req, res, entry, operation } = exchange
  const refuseWith = (refusal: Refusal) => refuse(res, refusal, options.switches.get().errorShape)
  if (req.method !== 'POST') {
    res.setHeader('allow', 'POST')
    refuseWith({ status: 405, message: 'Method Not Allowed' })
    return
  }
  const wait = options.rateLimit.take()
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
  const body = parse(text)
  if (body !== undefined) entry.body = body
  const answer =
    operation === 'search' ? search(caller.person, body, options) : check(exchange, caller.person, options)
  if ('refusal' in answer) refuseWith(answer.refusal)
  else sendJson(res, answer.body)
}

function check({ url }: Exchange, person: Person, { authorizations, seal }: ClientApiOptions): Answer {
  const destination = url.searchParams.get('final_redirect_url')
  if (destination !== null && !isWebAddress(destination)) {
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

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}
