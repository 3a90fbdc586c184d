// The company's authorization server, its search service and the apps, in one process. It tells in a header how long it
// took for each answer, keeps everybody's consents in memory, and writes a journal of them: the truth that onramp's
// records are held against.
import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthorizationServer, personOfToken, type Answer } from '../authorization-server.ts'
import { APPS, type App } from './plans.ts'

/** What the stand-in knows of one person. */
export type Entry = {
  signIns: number
  /** App -> when its consent counts, in milliseconds since 1970. */
  connected: Partial<Record<App, number>>
  /** App -> how often the browser came to its page. */
  visits: Partial<Record<App, number>>
}

export type Journal = {
  people: Record<string, Entry>
  /** Whose one-time paths were followed a second time. */
  secondUses: number[]
}

export const TOOK = 'x-took-ms'

type Token = { person: number; app: App; back: string; number: number }
type Said = Answer | { html: string; status: number }

const port = Number(process.env['PORT'])
const origin = `http://127.0.0.1:${port}`
/** Milliseconds that an answer takes at least, as answers over a network do. */
const LATENCY: Record<string, number> = {
  '/rest/api/v1/checkdatasourceauth': 30,
  '/token': 20,
  '/userinfo': 10,
}
/** How long a slow app takes until its consent shows. */
const SLOW_MS = 3_000

const people = new Map<number, Entry>()
const used = new Set<number>()
let tokens = 0
const secondUses: number[] = []

const cookiePerson = (req: IncomingMessage) => Number(/person=(\d+)/.exec(req.headers.cookie ?? '')?.[1])
const authorizationServer = createAuthorizationServer(origin, (req) => {
  const person = cookiePerson(req)
  entryOf(person).signIns++
  return person
})

function entryOf(person: number): Entry {
  const entry = people.get(person) ?? { signIns: 0, connected: {}, visits: {} }
  people.set(person, entry)
  return entry
}

const encoded = (token: Token) => Buffer.from(JSON.stringify(token)).toString('base64url')
const decoded = (text: string | null) => JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as Token

function check(req: IncomingMessage, back: string): Said {
  const person = personOfToken(req.headers.authorization)
  if (person === undefined) return { status: 401, html: 'no token' }
  const { connected } = entryOf(person)
  const isListed = (app: App) => (connected[app] ?? Infinity) > Date.now()
  const entries = APPS.filter(isListed).map((app) => {
    const token = encoded({ person, app, back, number: tokens++ })
    return {
      datasourceInstance: app,
      displayName: app.replace(/_\d$/, ''),
      authStatus: 'AWAITING_AUTH',
      authUrlRelativePath: `/auth/datasource/${app}?token=${token}`,
    }
  })
  return { json: { unauthorizedDatasourceInstances: entries } }
}

/** The page of an app that asks for consent. */
function ask(text: string | null): Said {
  const { person, app, number } = decoded(text)
  const { visits } = entryOf(person)
  if (used.has(number)) {
    secondUses.push(person)
    return { status: 410, html: 'this link was used' }
  }
  used.add(number)
  visits[app] = (visits[app] ?? 0) + 1
  return { status: 200, html: `<section data-consent="${app}" data-token="${text}">` }
}

function decide(text: string | null, answer: string | null): Said {
  const { person, app, back } = decoded(text)
  if (answer === 'deny') return { location: `${back}&error=access_denied` }
  entryOf(person).connected[app] ??= Date.now() + (answer === 'slow' ? SLOW_MS : 0)
  return { location: back }
}

async function answerTo(req: IncomingMessage, url: URL): Promise<Said> {
  const query = url.searchParams
  if (url.pathname === '/rest/api/v1/checkdatasourceauth')
    return check(req, query.get('final_redirect_url') ?? '')
  if (url.pathname.startsWith('/auth/datasource/')) return ask(query.get('token'))
  if (url.pathname === '/consent') return decide(query.get('token'), query.get('answer'))
  if (url.pathname === '/journal')
    return { json: { people: Object.fromEntries(people), secondUses } satisfies Journal }
  return (await authorizationServer(req, url)) ?? { status: 404, html: 'nothing here' }
}

const server = createServer((req, res) => {
  const from = performance.now()
  const url = new URL(req.url ?? '', origin)
  const answered = async () => {
    const least = LATENCY[url.pathname]
    if (least !== undefined) await sleep(least * (0.5 + Math.random()))
    const said = await answerTo(req, url)
    res.setHeader(TOOK, (performance.now() - from).toFixed(1))
    if ('location' in said) res.writeHead(303, said).end()
    else if ('json' in said) res.setHeader('Content-Type', 'application/json').end(JSON.stringify(said.json))
    else res.writeHead(said.status, { 'Content-Type': 'text/html' }).end(said.html)
  }
  // A process that was killed has gone away in the middle of its request.
  answered().catch(() => res.destroy())
})
server.listen(port, '127.0.0.1')
