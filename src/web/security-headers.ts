// Security headers of every response. form-action applies to a form's whole redirect chain, so no form leaves this
// origin. Referrer-Policy is strict-origin, because no-referrer makes Origin null, and firewalls take some paths for
// attacks (return-to.ts).
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

/** @param isHttps true if PUBLIC_URL is https: only then is HSTS sent */
export function securityHeaders(isHttps: boolean): RequestHandler {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    referrerPolicy: { policy: 'strict-origin' },
    strictTransportSecurity: isHttps && { maxAge: YEAR_SECONDS, includeSubDomains: true },
    frameguard: { action: 'deny' },
  })
  return (req, res, next) => {
    // Without no-transform, Cloudflare replaces email addresses with a script that the policy blocks (docs/proxies.md).
    res.setHeader('Cache-Control', 'no-store, no-transform')
    res.setHeader('X-Request-Id', currentRequest()?.id ?? '')
    setHeaders(req, res, next)
  }
}
