// The company's authorization server, search service and apps, in one process. A header has the duration of each
// response. Its journal of consents is the reference for onramp's records.
import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthorizationServer, personOfToken } from '../authorization-server.ts'
import type { AuthorizationResponse } from '../authorization-server.ts'
import { APPS, type App } from './plans.ts'

/** `connected`: when the consent counts, in milliseconds since 1970. */
export type JournalEntry = { signIns: number; connected: Partial<Record<App, number>> }

export type Journal = {
  people: Record<string, JournalEntry>
  secondUses: number[]
}

type PathToken = { person: number; app: App; back: string; number: number }
type StandInResponse = AuthorizationResponse | { html: string; status: number }

const port = Number(process.env['PORT'])
const origin = `http://127.0.0.1:${port}`
/** Average duration of a response in milliseconds, like over a network. */
const LATENCY: Record<string, number> = {
  '/rest/api/v1/checkdatasourceauth': 30,
  '/token': 20,
  '/userinfo': 10,
}
/** Delay of a slow app's consent. */
const SLOW_MS = 3_000

const people = new Map<number, JournalEntry>()
const used = new Set<number>()
const secondUses: number[] = []
let tokens = 0

const authorizationResponse = createAuthorizationServer(origin, (req) => {
  const person = Number(/person=(\d+)/.exec(req.headers.cookie ?? '')?.[1])
  entryOf(person).signIns++
  return person
})

function entryOf(person: number): JournalEntry {
  const entry = people.get(person) ?? { signIns: 0, connected: {} }
  people.set(person, entry)
  return entry
}

const encoded = (token: PathToken) => Buffer.from(JSON.stringify(token)).toString('base64url')
const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as PathToken

function check(req: IncomingMessage, back: string): StandInResponse {
  const person = personOfToken(req.headers.authorization)
  if (person === undefined) return { status: 401, html: 'no token' }
  const { connected } = entryOf(person)
  const unconnected = APPS.filter((app) => (connected[app] ?? Infinity) > Date.now()).map((app) => ({
    datasourceInstance: app,
    displayName: app.replace(/_\d$/, ''),
    authStatus: 'AWAITING_AUTH',
    authUrlRelativePath: `/auth/datasource/${app}?token=${encoded({ person, app, back, number: tokens++ })}`,
  }))
  return { json: { unauthorizedDatasourceInstances: unconnected } }
}

function consentPage(token: string): StandInResponse {
  const { person, app, number } = decoded(token)
  if (used.has(number)) {
    secondUses.push(person)
    return { status: 410, html: 'this link was used' }
  }
  used.add(number)
  return { status: 200, html: `<section data-consent="${app}" data-token="${token}">` }
}

function consent(token: string, choice: string | null): StandInResponse {
  const { person, app, back } = decoded(token)
  if (choice === 'deny') return { location: `${back}&error=access_denied` }
  entryOf(person).connected[app] ??= Date.now() + (choice === 'slow' ? SLOW_MS : 0)
  return { location: back }
}

async function responseTo(req: IncomingMessage, url: URL): Promise<StandInResponse> {
  const { pathname, searchParams: query } = url
  const token = query.get('token') ?? ''
  if (pathname === '/rest/api/v1/checkdatasourceauth')
    return check(req, query.get('final_redirect_url') ?? '')
  if (pathname.startsWith('/auth/datasource/')) return consentPage(token)
  if (pathname === '/consent') return consent(token, query.get('choice'))
  if (pathname === '/journal')
    return { json: { people: Object.fromEntries(people), secondUses } satisfies Journal }
  return (await authorizationResponse(req, url)) ?? { status: 404, html: 'nothing here' }
}

const server = createServer((req, res) => {
  const from = performance.now()
  const url = new URL(req.url ?? '', origin)
  const respond = async () => {
    const latency = LATENCY[url.pathname]
    if (latency !== undefined) await sleep(latency * (0.5 + Math.random()))
    const response = await responseTo(req, url)
    res.setHeader('x-took-ms', (performance.now() - from).toFixed(1))
    if ('location' in response) res.writeHead(303, response).end()
    else if ('json' in response)
      res.setHeader('Content-Type', 'application/json').end(JSON.stringify(response.json))
    else res.writeHead(response.status, { 'Content-Type': 'text/html' }).end(response.html)
  }
  // A killed process disconnects in the middle of its request.
  respond().catch(() => res.destroy())
})
server.listen(port, '127.0.0.1')
