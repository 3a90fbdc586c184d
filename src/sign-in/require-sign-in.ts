// The line between what everyone may see and what needs a sign-in. Pages go to sign in and come back to where they were;
// fetches and JSON get a 401 that says so, never a redirect to another origin.
import type { Request, RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { signedInOf } from '../session/signed-in.ts'
import { asParameter, MAX_RETURN_TO_CHARACTERS, returnToTooLong, signInPath } from './return-to.ts'

export const requireSignIn: RequestHandler = (req, _res, next) => {
  if (signedInOf(req) !== undefined) return next()
  if (comeBackTo(req).length > MAX_RETURN_TO_CHARACTERS) throw returnToTooLong()
  throw new SignInAgain(req)
}

const FRESH_MS = 60_000

/** A person who signed in a moment ago and is refused would be refused again: no loop through the sign-in. */
export const isRecentSignIn = (signedInAt: number, now: number): boolean => now - signedInAt < FRESH_MS

/** What can be asked for again with GET; a form's target cannot. */
const comeBackTo = ({ method, originalUrl }: Request) =>
  method === 'GET' ? asParameter(originalUrl) : '/onboarding'

export const signInAgainPath = (req: Request): string => signInPath(comeBackTo(req))

/** Thrown where a sign-in is needed: people are led through it and back to where they were (see web/error-page.ts). */
export class SignInAgain extends Problem {
  constructor(req: Request, cause?: unknown) {
    super(401, 'signed_out', { tryAgain: signInAgainPath(req), cause })
    this.name = 'SignInAgain'
  }
}
