// The browser's session, as express-session keeps it under one small signed cookie. It would answer before it
// has saved, so what changes a session saves it and waits.
import { createHmac, randomBytes } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import expressSession, { type Store } from 'express-session'
import { triggersFirewall } from '../records/firewall-safe.ts'
import type { SessionStore } from './session-store.ts'
import { signedInOf, type SessionContent, type SignedIn } from './signed-in.ts'

/** `__Host-` ties the cookie to this one host over https (RFC 6265bis 4.1.3.2). */
export const cookieName = (https: boolean) => (https ? '__Host-onramp' : 'onramp')

/** What the cookie is signed with: the first one signs, every one verifies. */
const cookieKey = (secret: string) =>
  createHmac('sha256', secret).update('onramp cookie 1').digest('base64url')

/** The cookie is the id, a dot and the signature, which firewalls may take for a file's name. @param key that signs */
function newId(key: string): string {
  for (;;) {
    const id = randomBytes(24).toString('hex')
    if (!triggersFirewall(`.${createHmac('sha256', key).update(id).digest('base64')}`)) return id
  }
}

/**
 * express-session; it reads the store once for a request that brings a cookie of ours, and for no other.
 * SameSite=Lax, not Strict: with Strict the cookie is missing when the authorization server sends the browser back.
 * @param secrets SESSION_SECRET
 */
export const createSession = (store: Store, secrets: readonly string[], https: boolean): RequestHandler =>
  expressSession({
    store,
    name: cookieName(https),
    genid: () => newId(cookieKey(secrets[0] ?? '')),
    secret: secrets.map(cookieKey),
    resave: false,
    saveUninitialized: false,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: https },
  })

/** @throws {SessionChanged} when another request was faster @throws {StoreUnavailable} */
export const saveSession = ({ session, sessionStore }: Pick<Request, 'session' | 'sessionStore'>) =>
  (sessionStore as object as SessionStore).save(session)

/**
 * Signs in under a new id, saved before the browser hears of it. The session of before is left for the caller to end, which
 * goes only when the next one is there.
 */
export async function startSession(req: Request, content: SessionContent): Promise<void> {
  // express-session sets it on every store that it is given; its types don't show it.
  ;(req.sessionStore as Store & { generate(req: Request): void }).generate(req)
  Object.assign(req.session, content)
  await saveSession(req)
}

/**
 * As the store has it by now. Not by its own `reload`, which throws where the request has lost its session meanwhile: an
 * answer that failed, or another reload, takes it away while a refresh goes on.
 * @returns undefined where it was ended; then the request has no session @throws {StoreUnavailable}
 */
export const reloadSession = (req: Request): Promise<SignedIn | undefined> =>
  new Promise((resolve, reject) =>
    req.sessionStore.get(req.sessionID, (error: unknown, data) => {
      if (error) return reject(error)
      if (data) req.sessionStore.createSession(req, data)
      else delete (req as Partial<Request>).session
      resolve(signedInOf(req))
    }),
  )

/** Ends it, in the store and for the rest of the request. */
export const endSession = (req: Request): Promise<void> =>
  new Promise((resolve, reject) =>
    req.session.destroy((error) => (error ? reject(error as Error) : resolve())),
  )
