// Requires a sign-in for all routes after it. Pages lead through the sign-in and back; fetches and JSON get a 401,
// never a redirect to another origin (web/error-page.ts).
import type { Request, RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { findSignedIn } from '../session/signed-in.ts'
import { assertReturnToLength, signInPath } from './return-to.ts'

export const requireSignIn: RequestHandler = (req, _res, next) => {
  if (findSignedIn(req) !== undefined) return next()
  assertReturnToLength(returnPath(req))
  throw new SignInAgain(req)
}

const RECENT_MS = 60_000

/** True right after a sign-in: a refusal would be repeated after the next one, in a loop. */
export const isRecentSignIn = (signedInAt: number, now: number): boolean => now - signedInAt < RECENT_MS

/** A POST can't be repeated with GET, so it leads back to the page of its button. */
const returnPath = ({ method, originalUrl }: Request) =>
  method === 'GET'
    ? originalUrl
    : (/^\/(approvals\/[^/?]+|sessions(?=\/))/i.exec(originalUrl)?.[0] ?? '/onboarding')

export class SignInAgain extends Problem {
  override name = 'SignInAgain'

  constructor(req: Request, cause?: unknown) {
    super(401, 'signed_out', { tryAgain: signInPath(returnPath(req)), cause })
  }
}
