// The line between what everybody may see and what needs a sign-in. Pages go to sign in and come back to where they
// were; fetches and JSON get a 401 that says so, never a redirect to another origin.
import type { Request, RequestHandler } from 'express'
import type { Presence } from '../session/presence.ts'
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

export type RequireSignInParts = { presence: Presence; tokens: Pick<TokenRecords, 'load'> }

export function createRequireSignIn({ presence, tokens }: RequireSignInParts): RequestHandler {
  return async (req, _res, next) => {
    const sessionId = presence.idOf(req)
    if (sessionId === undefined) throw new SignInAgain(req)
    // Asked together: Redis answers both in one round trip.
    const [session, held] = await Promise.all([presence.look(sessionId), tokens.load(sessionId)])
    if (session?.user === undefined || held === undefined) throw new SignInAgain(req)
    signedIn.set(req, { sessionId, user: session.user, held, signedInAt: session.signedInAt ?? 0 })
    presence.remember(req, session.user)
    next()
  }
}
