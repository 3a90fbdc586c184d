// The browser's session: one small signed cookie with nothing in it but a random id. What surprises: express-session
// stores nothing of ours. It reads who is signed in (session-store.ts) and sends the cookie.
import { randomBytes } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import expressSession, { type Store } from 'express-session'
import { cookieKeys, cookieName, type CookieOptions } from './cookie-id.ts'
import { nameOf } from '../records/seal.ts'
import { signedInOf, type SignedIn } from './signed-in.ts'

declare module 'express-session' {
  interface SessionData {
    signedIn?: SignedIn
    /** Set to have the cookie sent; the store keeps nothing of it. */
    isSigningIn?: true
  }
}

/** SameSite=Lax, not Strict: with Strict the cookie is missing when the authorization server sends the browser back. */
export const createSession = ({ store, secrets, https }: CookieOptions & { store: Store }): RequestHandler =>
  expressSession({
    store,
    name: cookieName(https),
    genid: (req) => chosenIds.get(req) ?? newSessionId(),
    secret: cookieKeys(secrets),
    resave: false,
    saveUninitialized: false,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: https },
  })

/** The id that a session begins with, where its record was stored first. */
const chosenIds = new WeakMap<object, string>()

const browsers = new WeakMap<Request, string>()

/** In front of the session, so that browserOf knows a browser that has a cookie and no session. */
export const rememberBrowser =
  (idOf: (req: Request) => string | undefined): RequestHandler =>
  (req, _res, next) => {
    const id = idOf(req)
    if (id !== undefined) browsers.set(req, nameOf(id))
    next()
  }

/**
 * Names the browser that a sign-in is bound to (RFC 9700 4.7): the session id that it first signed in with. It survives
 * the renewal of the id, so that other tabs' sign-ins still end well.
 */
export const browserOf = (req: Request): string | undefined => signedInOf(req)?.browser ?? browsers.get(req)

/** The same, for a browser without a cookie too: it gets one with the answer. */
export function bindBrowser(req: Request): string {
  const known = browserOf(req)
  if (known !== undefined) return known
  req.session.isSigningIn = true
  return nameOf(req.sessionID)
}

/** 192 random bits, as express-session's own. */
export const newSessionId = (): string => randomBytes(24).toString('base64url')

/**
 * The browser is signed in from here on: its cookie gets the id of the record that is stored already. The record of
 * before stays: other tabs' requests are under way with it.
 */
export function startSession(req: Request, signedIn: SignedIn): void {
  chosenIds.set(req, signedIn.id)
  // express-session sets it on every store that it is given; its types don't show it.
  ;(req.sessionStore as Store & { generate(req: Request): void }).generate(req)
  req.session.signedIn = signedIn
}
