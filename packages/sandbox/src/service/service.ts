// The service: the contract's operations, the links that start an authorization, the return and a landing page.
// A deprecated item works until the day before its removal (UTC), and isn't announced before its announcement.
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { RequestHandler, Exchange } from '../http-server.ts'
import { html, sendJson, sendPage } from '../pages.ts'
import type { Datasource } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'
import type { Authorizations } from './authorizations.ts'
import { HttpError, type createAuthentication, type createRateLimit } from './authentication.ts'
import { deprecationSchedule, operations } from './contract.ts'

const START = '/auth/datasource/'
const RETURN = '/auth/return/'

type Service = {
  authorizations: Authorizations
  authentication: ReturnType<typeof createAuthentication>
  limit: ReturnType<typeof createRateLimit>
  switches: SwitchesControl
  /** URL of the control panel, which has a section on deprecations. */
  control: string
}

export function createService(service: Service): RequestHandler {
  return {
    operation(path) {
      if (path.startsWith(START)) return 'authDatasource'
      if (path.startsWith(RETURN)) return 'authReturn'
      return path === '/' ? 'landing' : (nameAt(path) ?? 'other')
    },
    async handle(exchange) {
      const { res, operation, path, entry } = exchange
      if (operation === 'authDatasource') startAuthorization(exchange, service)
      else if (operation === 'authReturn')
        entry.person = service.authorizations.finish(res, path.slice(RETURN.length))?.id
      else if (operation === 'landing') sendPage(res, LANDING_PAGE)
      else
        await answerOperation(exchange, service).catch((error: unknown) => {
          if (!(error instanceof HttpError)) throw error
          const challenge = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}
          res.writeHead(error.status, { 'content-type': 'text/plain; charset=utf-8', ...challenge })
          res.end(error.message)
        })
    },
  }
}

/** Ignores the method, so that a wrong one gets 405. */
function nameAt(path: string): string | undefined {
  const patternOf = (template: string) => `^${template.replace(/^.* /, '').replace('{id}', '[^/]+')}$`
  return [...operations].find(([, template]) => new RegExp(patternOf(template)).test(path))?.[0]
}

function startAuthorization({ res, url, path, entry }: Exchange, { authorizations }: Service): void {
  // A client must not add to the path (contract 4.1, rule 2).
  const names = [...url.searchParams.keys()]
  const extras = names.filter((name, at) => !['token', 'redirect'].includes(name) || names.indexOf(name) < at)
  if (extras.length > 0)
    entry.mistake = `added ${extras.join(', ')} to authUrlRelativePath, which already carries the redirect (contract 4.1, rule 2)`
  entry.person = authorizations.openLink(res, path.slice(START.length), url.searchParams)?.id
}

const LANDING_PAGE = {
  title: 'The service’s web app',
  site: 'Service',
  body: html`<p>
    The service's own web app would be here. People land on this page after authorizing an app if neither the
    request nor the tenant's setting specifies another URL.
  </p>`,
}

/** Answers the Client API and the Indexing API. @throws HttpError, after setting its headers */
async function answerOperation(exchange: Exchange, service: Service): Promise<void> {
  const { req, res, entry, url, operation: name } = exchange
  const operation = operations.get(name)
  if (operation === undefined) throw new HttpError(404, 'Not Found')
  const day = service.switches.day()
  const [method = ''] = operation.split(' ')
  if (req.method !== method) {
    res.setHeader('allow', method)
    throw new HttpError(405, 'Method Not Allowed')
  }
  const wait = service.limit.take()
  res.setHeaders(deprecationHeaders(operation, day, `${service.control}/#deprecations`))
  const sent = await text(req)
  if (wait !== undefined) {
    res.setHeader('retry-after', String(wait))
    throw new HttpError(429, 'Too Many Requests')
  }
  const person = await service.authentication.identify(req.headers, name)
  entry.person = person.id
  const isShown = name === 'checkdatasourceauth' || name === 'search'
  // The documented check has no body (contract 4.1), and real clients then send no Content-Type.
  if (isShown && sent !== '' && !/^application\/json *(;|$)/i.test(req.headers['content-type'] ?? ''))
    throw new HttpError(415, 'Content-Type must be application/json')
  const body = sent === '' ? undefined : fromJson(sent)
  if (body !== undefined) entry.body = body
  if (name === 'checkdatasourceauth')
    sendJson(res, service.authorizations.check(person, destinationIn(url.searchParams)))
  else if (name === 'search') sendJson(res, search(service.authorizations.authorized(person), body))
  else sendJson(res, stubResponse(day, operation, body))
}

function fromJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new HttpError(400, 'The body is not valid JSON')
  }
}

/** Schemes that lead nowhere, but run or show something in place. */
const NOWHERE = /^(javascript|data|vbscript|blob|about|file):/i

/** "An absolute URL" (contract 4.1) may have any scheme: a native app brings people back to `myapp://done`. */
function destinationIn(query: URLSearchParams): string | undefined {
  const value = query.get('final_redirect_url')
  if (value === null) return undefined
  const isWhole = /^https?:/i.test(value)
    ? /^https?:\/\/[^/?#]/i.test(value)
    : /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value)
  if (!isWhole || NOWHERE.test(value) || !URL.canParse(value))
    throw new HttpError(400, 'final_redirect_url must be an absolute URL')
  return value
}

