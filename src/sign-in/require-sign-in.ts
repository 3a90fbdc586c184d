// The line between what everybody may see and what needs a sign-in. Pages go to sign in and come back to where they
// were; fetches and JSON get a 401 that says so, never a redirect to another origin.
import type { Request, RequestHandler } from 'express'
import type { Presence } from '../session/presence.ts'
import type { Renewal } from '../session/renewal.ts'
import { nameOf } from '../session/seal.ts'
import type { User } from '../session/session.ts'
import { SignInAgain } from './sign-in-again.ts'
import type { HeldTokens, TokenRecords } from './tokens.ts'

export type SignedIn = { sessionId: string; user: User; held: HeldTokens; signedInAt: number }

const signedIn = new WeakMap<Request, SignedIn>()

/** Who is signed in; only behind requireSignIn. */
export function whoIsSignedIn(req: Request): SignedIn {
  const found = signedIn.get(req)
  if (found === undefined) throw new Error('a route that needs a sign-in stands before requireSignIn')
  return found
}

export type RequireSignInParts = {
  presence: Presence
  tokens: Pick<TokenRecords, 'load' | 'touch'>
  renewal: Pick<Renewal, 'isDue'>
  /** Renews the session itself, by the hash of its id. */
  touchSession: (name: string) => Promise<void>
}

export function createRequireSignIn({
  presence,
  tokens,
  renewal,
  touchSession,
}: RequireSignInParts): RequestHandler {
  return async (req, _res, next) => {
    const sessionId = presence.idOf(req)
    const held = sessionId === undefined ? undefined : await tokens.load(sessionId)
    if (sessionId === undefined || held === undefined) throw new SignInAgain(req)
    if (renewal.isDue(nameOf(sessionId)))
      await Promise.all([tokens.touch(sessionId, held), touchSession(nameOf(sessionId))])
    signedIn.set(req, { sessionId, user: held.user, held, signedInAt: held.signedInAt })
    presence.remember(req, held.user)
    next()
  }
}
