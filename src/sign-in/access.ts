// Calls of the service as the person who is signed in, with a token that is good: refreshed ahead of its expiry, and
// once more when the service refuses it.
import type { Request } from 'express'
import type { Credentials } from '../client-api/credentials.ts'
import { TokenRefused } from '../client-api/errors.ts'
import { endSession } from '../session/session.ts'
import { signedInOf, whoIsSignedIn, type Tokens } from '../session/signed-in.ts'
import { within } from '../within.ts'
import type { createRefresh } from './refresh.ts'
import { isFresh, SignInAgain, signInAgainPath } from './require-sign-in.ts'
import { conditionOf } from './tokens.ts'

const MAX_EARLY_WAIT_MS = 1_000

type Access = <T>(req: Request, call: (credentials: Credentials) => Promise<T>) => Promise<T>

/** @param externalIdp TOKEN_ISSUED_BY is external-idp @throws {SignInAgain} if only a new sign-in can help */
export function createAccess(
  refresh: ReturnType<typeof createRefresh>,
  externalIdp: boolean,
  now: () => number,
): Access {
  async function refreshed(req: Request, isStillGood = false): Promise<Tokens> {
    const signedIn = await refresh(req, isStillGood)
    if (signedIn === undefined) throw new SignInAgain(req)
    return signedIn.tokens
  }

  /** Ahead of its expiry a refresh is a courtesy: the token is still good, and no page waits long for another one. */
  async function refreshedEarly(req: Request, tokens: Tokens): Promise<Tokens> {
    try {
      // It goes on where the page does not wait for it: what it brings is stored.
      return await within(MAX_EARLY_WAIT_MS, refreshed(req, true))
    } catch (error) {
      if (error instanceof SignInAgain) throw error
      return tokens
    }
  }

  async function goodTokens(req: Request): Promise<Tokens> {
    const { tokens } = whoIsSignedIn(req)
    const condition = conditionOf(tokens, now())
    if (condition === 'fresh' || (condition === 'ageing' && tokens.refreshToken === undefined)) return tokens
    return condition === 'expired' ? await refreshed(req) : await refreshedEarly(req, tokens)
  }

  async function giveUp(req: Request, refusal: TokenRefused): Promise<never> {
    const signedIn = signedInOf(req)
    if (signedIn !== undefined && isFresh(signedIn.signedInAt, now()))
      throw Object.assign(refusal, { tryAgain: signInAgainPath(req) })
    if (signedIn !== undefined) await endSession(req)
    throw new SignInAgain(req, refusal)
  }

  return async (req, call) => {
    const callWith = ({ accessToken }: Tokens) => call({ kind: 'oauth', accessToken, externalIdp })
    const tokens = await goodTokens(req)
    try {
      return await callWith(tokens)
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      if (tokens.refreshToken === undefined) return await giveUp(req, error)
      const renewed = await refreshed(req)
      try {
        return await callWith(renewed)
      } catch (again) {
        if (again instanceof TokenRefused) return await giveUp(req, again)
        throw again
      }
    }
  }
}
