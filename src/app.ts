// The whole request pipeline, top to bottom. The order is the security model: what stands above requireSignIn is for
// everybody, what stands below is private.
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express'
import { createErrorPage, notFound, type ErrorPageParts } from './web/error-page.ts'
import { answerSpeculation, refuseCrossSite } from './web/cross-site.ts'
import { securityHeaders } from './web/security-headers.ts'
import { seeOther } from './web/see-other.ts'

export type AppParts = {
  publicUrl: string
  /** TRUST_PROXY; absent: nobody's forwarded headers count. */
  trustProxy: string[] | undefined
  health: Router
  metrics: { routes: Router; observe: RequestHandler }
  assets: Router
  /** What pages of the intranet may use. */
  intranet: Router
  deprecations: Router
  limits: { byAddress: RequestHandler; byBrowser: RequestHandler }
  session: RequestHandler
  backChannel: Router
  /** Stopping reminders: mail providers post it, so it stands before the cross-site refusal. */
  optOut: Router
  signIn: Router
  signOut: Router
  invites: Router
  signOutWhileAway: ErrorRequestHandler
  requireSignIn: RequestHandler
  sessions: Router
  onboarding: Router
  search: Router
  admin: Router
  errorPage: ErrorPageParts
}

export function createApp(parts: AppParts): Express {
  const { origin, protocol } = new URL(parts.publicUrl)
  const https = protocol === 'https:'
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', parts.trustProxy ?? false)

  app.use(parts.health)
  app.use(parts.metrics.routes)
  app.use(parts.metrics.observe)
  app.use(securityHeaders(https))
  app.use(parts.assets)
  app.use(parts.intranet)
  app.use(parts.backChannel)
  app.use(answerSpeculation)
  app.use(parts.optOut)
  app.use(refuseCrossSite(origin))
  app.get('/', (_req, res) => seeOther(res, '/onboarding'))
  if (https) app.use(servedOverHttps)
  app.use(parts.limits.byAddress)
  app.use(parts.session)
  app.use(parts.deprecations)
  app.use(parts.limits.byBrowser)
  app.use(parts.signIn)
  app.use(parts.signOut)
  app.use(parts.invites)

  app.use(parts.requireSignIn)

  app.use(parts.sessions)
  app.use(parts.onboarding)
  app.use(parts.search)
  app.use(parts.admin)
  app.use(notFound)
  app.use(parts.signOutWhileAway)
  app.use(createErrorPage(parts.errorPage))
  return app
}

/** PUBLIC_URL says how people reach us, whatever a proxy tells: without this the Secure cookie would silently be dropped. */
const servedOverHttps: RequestHandler = (req, _res, next) => {
  Object.defineProperty(req, 'secure', { value: true })
  next()
}
