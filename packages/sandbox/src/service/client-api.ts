// The operations of the two APIs: the two that the contract shows, and those that it names only in its schedule of
// deprecations, which follow that schedule on the day of the switch `date`.
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Authorizations } from '../datasource/authorizations.ts'
import type { Exchange } from '../http-server.ts'
import { sendJson } from '../pages.ts'
import type { Datasource, Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'
import { Refusal, type Callers, type RateLimit } from './admission.ts'
import { announcement, answerOn, dayOf } from './deprecations.ts'
import { isShown, operations } from './operations.ts'

export type ClientApi = {
  authorizations: Authorizations
  callers: Callers
  switches: SwitchesControl
  rateLimit: RateLimit
  /** Where people read about deprecations. */
  schedulePage: string
}

/**
 * Answers an operation of the Client API or the Indexing API.
 * @throws Refusal; headers that belong to it are set
 */
export async function handleClientApi(exchange: Exchange, api: ClientApi): Promise<void> {
  const { req, res, entry, url } = exchange
  const operation = operations.get(exchange.operation) ?? ''
  const { date, retryAfterDate } = api.switches.get()
  const day = dayOf(date)
  const [method = ''] = operation.split(' ')
  if (req.method !== method) {
    res.setHeader('allow', method)
    throw new Refusal(405, 'Method Not Allowed')
  }
  const wait = api.rateLimit.take()
  res.setHeaders(announcement(operation, day, api.schedulePage))
  const sent = await text(req)
  if (wait !== undefined) {
    const at = new Date(Math.ceil(Date.now() / 1000 + wait) * 1000).toUTCString()
    res.setHeader('retry-after', retryAfterDate ? at : String(wait))
    throw new Refusal(429, 'Too Many Requests')
  }
  const person = await api.callers.identify(req.headers, exchange.operation)
  entry.person = person.id
  // Only a body needs a type: the documented check sends none (contract 4.1), and real clients then leave it out.
  if (
    isShown(exchange.operation) &&
    sent !== '' &&
    !/^application\/json *(;|$)/i.test(req.headers['content-type'] ?? '')
  )
    throw new Refusal(415, 'Content-Type must be application/json')
  const body = sent === '' ? undefined : fromJson(sent)
  if (body !== undefined) entry.body = body
  if (exchange.operation === 'checkdatasourceauth')
    sendJson(res, check(person, url.searchParams.get('final_redirect_url'), api.authorizations))
  else if (exchange.operation === 'search') sendJson(res, search(api.authorizations.authorized(person), body))
  else sendJson(res, answerOn(day, operation, body))
}

function fromJson(sent: string): unknown {
  try {
    return JSON.parse(sent)
  } catch {
    throw new Refusal(400, 'The body is not valid JSON')
  }
}

function check(person: Person, destination: string | null, authorizations: Authorizations) {
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

/** Schemes that lead nowhere: they run or show something where they are opened. */
const NOWHERE = /^(javascript|data|vbscript|blob|about|file):/i

/** "An absolute URL" (contract 4.1) may have any scheme: a native app brings people back to `myapp://done`. */
function isAbsoluteUrl(value: string): boolean {
  const isWeb = /^https?:/i.test(value)
  const isWhole = isWeb ? /^https?:\/\/[^/?#]/i.test(value) : /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value)
  return isWhole && !NOWHERE.test(value) && URL.canParse(value)
}

const documents = [
  ['Onboarding checklist', 'Laptop, accounts, first week: what to do when you start at Acme.'],
  ['Quarterly roadmap', 'What we build this quarter, who does it, and what we decided not to do.'],
  ['Travel and expenses policy', 'What the company pays for, how to book, and how to hand in receipts.'],
  ['Incident review: search latency', 'What happened, why, and the five things that we changed after it.'],
  ['Holiday calendar', 'Public holidays and company days off for every office.'],
] as const

/**
 * The documents of these datasources that contain any word of the query; all of them for an empty query.
 * The contract does not show what is in a result; its four fields are the sandbox's own.
 */
function search(datasources: Datasource[], body: unknown) {
  const { query, pageSize = 10 }: Record<string, unknown> = { ...(typeof body === 'object' && body) }
  if (typeof query !== 'string') throw new Refusal(400, 'query must be a string')
  if (typeof pageSize !== 'number' || !Number.isInteger(pageSize) || pageSize < 1)
    throw new Refusal(400, 'pageSize must be a positive integer')
  const words = query.toLowerCase().trim().split(/\s+/)
  const found = datasources
    .flatMap(({ instance, displayName = instance }) =>
      documents.map(([title, snippet]) => {
        const slug = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
        const url = `https://${encodeURIComponent(instance.split('_')[0] ?? '')}.acme.example/${slug}`
        return { title: `${title} (${displayName})`, url, snippet, datasource: instance }
      }),
    )
    .filter(({ title, snippet, datasource }) => {
      const all = `${title} ${snippet} ${datasource}`.toLowerCase()
      return words.some((word) => all.includes(word))
    })
  return { results: found.slice(0, pageSize), trackingToken: randomUUID(), requestId: randomUUID() }
}
