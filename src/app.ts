// The whole request pipeline, top to bottom. The order is the security model: what stands above requireSignIn is for
// everybody, what stands below is private.
import express, { Router, type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { createErrorPage, notFound, type ErrorPageParts } from './web/error-page.ts'
import { answerSpeculation, refuseCrossSite, refuseEmbedding } from './web/cross-site.ts'
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

/** What everybody may see is not looked through for these; whatever else is private is found below requireSignIn too. */
const CERTAINLY_PRIVATE = /^\/(onboarding|search|sessions|admin|api)(\/|$)/

export function createApp(parts: AppParts): Express {
  const { origin, protocol } = new URL(parts.publicUrl)
  const https = protocol === 'https:'
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', parts.trustProxy ?? false)

  app.use(parts.metrics.observe)
  app.use(securityHeaders(https))
  app.use(unlessPrivate(forProgramsAndFiles(parts)))
  app.use(parts.intranet)
  app.use(answerSpeculation)
  app.use(unlessPrivate(parts.optOut))
  app.use(refuseCrossSite(origin), refuseEmbedding)
  app.use(unlessPrivate(forEverybody(parts, https)))

  app.use(parts.requireSignIn)

  app.use(parts.onboarding)
  app.use(parts.sessions)
  app.use(parts.search)
  app.use(parts.admin)
  app.use(notFound)
  app.use(parts.signOutWhileAway)
  app.use(createErrorPage(parts.errorPage))
  return app
}

/** Probes, metrics, files, and the authorization server's own calls: no browser's navigation. */
function forProgramsAndFiles(parts: AppParts): Router {
  const router = Router()
  router.use(parts.health, parts.metrics.routes, parts.assets, parts.backChannel)
  return router
}

function forEverybody(parts: AppParts, https: boolean): Router {
  const router = Router()
  router.get('/', (_req, res) => seeOther(res, '/onboarding'))
  router.use(parts.deprecations)
  if (https) router.use(servedOverHttps)
  // Only signing in and out changes a session, so each of these routes begins with its limits and the session; everything
  // else reads it (requireSignIn). What finds its route by another spelling so finds its limit too.
  router.use(parts.signIn, parts.signOut, parts.invites)
  return router
}

/** Its routes can still be listed, as Express lists a router's. */
const unlessPrivate = (router: Router): RequestHandler => {
  const passBy: RequestHandler = (req, res, next) =>
    CERTAINLY_PRIVATE.test(req.path) ? next() : router(req, res, next)
  return Object.assign(passBy, { stack: router.stack })
}

/** PUBLIC_URL says how people reach us, whatever a proxy tells: without this the Secure cookie would silently be dropped. */
const servedOverHttps: RequestHandler = (req, _res, next) => {
  Object.defineProperty(req, 'secure', { value: true })
  next()
}
