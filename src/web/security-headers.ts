// What every answer says to the browser. What surprises: form-action is enforced along a form's whole redirect chain,
// so nothing leaves this origin by a form; Referrer-Policy is strict-origin because no-referrer turns Origin into null, and a path
// may look like an attack to a firewall (return-to.ts).
import type { ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { currentRequest } from '../trace/current-request.ts'

const YEAR_SECONDS = 31_536_000

const POLICY = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
}

/** @param https whether PUBLIC_URL is https: only then may browsers be told to insist on it */
export function securityHeaders(https: boolean): RequestHandler {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    referrerPolicy: { policy: 'strict-origin' },
    strictTransportSecurity: https && { maxAge: YEAR_SECONDS, includeSubDomains: true },
    frameguard: { action: 'deny' },
  })
  return (req, res, next) => {
    // Without no-transform, Cloudflare replaces addresses in pages by a script that the policy blocks (docs/proxies.md).
    res.setHeader('Cache-Control', 'no-store, no-transform')
    res.setHeader('X-Request-Id', currentRequest()?.id ?? '')
    setHeaders(req, res, next)
  }
}

const CONTENT_POLICY = 'Content-Security-Policy'

/** For a page that has a script of ours, which may ask our own origin and nothing else; no other page may run any. */
export const allowOwnScript = (res: ServerResponse) =>
  void res.setHeader(
    CONTENT_POLICY,
    `${String(res.getHeader(CONTENT_POLICY))};script-src 'self';connect-src 'self'`,
  )
