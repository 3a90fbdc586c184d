// What pages of the intranet may use: /widget.js, and to read /api/status with the person's cookie (CORS). Only the
// origins of RETURN_TO_ORIGINS, and a browser sends the cookie only from the same site (SameSite=Lax).
import { Router } from 'express'

export type IntranetParts = {
  /** RETURN_TO_ORIGINS. */
  allowedOrigins: readonly string[]
  /** The script (widget.ts). */
  widget: Buffer
}

export function createIntranetRoutes({ allowedOrigins, widget }: IntranetParts): Router {
  const router = Router()

  router.get('/widget.js', (_req, res) => {
    // A script of another origin: without this the browser would not hand it over (helmet's default is same-origin).
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    res.setHeader('Cache-Control', 'public, max-age=3600')
    res.setHeader('Content-Type', 'text/javascript; charset=utf-8')
    res.end(widget)
  })

  router.all('/api/status', (req, res, next) => {
    const from = req.get('origin')
    res.vary('Origin')
    if (from !== undefined && allowedOrigins.includes(from)) {
      res.setHeader('Access-Control-Allow-Origin', from)
      res.setHeader('Access-Control-Allow-Credentials', 'true')
    }
    if (req.method !== 'OPTIONS') return next()
    res.setHeader('Access-Control-Allow-Methods', 'GET')
    res.setHeader('Access-Control-Allow-Headers', 'Accept')
    res.setHeader('Access-Control-Max-Age', '600')
    res.statusCode = 204
    res.end()
  })

  return router
}
