// express-session under one small signed cookie. It sends headers before the store has answered, so code that changes a
// session before a redirect saves it and waits.
import { createHmac, randomBytes } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import expressSession, { type Session, type Store } from 'express-session'
import { triggersFirewall } from '../records/firewall-safe.ts'
import { SessionChanged } from './session-store.ts'
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
 * express-session. It reads the store once for a request with a cookie of ours, and for no other request.
 * SameSite=Lax, not Strict: with Strict the cookie is missing when the authorization server sends the browser back.
 * @param secrets SESSION_SECRET
 */
export function createSession({
  store,
  secrets,
  isHttps,
  log,
}: {
  store: Store
  secrets: readonly string[]
  isHttps: boolean
  log: { info(fields: object, message: string): void }
}): RequestHandler {
  const session = expressSession({
    store,
    name: cookieName(isHttps),
    genid: () => newId(cookieKey(secrets[0] ?? '')),
    secret: secrets.map(cookieKey),
    resave: false,
    saveUninitialized: false,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps },
  })
  return (req, res, next) =>
    session(req, res, (error?: unknown) => {
      // By the save at the end of a request, whose response is complete.
      if (!(error instanceof SessionChanged)) return next(error)
      log.info({}, 'session not saved: another request changed or ended it meanwhile')
    })
}

/** `session.save()`, to be awaited before a redirect. @throws {SessionChanged} {StoreUnavailable} */
export const saveSession = (session: Session): Promise<void> =>
  new Promise((resolve, reject) => session.save((error) => (error ? reject(error as Error) : resolve())))

/**
 * Signs in under a new ID, saved before the browser gets its cookie. The caller ends the former session afterwards, so one
 * of the two always exists.
 */
export async function startSession(req: Request, content: SessionContent): Promise<void> {
  // express-session sets it on every store that it is given; its types don't show it.
  ;(req.sessionStore as Store & { generate(req: Request): void }).generate(req)
  Object.assign(req.session, content)
  await saveSession(req.session)
}

/**
 * Reads the session again. express-session's own `reload` throws if the request has lost its session, which an error page
 * or another reload takes away during a refresh.
 * @returns undefined if the session was ended; then the request has none @throws {StoreUnavailable}
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

/** Ends the session in the store and for the rest of the request. */
export const endSession = (req: Request): Promise<void> =>
  new Promise((resolve, reject) =>
    req.session.destroy((error) => (error ? reject(error as Error) : resolve())),
  )
