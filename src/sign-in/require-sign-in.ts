// The line between what everyone may see and what needs a sign-in. Pages go to sign in and come back to where they were;
// fetches and JSON get a 401 that says so, never a redirect to another origin.
import type { Request, RequestHandler } from 'express'
import { remember, type SignIns } from '../session/signed-in.ts'
import { SignInAgain } from './sign-in-again.ts'

export type RequireSignInParts = {
  /** The session id that a request's cookie proves. */
  idOf: (req: Request) => string | undefined
  signIns: Pick<SignIns, 'load' | 'renew'>
}

export function createRequireSignIn({ idOf, signIns }: RequireSignInParts): RequestHandler {
  return async (req, _res, next) => {
    const id = idOf(req)
    const signedIn = id === undefined ? undefined : await signIns.load(id)
    if (signedIn === undefined) throw new SignInAgain(req)
    await signIns.renew(signedIn)
    remember(req, signedIn)
    next()
  }
}
