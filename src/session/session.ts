// express-session under one small signed cookie. It sends headers before the store has answered, so code that changes a
// session before a redirect saves it and waits.
import { createHmac, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { Request, RequestHandler } from 'express'
import expressSession, { type Session, type Store } from 'express-session'
import { triggersFirewall } from '../records/firewall-safe.ts'
import { SessionChanged } from './session-store.ts'
import { findSignedIn, type SignedIn } from './signed-in.ts'

/** `__Host-` ties the cookie to this one host over https (RFC 6265bis 4.1.3.2). */
export const cookieName = (https: boolean) => (https ? '__Host-onramp' : 'onramp')

/** Key of the cookie's signature. The first secret signs, all of them verify. */
const cookieKey = (secret: string) =>
  createHmac('sha256', secret).update('onramp cookie 1').digest('base64url')

/** The cookie is the id, a dot and the signature, which firewalls may take for a file's name. @param key that signs */
function newId(key: string): string {
  for (;;) {
    const id = randomBytes(24).toString('hex')
    if (!triggersFirewall(`.${createHmac('sha256', key).update(id).digest('base64')}`)) return id
  }
}

/** One read for a request with a cookie of ours. SameSite=Strict would keep the cookie from the callback. */
export function createSession(options: {
  store: Store
  secrets: readonly string[]
  isHttps: boolean
  log: { info(fields: object, message: string): void }
}): RequestHandler {
  const { store, secrets, isHttps, log } = options
  const keys = secrets.map(cookieKey)
  const session = expressSession({
    store,
    name: cookieName(isHttps),
    genid: () => newId(keys[0] ?? ''),
    secret: keys,
    resave: false,
    saveUninitialized: false,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps },
  })
  return (req, res, next) =>
    session(req, res, (error?: unknown) => {
      // The save at the end of a request throws it; the response is already complete.
      if (!(error instanceof SessionChanged)) return next(error)
      log.info({}, 'session not saved: another request changed or ended it meanwhile')
    })
}

/** `session.save()`, to be awaited before a redirect. @throws {SessionChanged} {StoreUnavailable} */
export const saveSession = (session: Session): Promise<void> => promisify(session.save.bind(session))()

/** Signs in under a new ID, saved before the browser gets its cookie. The caller ends the former session afterwards. */
export async function startSession(req: Request, content: Omit<SignedIn, 'id'>): Promise<void> {
  // express-session sets it on every store that it is given; its types don't show it.
  ;(req.sessionStore as Store & { generate(req: Request): void }).generate(req)
  Object.assign(req.session, content)
  await saveSession(req.session)
}

/** @returns undefined if it was ended; then the request has none @throws {StoreUnavailable} */
export const reloadSession = (req: Request): Promise<SignedIn | undefined> =>
  new Promise((resolve, reject) =>
    // express-session's own reload throws if an error page or another reload has taken the session from the request.
    req.sessionStore.get(req.sessionID, (error: unknown, data) => {
      if (error) return reject(error)
      if (data) req.sessionStore.createSession(req, data)
      else delete (req as Partial<Request>).session
      resolve(findSignedIn(req))
    }),
  )

export const endSession = (req: Request): Promise<void> => promisify(req.session.destroy.bind(req.session))()
