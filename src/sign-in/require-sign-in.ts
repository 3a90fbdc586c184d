// The line between what everyone may see and what needs a sign-in. Pages go to sign in and come back to where they were;
// fetches and JSON get a 401 that says so, never a redirect to another origin.
import type { Request, RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { remember, type SignIns } from '../session/signed-in.ts'
import { signInPath } from './addresses.ts'
import { MAX_RETURN_TO_CHARACTERS, returnToTooLong } from './return-to.ts'

type RequireSignInParts = {
  /** The session id that a request's cookie proves. */
  idOf: (req: Request) => string | undefined
  signIns: Pick<SignIns, 'load' | 'renew'>
}

export function createRequireSignIn({ idOf, signIns }: RequireSignInParts): RequestHandler {
  return async (req, _res, next) => {
    const id = idOf(req)
    const signedIn = id === undefined ? undefined : await signIns.load(id)
    if (signedIn === undefined) {
      if (comeBackTo(req).length > MAX_RETURN_TO_CHARACTERS) throw returnToTooLong()
      throw new SignInAgain(req)
    }
    await signIns.renew(signedIn)
    remember(req, signedIn)
    next()
  }
}

const FRESH_MS = 60_000

/** A person who signed in a moment ago and is refused would be refused again: no loop through the sign-in. */
export const isFresh = (signedInAt: number, now: number): boolean => now - signedInAt < FRESH_MS

/** What can be asked for again with GET; a form's target cannot. */
const comeBackTo = ({ method, originalUrl }: Request) => (method === 'GET' ? originalUrl : '/onboarding')

/** Thrown where a sign-in is needed: people are led through it and back to where they were (see web/error-page.ts). */
export class SignInAgain extends Problem {
  constructor(req: Request, cause?: unknown) {
    super(401, 'signed_out', { tryAgain: signInPath(comeBackTo(req)), cause })
    this.name = 'SignInAgain'
  }
}
