// The browser's session: one small signed cookie that holds nothing but a random id. What surprises: express-session
// answers before the store has saved, so whoever redirects after a change awaits saveSession first.
import { createHmac } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import expressSession, { type Store } from 'express-session'

/** Who is signed in. The pair of issuer and subject is the identity (OpenID Connect Core 2); the rest is for show. */
export type User = {
  issuer: string
  subject: string
  name?: string
  email?: string
  emailVerified?: boolean
}

declare module 'express-session' {
  interface SessionData {
    /** Names this browser to its pending sign-ins; survives the renewal of the session id. */
    browser: string
    user: User
    /** Milliseconds since 1970. */
    signedInAt: number
    /** Where the authorization server ends its own session; kept between sign-out and the way there. */
    endSessionUrl: string
    /** What it was given as `state` (RP-Initiated Logout 1.0, 2): only whoever ended the session can bring it back. */
    signOutState: string
    /** The authorization server sent the browser back from there. */
    isSignedOutThere: boolean
  }
}

export type SessionOptions = { store: Store; secrets: readonly string[]; https: boolean }

/** `__Host-` ties the cookie to this one host over https (RFC 6265bis 4.1.3.2). */
export const cookieName = (https: boolean) => (https ? '__Host-onramp' : 'onramp')

/** What the cookie is signed with: the first one signs, every one verifies. */
export const cookieKeys = (secrets: readonly string[]): string[] =>
  secrets.map((secret) => createHmac('sha256', secret).update('onramp cookie 1').digest('base64url'))

/** SameSite=Lax, not Strict: with Strict the cookie is missing when the authorization server sends the browser back. */
export function createSession(options: SessionOptions): RequestHandler {
  return expressSession({
    store: options.store,
    name: cookieName(options.https),
    secret: cookieKeys(options.secrets),
    resave: false,
    saveUninitialized: false,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: options.https },
  })
}

const settled = (start: (done: (error?: unknown) => void) => void) =>
  new Promise<void>((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()))
  })

/** @throws {StoreUnavailable} */
export const saveSession = (req: Request) => settled((done) => req.session.save(done))

/** A new id, the old record gone: whoever knew the id before sign-in knows nothing now (ASVS 7.2.4). */
export const renewSession = (req: Request) => settled((done) => req.session.regenerate(done))

/** No session from here on, neither in the store nor written at the end of the request. */
export const removeSession = (req: Request) => settled((done) => req.session.destroy(done))

/**
 * A new id, with the old record still there: for when other tabs' requests are under way with the old one. Whoever
 * calls this saves the new session and then calls what it returns, which removes the old record.
 */
export function replaceSession(req: Request): () => Promise<void> {
  const { sessionID: old, sessionStore } = req
  // Set by express-session on every store that it is given; its types do not show it.
  ;(sessionStore as Store & { generate(req: Request): void }).generate(req)
  return () => settled((done) => sessionStore.destroy(old, done))
}
