// Who may read /metrics: on METRICS_PORT everyone who reaches it, on PORT only this machine; and on both those who have
// METRICS_TOKEN. What surprises: a proxy on this machine makes everyone look like this machine, so what was forwarded,
// or names another host, is not from here.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Registry } from 'prom-client'
import { isLoopback, isLoopbackAddress } from '../../loopback.ts'
import { hasBearer } from '../bearer.ts'

export type ScrapeParts = {
  registry: Pick<Registry, 'metrics' | 'contentType'>
  /** METRICS_TOKEN */
  token: string | undefined
  /** It has a port of its own, where it is the only thing. */
  isAlone: boolean
}

export function createScrape({ registry, token, isAlone }: ScrapeParts): RequestListener {
  const mayRead = (req: IncomingMessage) =>
    token === undefined ? isAlone || isFromHere(req) : hasBearer(req, token) || isFromHere(req)

  return (req, res) => {
    const refuse = (status: number, words: string) =>
      res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${words}\n`)
    // On PORT, routes have looked at the path.
    if (isAlone && req.url?.split('?', 1)[0] !== '/metrics')
      return void refuse(404, 'There is only /metrics.')
    if (!mayRead(req)) {
      if (token === undefined)
        return void refuse(403, 'Metrics are for this machine only: see METRICS_PORT and METRICS_TOKEN.')
      res.setHeader('WWW-Authenticate', 'Bearer')
      return void refuse(401, 'The bearer token is missing or wrong: see METRICS_TOKEN.')
    }
    registry.metrics().then(
      (page) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(page),
      () => refuse(500, 'The metrics cannot be read.'),
    )
  }
}

const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, '') ?? ''
  return (
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    isLoopback(host) &&
    FORWARDED.every((name) => headers[name] === undefined)
  )
}
