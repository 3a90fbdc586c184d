// What every answer says to the browser. What surprises: form-action is enforced along a form's whole redirect chain,
// so nothing leaves this origin by a form; Referrer-Policy is same-origin because no-referrer turns Origin into null.
import { ServerResponse, type OutgoingHttpHeaders } from 'node:http'
import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { currentRequest } from '../trace/current-request.ts'

const YEAR_SECONDS = 31_536_000

/**
 * Adds the headers when the head is written, all in one: setting them one by one on every response costs more. The id of
 * the request goes with them, because one header that was set before would make all of them the slow kind.
 * @param https whether PUBLIC_URL is https: only then may browsers be told to insist on it
 */
export function securityHeaders(https: boolean): RequestHandler {
  const fixed = fixedHeaders(https)
  const flat = fixed.flat()

  return (_req, res, next) => {
    const id = currentRequest()?.id ?? ''
    function writeHead(this: ServerResponse, status: number, given?: string[] | OutgoingHttpHeaders) {
      const isPage = Array.isArray(given) && this.getHeaderNames().length === 0
      if (isPage)
        return ServerResponse.prototype.writeHead.call(this, status, [...flat, REQUEST_ID, id, ...given])
      for (const [name, value] of fixed) if (!this.hasHeader(name)) this.setHeader(name, value)
      this.setHeader(REQUEST_ID, id)
      return ServerResponse.prototype.writeHead.call(this, status, given)
    }
    res.writeHead = writeHead as typeof res.writeHead
    next()
  }
}

const REQUEST_ID = 'X-Request-Id'

const CONTENT_POLICY = 'Content-Security-Policy'
const policy = new Map(fixedHeaders(false)).get(CONTENT_POLICY) ?? ''

/** For a page that has a script of ours, which may ask our own origin and nothing else; no other page may run any. */
export const allowOwnScript = (res: ServerResponse) =>
  void res.setHeader(CONTENT_POLICY, `${policy};script-src 'self';connect-src 'self'`)

/** helmet decides once what it would decide the same way for every request. */
function fixedHeaders(https: boolean): [string, string][] {
  const headers = new Map<string, string>([['Cache-Control', 'no-store']])
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  }
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: https && { maxAge: YEAR_SECONDS, includeSubDomains: true },
    frameguard: { action: 'deny' },
  }) as unknown as (req: object, res: object, next: () => void) => void
  set({}, response, () => {})
  return [...headers]
}
