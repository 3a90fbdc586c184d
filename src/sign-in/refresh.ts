// Refreshes tokens once, however many requests, tabs and processes find them expired: one request a process asks, one
// process redeems (under a lease that is renewed while the token endpoint thinks), the others get the winner's result.
// A refresh token that is redeemed twice may end the whole sign-in (RFC 9700 4.14), so everything here avoids that.
import { setTimeout as pause } from 'node:timers/promises'
import { ClientError, refreshTokenGrant, ResponseBodyError } from 'openid-client'
import { Problem } from '../problem.ts'
import { takeLease, type Lease, type LeaseRecords } from '../records/lease.ts'
import { nameOf } from '../session/seal.ts'
import type { Note } from '../web/audit.ts'
import { isClientRefused, problemOfAnswer } from './answer-problems.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { tokensOf, type HeldTokens, type TokenRecords, type Tokens } from './tokens.ts'

export type RefreshParts = {
  records: LeaseRecords
  tokens: Pick<TokenRecords, 'load' | 'replace' | 'remove'>
  authorizationServer: Pick<AuthorizationServer, 'patientConfiguration' | 'dropIfUnknown' | 'dropIfSuspect'>
  log: { warn(fields: object, message: string): void }
  note: Note
  now: () => number
  /** Further parameters of the token request: `resource` (RFC 8707 2.2). */
  tokenParameters: Record<string, string>
}

/** The sign-in that the tokens belong to. */
export type Holder = { sessionId: string; subject: string }

/**
 * Ended: the authorization server took the sign-in back, or it was ended here meanwhile. Anything else that goes wrong
 * is thrown and leaves the sign-in as it is.
 */
export type Refreshed = { kind: 'tokens'; held: HeldTokens } | { kind: 'ended' }

export type Refresh = (holder: Holder, held: HeldTokens) => Promise<Refreshed>

const LOOK_EVERY_MS = 100
const WAIT_MOST_MS = 40_000

export function createRefresh(parts: RefreshParts): Refresh {
  const underWay = new Map<string, Promise<Refreshed>>()
  return (holder, held) => {
    const key = `${holder.sessionId}\n${held.sealed}`
    const found = underWay.get(key)
    if (found !== undefined) return found
    const started = refreshOverProcesses(parts, holder, held).finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}

async function refreshOverProcesses(
  parts: RefreshParts,
  holder: Holder,
  held: HeldTokens,
): Promise<Refreshed> {
  for (const until = parts.now() + WAIT_MOST_MS; parts.now() < until; await pause(LOOK_EVERY_MS)) {
    const lease = await takeLease(parts.records, `refresh:${nameOf(holder.sessionId)}`)
    if (lease !== undefined) return await redeemOnce(parts, { holder, held, lease })
    const result = await replaced(parts, holder, held)
    if (result !== undefined) return result
  }
  throw unavailable('another process refreshes the tokens and does not finish')
}

/** What somebody else made of the tokens, if anything. */
async function replaced(
  parts: RefreshParts,
  holder: Holder,
  held: HeldTokens,
): Promise<Refreshed | undefined> {
  const current = await parts.tokens.load(holder.sessionId)
  if (current === undefined) return { kind: 'ended' }
  return current.sealed === held.sealed ? undefined : { kind: 'tokens', held: current }
}

type Turn = { holder: Holder; held: HeldTokens; lease: Lease }

async function redeemOnce(parts: RefreshParts, { holder, held, lease }: Turn): Promise<Refreshed> {
  try {
    const earlier = await replaced(parts, holder, held)
    if (earlier !== undefined) return earlier
    const tokens = await redeemed(parts, holder, held.tokens)
    parts.note({ event: 'refresh', result: tokens === undefined ? 'ended' : 'ok' })
    if (tokens === undefined) return await endUnlessReplaced(parts, holder, held)
    if (await parts.tokens.replace(holder.sessionId, held, tokens)) {
      const stored = await parts.tokens.load(holder.sessionId)
      return stored === undefined ? { kind: 'ended' } : { kind: 'tokens', held: stored }
    }
    return (await replaced(parts, holder, held)) ?? { kind: 'ended' }
  } finally {
    await lease.release()
  }
}

/** `invalid_grant` to one who was too late must not sign out the one who was in time. */
async function endUnlessReplaced(parts: RefreshParts, holder: Holder, held: HeldTokens): Promise<Refreshed> {
  const other = await replaced(parts, holder, held)
  if (other !== undefined) return other
  await parts.tokens.remove(holder.sessionId)
  return { kind: 'ended' }
}

/** @returns undefined when the authorization server says that the grant is over; @throws {Problem} for everything else */
async function redeemed(parts: RefreshParts, holder: Holder, tokens: Tokens): Promise<Tokens | undefined> {
  if (tokens.refreshToken === undefined) return undefined
  const configuration = await parts.authorizationServer.patientConfiguration()
  const { client_id: clientId } = configuration.clientMetadata()
  try {
    const answer = await refreshTokenGrant(configuration, tokens.refreshToken, parts.tokenParameters)
    // The library accepts an id_token about somebody else here (OpenID Connect Core 12.2): then nothing of it counts.
    const subject = answer.claims()?.sub
    return subject !== undefined && subject !== holder.subject
      ? undefined
      : tokensOf(answer, parts.now(), tokens)
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
      // Also what some servers say to a client that they forgot: found out in the background.
      parts.authorizationServer.dropIfSuspect(clientId).catch(() => {})
      return undefined
    }
    // Tokens of a client that is gone cannot be refreshed by the next one.
    if (isClientRefused(error) && (await parts.authorizationServer.dropIfUnknown(clientId))) return undefined
    // An id_token of another issuer or for another client: like one about somebody else.
    if (error instanceof ClientError && error.code?.startsWith('OAUTH_JWT_')) return undefined
    const problem = problemOfAnswer(error)
    throw problem.code === 'sign_in_failed' ? unavailable(problem.detail, error) : problem
  }
}

const unavailable = (detail: string, cause?: unknown) =>
  new Problem(503, 'sign_in_unavailable', { detail, cause, retryAfter: 5 })
