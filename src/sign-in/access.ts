// Calls of the service as the person who is signed in, with a token that is good: refreshed ahead of its expiry, and
// once more when the service refuses it.
import { hash } from 'node:crypto'
import type { Request } from 'express'
import type { Credentials } from '../client-api/credentials.ts'
import { TokenRefused } from '../client-api/errors.ts'
import type { Refresh, Refreshed } from './refresh.ts'
import { whoIsSignedIn, type SignedIn } from './require-sign-in.ts'
import { SignInAgain } from './sign-in-again.ts'
import { conditionOf, type HeldTokens, type TokenRecords } from './tokens.ts'

export type AccessParts = {
  tokens: Pick<TokenRecords, 'remove'>
  refresh: Refresh
  /** TOKEN_ISSUED_BY=external-idp. */
  externalIdp: boolean
  now: () => number
}

/** Somebody who signed in a moment ago and is refused would be refused again: no loop through the sign-in. */
const FRESH_MS = 60_000

export type Access = <T>(req: Request, call: (credentials: Credentials) => Promise<T>) => Promise<T>

/** Between 0 and 1, the same for a session each time. */
const jitterOf = (sessionId: string) => parseInt(hash('sha1', sessionId, 'hex').slice(0, 4), 16) / 0xffff

/** @throws {SignInAgain} when the sign-in is over, or the service no longer accepts it and a new one may help */
export function createAccess({ tokens, refresh, externalIdp, now }: AccessParts): Access {
  const credentialsOf = ({ tokens: { accessToken } }: HeldTokens): Credentials => ({
    kind: 'oauth',
    accessToken,
    externalIdp,
  })

  function refreshed({ sessionId, user, held }: SignedIn): Promise<Refreshed> {
    return refresh({ sessionId, subject: user.subject }, held)
  }

  function usable(req: Request, result: Refreshed): HeldTokens {
    if (result.kind === 'ended') throw new SignInAgain(req)
    whoIsSignedIn(req).held = result.held
    return result.held
  }

  async function goodTokens(req: Request): Promise<HeldTokens> {
    const signedIn = whoIsSignedIn(req)
    const { held } = signedIn
    const condition = conditionOf(held.tokens, now(), () => jitterOf(signedIn.sessionId))
    if (condition === 'fresh' || (condition === 'ageing' && held.tokens.refreshToken === undefined))
      return held
    try {
      return usable(req, await refreshed(signedIn))
    } catch (error) {
      // Ahead of its expiry a refresh is a courtesy: the token is still good.
      if (condition === 'ageing' && !(error instanceof SignInAgain)) return held
      throw error
    }
  }

  async function afterRefusal(req: Request, used: HeldTokens, refusal: TokenRefused): Promise<HeldTokens> {
    const signedIn = whoIsSignedIn(req)
    if (used.tokens.refreshToken !== undefined)
      return usable(req, await refreshed({ ...signedIn, held: used }))
    return await giveUp(req, refusal)
  }

  async function giveUp(req: Request, refusal: TokenRefused): Promise<never> {
    if (now() - whoIsSignedIn(req).signedInAt < FRESH_MS) throw refusal
    await tokens.remove(whoIsSignedIn(req).sessionId)
    throw new SignInAgain(req, refusal)
  }

  return async (req, call) => {
    const held = await goodTokens(req)
    try {
      return await call(credentialsOf(held))
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      const renewed = await afterRefusal(req, held, error)
      try {
        return await call(credentialsOf(renewed))
      } catch (again) {
        if (again instanceof TokenRefused) return await giveUp(req, again)
        throw again
      }
    }
  }
}
