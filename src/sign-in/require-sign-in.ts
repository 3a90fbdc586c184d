// The line between what everybody may see and what needs a sign-in. Pages go to sign in and come back to where they
// were; fetches and JSON get a 401 that says so, never a redirect to another origin.
import type { Request, RequestHandler } from 'express'
import type { User } from '../session/session.ts'
import { SignInAgain } from './sign-in-again.ts'
import type { HeldTokens, TokenRecords } from './tokens.ts'

export type SignedIn = { user: User; held: HeldTokens; signedInAt: number }

const signedIn = new WeakMap<Request, SignedIn>()

/** Who is signed in; only behind requireSignIn. */
export function whoIsSignedIn(req: Request): SignedIn {
  const found = signedIn.get(req)
  if (found === undefined) throw new Error('a route that needs a sign-in stands before requireSignIn')
  return found
}

export function createRequireSignIn(tokens: Pick<TokenRecords, 'load'>): RequestHandler {
  return async (req, _res, next) => {
    const { user, signedInAt } = req.session
    const found = user === undefined ? undefined : await tokens.load(req.sessionID)
    if (user !== undefined && found !== undefined) {
      signedIn.set(req, { user, held: found, signedInAt: signedInAt ?? 0 })
      return next()
    }
    throw new SignInAgain(req)
  }
}
