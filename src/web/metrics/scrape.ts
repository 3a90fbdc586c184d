// Who may read /metrics: who has METRICS_TOKEN; without one, everyone who reaches METRICS_PORT. What surprises: there is no
// exception for this machine, because a forwarder on it makes everyone look like it.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Registry } from 'prom-client'
import { hasBearer } from '../bearer.ts'

type ScrapeParts = {
  registry: Pick<Registry, 'metrics' | 'contentType'>
  /** METRICS_TOKEN */
  token: string | undefined
  /** It has a port of its own, where it is the only thing. */
  isAlone: boolean
}

export function createScrape({ registry, token, isAlone }: ScrapeParts): RequestListener {
  const mayRead = (req: IncomingMessage) => (token === undefined ? isAlone : hasBearer(req, token))

  return (req, res) => {
    const refuse = (status: number, words: string) =>
      res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${words}\n`)
    // On PORT, routes have looked at the path.
    if (isAlone && req.url?.split('?', 1)[0] !== '/metrics')
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