const documents = [
  ['Onboarding checklist', 'Laptop, accounts, first week: what to do when you start at Acme.'],
  ['Quarterly roadmap', 'What we build this quarter, who does it, and what we decided not to do.'],
  ['Travel and expenses policy', 'What the company pays for, how to book, and how to hand in receipts.'],
  ['Incident review: search latency', 'What happened, why, and the five things that we changed after it.'],
  ['Holiday calendar', 'Public holidays and company days off for every office.'],
] as const

/** Finds documents with any word of the query. The contract defines no fields of a result, so these four are ours. */
function search(datasources: Datasource[], body: unknown) {
  const { query, pageSize = 10 }: Record<string, unknown> = { ...(typeof body === 'object' && body) }
  if (typeof query !== 'string') throw new HttpError(400, 'query must be a string')
  if (typeof pageSize !== 'number' || !Number.isInteger(pageSize) || pageSize < 1)
    throw new HttpError(400, 'pageSize must be a positive integer')
  const words = query.toLowerCase().trim().split(/\s+/)
  const results = datasources
    .flatMap(({ instance, displayName = instance }) =>
      documents.map(([title, snippet]) => {
        const slug = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
        const url = `https://${encodeURIComponent(instance.split('_')[0] ?? '')}.acme.example/${slug}`
        return { title: `${title} (${displayName})`, url, snippet, datasource: instance }
      }),
    )
    .filter(({ title, snippet, datasource }) => {
      const searchedText = `${title} ${snippet} ${datasource}`.toLowerCase()
      return words.some((word) => searchedText.includes(word))
    })
  return { results: results.slice(0, pageSize), trackingToken: randomUUID(), requestId: randomUUID() }
}

/**
 * An operation (`POST /rest/api/v1/chat`) or one of its fields. Days are UTC. `within`: the side, if the contract names
 * one. `topLevel`: the same name deeper in the body is another field. `remark`: advice if there is no replacement.
 */
type Deprecated = (typeof deprecationSchedule)[number]

export function stateOn({ announced, removal }: Deprecated, day: string) {
  if (day >= removal) return 'removed'
  return day < announced ? 'not announced' : 'announced'
}

const rowsOf = (operation: string) => deprecationSchedule.filter((row) => row.operation === operation)

/** Deprecation (RFC 9745), Link to `page`, and for operations Sunset (RFC 8594). Removed fields aren't announced. */
function deprecationHeaders(operation: string, day: string, page: string): Map<string, string> {
  const isAnnounced = (row: Deprecated) =>
    day >= row.announced && (day < row.removal || row.field === undefined)
  const rows = rowsOf(operation).filter(isAnnounced)
  const [since] = rows.map(({ announced }) => announced).sort()
  if (since === undefined) return new Map()
  const end = rows.find(({ field }) => field === undefined)?.removal
  const relations = end === undefined ? ['deprecation'] : ['deprecation', 'sunset']
  const headers = new Map([
    ['deprecation', `@${Date.parse(since) / 1000}`],
    ['link', relations.map((name) => `<${page}>; rel="${name}"; type="text/html"`).join(', ')],
  ])
  return end === undefined ? headers : headers.set('sunset', new Date(end).toUTCString())
}

/**
 * The response of an operation that the contract doesn't define: in the Client API, its scheduled fields and
 * replacements.
 * @throws HttpError for a removed operation, or removed fields in the request
 */
function stubResponse(day: string, operation: string, body: unknown): unknown {
  const removedRows = rowsOf(operation).filter((row) => stateOn(row, day) === 'removed')
  const endpoint = removedRows.find(({ field }) => field === undefined)
  if (endpoint) throw new HttpError(410, `Gone: ${operation} ${removalText(endpoint)}`)
  const refusedRows = removedRows.filter(({ within }) => within !== 'response')
  const fields = withoutFields(operation, body, refusedRows).found
  if (fields.size > 0)
    throw new HttpError(
      400,
      [...fields].map((row) => `The field ${row.field} ${removalText(row)}`).join('; '),
    )
  return withoutFields(operation, fullResponse(operation), removedRows).left
}

function fullResponse(operation: string): unknown {
  if (operation.includes('/api/index/')) return {}
  // The replacement of this field is prose about two other fields.
  const citation = { referenceRanges: [{ startIndex: 0, endIndex: 5 }] }
  if (operation.endsWith('/chat')) return { messages: [{ fragments: [{ citation }], citations: [citation] }] }
  const members = rowsOf(operation).flatMap(({ field, replacement = '' }) => {
    const [holder, inner] = replacement.split('.')
    return [
      [field, 'an example'],
      [holder, inner === undefined ? 'an example' : { [inner]: 'an example' }],
    ]
  })
  return Object.fromEntries(members.filter(([name]) => name))
}

/** Removes fields, except inside a replacement, where the name means another field. */
function withoutFields(operation: string, body: unknown, rows: Deprecated[]) {
  const replacements = rowsOf(operation).map(({ replacement }) => replacement?.toLowerCase())
  const found = new Set<Deprecated>()
  const takeOut = (value: unknown, isTop = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => takeOut(item))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).flatMap(([name, member]) => {
      const matchingRows = rows.filter(({ field, topLevel }) => field === name && (isTop || !topLevel))
      for (const row of matchingRows) found.add(row)
      const memberLeft: unknown = replacements.includes(name.toLowerCase()) ? member : takeOut(member)
      return matchingRows.length === 0 ? [[name, memberLeft] as const] : []
    })
    return Object.fromEntries(members)
  }
  return { left: takeOut(body, true), found }
}

function removalText({ removal, replacement, remark }: Deprecated): string {
  const advice = replacement === undefined ? (remark ?? 'no replacement is stated') : `use ${replacement}`
  return `was removed on ${removal}: ${advice}`
}
