// Calls of the service as the person who is signed in, with a token that is good: refreshed ahead of its expiry, and
// once more when the service refuses it.
import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from 'express'
import type { Credentials } from '../client-api/credentials.ts'
import { TokenRefused } from '../client-api/errors.ts'
import { nameOf } from '../records/seal.ts'
import { remember, whoIsSignedIn, type SignedIn } from '../session/signed-in.ts'
import type { SignInParts } from './parts.ts'
import type { Refresh } from './refresh.ts'
import { isFresh, SignInAgain } from './require-sign-in.ts'
import { conditionOf } from './tokens.ts'

const MAX_EARLY_WAIT_MS = 3_000
const PAUSE_MS = 10_000

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
  /** Milliseconds since 1970: the token endpoint was slow, so until then no page waits for a refresh that can wait. */
  let pausedUntil = 0
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

  /** Ahead of its expiry a refresh is a courtesy: the token is still good, and no page waits long for another one. */
  async function refreshedEarly(req: Request, signedIn: SignedIn): Promise<SignedIn> {
    if (now() < pausedUntil) return signedIn
    const refreshing = refreshed(req, signedIn)
    // It goes on where the page does not wait for it: what it brings is stored.
    const late = pause(MAX_EARLY_WAIT_MS, undefined, { ref: false })
    try {
      const result = await Promise.race([refreshing, late])
      if (result !== undefined) return result
      refreshing.catch(() => {})
      pausedUntil = now() + PAUSE_MS
      return signedIn
    } catch (error) {
      if (error instanceof SignInAgain) throw error
      return signedIn
    }
  }

  async function withGoodTokens(req: Request): Promise<SignedIn> {
    const signedIn = whoIsSignedIn(req)
    const { id, tokens } = signedIn
    const condition = conditionOf(tokens, now(), () => jitterOf(id))
    if (condition === 'fresh' || (condition === 'ageing' && tokens.refreshToken === undefined))
      return signedIn
    return condition === 'expired' ? await refreshed(req, signedIn) : await refreshedEarly(req, signedIn)
  }

  async function giveUp(req: Request, refusal: TokenRefused): Promise<never> {
    const { id, signedInAt } = whoIsSignedIn(req)
    if (isFresh(signedInAt, now())) throw refusal
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
