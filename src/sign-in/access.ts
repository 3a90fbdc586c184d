// Calls of the service as the person who is signed in, with a token that is good: refreshed ahead of its expiry, and
// once more when the service refuses it.
import { hash } from 'node:crypto'
import type { Request } from 'express'
import type { Credentials } from '../client-api/credentials.ts'
import { TokenRefused } from '../client-api/errors.ts'
import { nameOf } from '../session/seal.ts'
import { remember, whoIsSignedIn, type SignedIn } from '../session/signed-in.ts'
import type { SignInParts } from './parts.ts'
import type { Refresh } from './refresh.ts'
import { SignInAgain } from './require-sign-in.ts'
import { conditionOf } from './tokens.ts'

/** A person who signed in a moment ago and is refused would be refused again: no loop through the sign-in. */
const FRESH_MS = 60_000

export type Access = <T>(req: Request, call: (credentials: Credentials) => Promise<T>) => Promise<T>

/** Between 0 and 1, the same for a session each time. */
const jitterOf = (sessionId: string) => parseInt(hash('sha1', sessionId, 'hex').slice(0, 4), 16) / 0xffff

/** @throws {SignInAgain} when the sign-in is over, or the service no longer accepts it and a new one may help */
export function createAccess({
  signIns,
  refresh,
  settings,
  now,
}: SignInParts & { refresh: Refresh }): Access {
  const externalIdp = settings.TOKEN_ISSUED_BY === 'external-idp'
  const credentialsOf = ({ tokens: { accessToken } }: SignedIn): Credentials => ({
    kind: 'oauth',
    accessToken,
    externalIdp,
  })

  async function refreshed(req: Request, signedIn: SignedIn): Promise<SignedIn> {
    const result = await refresh(signedIn)
    if (result === undefined) throw new SignInAgain(req)
    remember(req, result)
    return result
  }

  async function withGoodTokens(req: Request): Promise<SignedIn> {
    const signedIn = whoIsSignedIn(req)
    const { id, tokens } = signedIn
    const condition = conditionOf(tokens, now(), () => jitterOf(id))
    if (condition === 'fresh' || (condition === 'ageing' && tokens.refreshToken === undefined))
      return signedIn
    try {
      return await refreshed(req, signedIn)
    } catch (error) {
      // Ahead of its expiry a refresh is a courtesy: the token is still good.
      if (condition === 'ageing' && !(error instanceof SignInAgain)) return signedIn
      throw error
    }
  }

  async function giveUp(req: Request, refusal: TokenRefused): Promise<never> {
    const { id, signedInAt } = whoIsSignedIn(req)
    if (now() - signedInAt < FRESH_MS) throw refusal
    await signIns.end(nameOf(id))
    throw new SignInAgain(req, refusal)
  }

  return async (req, call) => {
    const signedIn = await withGoodTokens(req)
    try {
      return await call(credentialsOf(signedIn))
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      if (signedIn.tokens.refreshToken === undefined) return await giveUp(req, error)
      const renewed = await refreshed(req, signedIn)
      try {
        return await call(credentialsOf(renewed))
      } catch (again) {
        if (again instanceof TokenRefused) return await giveUp(req, again)
        throw again
      }
    }
  }
}
