// The floor: what a request costs when nobody asks for anything but the work itself. Cookie, one Redis GET, one call
// over undici's pool, JSON, HTML. No framework, no seal, no deadline, no check of anything.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pageFor, redis, settings } from './page.ts'

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const id = /(?:^|; )floor=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1]
  const stored = id === undefined ? null : await redis.get(`floor:${id}`)
  if (stored === null) {
    res.writeHead(401).end()
    return
  }
  const session = JSON.parse(stored) as { email: string; accessToken: string }
  const html = await pageFor(session.email, session.accessToken)
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
server.listen(Number(settings.PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
