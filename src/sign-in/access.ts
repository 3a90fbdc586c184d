// Calls of the service as the person who is signed in.
import type { Request } from 'express'
import type { Credentials } from '../client-api/credentials.ts'
import { TokenRefused } from '../client-api/errors.ts'
import { whoIsSignedIn } from './require-sign-in.ts'
import { SignInAgain } from './sign-in-again.ts'
import type { TokenRecords } from './tokens.ts'

export type AccessParts = {
  tokens: Pick<TokenRecords, 'remove'>
  /** TOKEN_ISSUED_BY=external-idp. */
  externalIdp: boolean
  now: () => number
}

/** Somebody who signed in a moment ago and is refused would be refused again: no loop through the sign-in. */
const FRESH_MS = 60_000

export type Access = <T>(req: Request, call: (credentials: Credentials) => Promise<T>) => Promise<T>

/** @throws {SignInAgain} when the service no longer accepts the token and a new sign-in may help */
export function createAccess({ tokens, externalIdp, now }: AccessParts): Access {
  return async (req, call) => {
    const { tokens: held, signedInAt } = whoIsSignedIn(req)
    try {
      return await call({ kind: 'oauth', accessToken: held.accessToken, externalIdp })
    } catch (error) {
      if (!(error instanceof TokenRefused) || now() - signedInAt < FRESH_MS) throw error
      await tokens.remove(req.sessionID)
      throw new SignInAgain(req, error)
    }
  }
}
