// Configures express-session with one small signed cookie. express-session sends headers before the store has answered,
// so code that changes a session before a redirect has to save it and wait.
import { createHmac, createSecretKey, randomUUID, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Request, RequestHandler } from 'express'
import expressSession, { type Session, type Store } from 'express-session'
import { triggersFirewall } from '../records/seal.ts'
import { SessionChanged } from './session-store.ts'
import { findSignedIn, type SignedIn } from './signed-in.ts'

/** `__Host-` ties the cookie to this one host over https (RFC 6265bis 4.1.3.2). */
export const cookieName = (https: boolean) => (https ? '__Host-onramp' : 'onramp')

/** The key that signs the cookie. The first secret signs, all of them verify. */
const cookieKey = (secret: string) =>
  createHmac('sha256', secret).update('onramp cookie 1').digest('base64url')

/** 244 random bits in hex. Node keeps random bytes for UUIDs, which take a twentieth of the time of `randomBytes`. */
const newId = () => `${randomUUID()}${randomUUID()}`.replaceAll('-', '')

/** Skips ids whose cookie (id, dot, signature) a firewall may take for a file name: half. @param key that signs */
function newCookieId(key: KeyObject): string {
  for (;;) {
    const id = newId()
    if (!triggersFirewall(`.${createHmac('sha256', key).update(id).digest('base64')}`)) return id
  }
}

/** Reads the store once per request with our cookie. With SameSite=Strict, the callback wouldn't get the cookie. */
export function createSession(options: {
  store: Store
  secrets: readonly string[]
  isHttps: boolean
  log: { info(fields: object, message: string): void }
}): RequestHandler {
  const { store, secrets, isHttps, log } = options
  const keys = secrets.map(cookieKey)
  const signingKey = createSecretKey(keys[0] ?? '', 'utf8')
  const session = expressSession({
    store,
    name: cookieName(isHttps),
    // A request without a cookie gets a session that is never saved. Only a sign-in replaces it by one with a cookie.
    genid: (req) => ('session' in req ? newCookieId(signingKey) : newId()),
    secret: keys,
    resave: false,
    saveUninitialized: false,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps },
  })
  return (req, res, next) =>
    session(req, res, (error?: unknown) => {
      // The save at the end of a request throws this error, after the response is complete.
      if (!(error instanceof SessionChanged)) return next(error)
      log.info({}, 'session not saved: another request changed or ended it')
    })
}

/** Await it before a redirect. @throws {SessionChanged} {StoreUnavailable} */
export const saveSession = (session: Session): Promise<void> =>
  new Promise((resolve, reject) => session.save((error: unknown) => (error ? reject(error) : resolve())))

/** Signs in with a new ID, saved before the browser gets its cookie. The caller then ends the former session. */
export async function startSession(req: Request, content: Omit<SignedIn, 'id'>): Promise<void> {
  // express-session adds this method to every store, but its types don't have it.
  ;(req.sessionStore as Store & { generate(req: Request): void }).generate(req)
  Object.assign(req.session, content)
  await saveSession(req.session)
}

/** @returns undefined if the session was ended; then the request has none @throws {StoreUnavailable} */
export const reloadSession = (req: Request): Promise<SignedIn | undefined> =>
  new Promise((resolve, reject) =>
    // express-session's reload throws if an error page or another reload removed the session from the request.
    req.sessionStore.get(req.sessionID, (error: unknown, data) => {
      if (error) return reject(error)
      if (data) req.sessionStore.createSession(req, data)
      else delete (req as Partial<Request>).session
      resolve(findSignedIn(req))
    }),
  )

export const endSession = (req: Request): Promise<void> => promisify(req.session.destroy.bind(req.session))()
