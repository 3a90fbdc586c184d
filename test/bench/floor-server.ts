// The floor: what a request costs when nobody asks for anything but the work itself. Cookie, one Redis GET, one call
// over undici's pool, JSON, HTML. No framework, no seal, no deadline, no check of anything.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createClient } from 'redis'
import { Agent, request } from 'undici'
import { createPage, readEnvironment } from './page.ts'

type FloorSession = { email: string; accessToken: string }

const settings = readEnvironment()
const redis = createClient({ url: settings.REDIS_URL })
const dispatcher = new Agent({ connections: 128, keepAliveTimeout: 30_000 })
const page = createPage(settings.PAGE_BYTES)
const check = `${settings.SERVICE_BASE_URL}/rest/api/v1/checkdatasourceauth`

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const id = /(?:^|; )floor=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1]
  const stored = id === undefined ? null : await redis.get(`floor:${id}`)
  if (stored === null) {
    res.writeHead(401).end()
    return
  }
  const session = JSON.parse(stored) as FloorSession
  const headers = {
    authorization: `Bearer ${session.accessToken}`,
    'content-type': 'application/json',
    accept: 'application/json',
  }
  const response = await request(check, { dispatcher, method: 'POST', headers })
  const html = page(session.email, await response.body.json())
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(html))
  res.end(html)
}

await redis.connect()
const server = createServer((req, res) => {
  answer(req, res).catch((error: unknown) => {
    console.error(error)
    res.writeHead(500).end()
  })
})
server.listen(settings.PORT, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
