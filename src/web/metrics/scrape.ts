// /metrics, for requests with METRICS_TOKEN; without one, for everyone who reaches METRICS_PORT. No exception for this
// machine: a proxy on it makes every request look local.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Registry } from 'prom-client'
import { hasBearer } from '../bearer.ts'

/** @param token METRICS_TOKEN @param hasOwnPort METRICS_PORT: nothing else is served there */
export function createScrape(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  token: string | undefined,
  hasOwnPort: boolean,
): RequestListener {
  const mayRead = (req: IncomingMessage) => (token === undefined ? hasOwnPort : hasBearer(req, token))

  return (req, res) => {
    const refuse = (status: number, words: string) =>
      res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${words}\n`)
    if (hasOwnPort && req.url?.split('?', 1)[0] !== '/metrics')
      return void refuse(404, 'There is only /metrics.')
    if (!mayRead(req)) {
      if (token === undefined)
        return void refuse(403, 'Metrics need METRICS_TOKEN, or a port of their own: METRICS_PORT.')
      res.setHeader('WWW-Authenticate', 'Bearer')
      return void refuse(401, 'The bearer token is missing or wrong: see METRICS_TOKEN.')
    }
    registry.metrics().then(
      (page) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(page),
      () => refuse(500, 'The metrics cannot be read.'),
    )
  }
}
