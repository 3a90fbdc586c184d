// Refreshes tokens once, however many requests, tabs and processes find them expired: one request per process asks, one
// process redeems (under a lease that is renewed while the token endpoint thinks), the others get the winner's result.
// A refresh token that is redeemed twice may end the whole sign-in (RFC 9700 4.14), so everything here avoids that.
import { setTimeout as pause } from 'node:timers/promises'
import { ClientError, refreshTokenGrant, ResponseBodyError } from 'openid-client'
import { createOnce, takeLease, type Lease } from '../records/lease.ts'
import { nameOf } from '../records/seal.ts'
import type { SignedIn, Tokens } from '../session/signed-in.ts'
import { isGrantRefused, problemOfAnswer, signInUnavailable } from './answer-problems.ts'
import { inWords, nameOfError } from './answer-words.ts'
import { groupRuleOf, groupsIn } from './groups.ts'
import type { SignInParts } from './parts.ts'
import { isFresh } from './require-sign-in.ts'
import { revoke } from './sign-out/revoke.ts'
import { tokensOf } from './tokens.ts'

/**
 * @returns undefined when the authorization server took the sign-in back, or it was ended here meanwhile
 * @throws {Problem} for anything else that goes wrong; it leaves the sign-in as it is
 */
export type Refresh = (signedIn: SignedIn) => Promise<SignedIn | undefined>

const LOOK_EVERY_MS = 100
const MAX_WAIT_MS = 40_000

const MAX_UNSAVED = 10_000

/** `groups`: of ADMIN_GROUPS, where a new id_token says them. */
type Renewed = { tokens: Tokens; groups: string[] | undefined }

type RefreshParts = SignInParts & {
  /** Redeemed for a record, but not yet written down because the store failed: the refresh token there is used up. */
  unsaved: Map<string, Renewed>
}

export function createRefresh(services: SignInParts): Refresh {
  const once = createOnce<SignedIn | undefined>()
  const parts = { ...services, unsaved: new Map<string, Renewed>() }
  return (signedIn) => once(`${signedIn.id}\n${signedIn.sealed}`, () => refreshOverProcesses(parts, signedIn))
}

async function refreshOverProcesses(parts: RefreshParts, signedIn: SignedIn): Promise<SignedIn | undefined> {
  for (const until = parts.now() + MAX_WAIT_MS; parts.now() < until; await pause(LOOK_EVERY_MS)) {
    const lease = await takeLease(parts.records, `refresh:${nameOf(signedIn.id)}`)
    if (lease !== undefined) return await redeemOnce(parts, signedIn, lease)
    const current = await parts.signIns.load(signedIn.id)
    if (current?.sealed === signedIn.sealed) continue
    parts.log.debug({ isEnded: current === undefined }, 'refresh: another request has dealt with the tokens')
    return current
  }
  throw signInUnavailable('another process refreshes the tokens and does not finish')
}

async function redeemOnce(
  parts: RefreshParts,
  signedIn: SignedIn,
  lease: Lease,
): Promise<SignedIn | undefined> {
  const { signIns, note, unsaved } = parts
  try {
    const current = await signIns.load(signedIn.id)
    if (current?.sealed !== signedIn.sealed) return current
    const renewed = unsaved.get(signedIn.sealed) ?? (await redeemed(parts, signedIn))
    note({ event: 'refresh', result: renewed === undefined ? 'ended' : 'ok' })
    if (renewed !== undefined) return await saved(parts, signedIn, renewed)
    // `invalid_grant` to one who was too late must not sign out the one who was in time.
    const other = await signIns.load(signedIn.id)
    if (other?.sealed !== signedIn.sealed) return other
    await signIns.end(nameOf(signedIn.id))
    return undefined
  } finally {
    await lease.release()
  }
}

/** The sign-in with these tokens, or as it is by now. */
async function saved(
  { signIns, unsaved, authorizationServer }: RefreshParts,
  signedIn: SignedIn,
  renewed: Renewed,
): Promise<SignedIn | undefined> {
  if (unsaved.size >= MAX_UNSAVED) unsaved.clear()
  unsaved.set(signedIn.sealed, renewed)
  const { tokens, groups } = renewed
  const current = (await signIns.replaceTokens(signedIn, tokens, groups)) ?? (await signIns.load(signedIn.id))
  unsaved.delete(signedIn.sealed)
  // Signed out meanwhile: the sign-out took back the tokens that it knew.
  if (current === undefined) void revoke(await authorizationServer.patientConfiguration(), tokens)
  return current
}

/** @returns undefined when the authorization server says that the grant is over; @throws {Problem} for everything else */
async function redeemed(parts: SignInParts, signedIn: SignedIn): Promise<Renewed | undefined> {
  const { user, tokens } = signedIn
  if (tokens.refreshToken === undefined) return undefined
  const configuration = await parts.authorizationServer.patientConfiguration()
  try {
    const answer = await refreshTokenGrant(configuration, tokens.refreshToken, parts.tokenParameters)
    // The library accepts an id_token about another person here (OpenID Connect Core 12.2): then nothing of it counts.
    const claims = answer.claims()
    const groups = groupsIn(claims === undefined ? [] : [claims], groupRuleOf(parts.settings))
    if (claims === undefined || claims.sub === user.subject)
      return { tokens: tokensOf(answer, parts.now(), tokens), groups }
    parts.log.debug({}, 'refresh: the new id_token is about another person, so the sign-in ends')
    return undefined
  } catch (error) {
    const now = parts.now()
    const isEarly = tokens.expiresAt !== undefined && now < tokens.expiresAt
    if (isGrantRefused(error, { isFresh: isFresh(signedIn.signedInAt, now), isEarly })) {
      const said = error instanceof ResponseBodyError ? nameOfError(error.error) : inWords(error)
      parts.log.debug({}, `refresh: the authorization server says ${said}, so the sign-in ends`)
      return undefined
    }
    // An id_token of another issuer or for another client: like one about another person.
    if (error instanceof ClientError && error.code?.startsWith('OAUTH_JWT_')) return undefined
    const problem = problemOfAnswer(error)
    throw problem.code === 'sign_in_failed' ? signInUnavailable(problem.detail, error) : problem
  }
}
