// Refreshes tokens once, however many requests, tabs and processes find them expired: one request of a process asks, one
// process redeems, under a lease that outlives the token call, the save and a failover of the store together. A refresh
// token that is redeemed twice may end the whole sign-in (RFC 9700 4.14), so everything here avoids that.
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from 'express'
import { ClientError, refreshTokenGrant } from 'openid-client'
import { createSingleFlight, takeLease } from '../records/lease.ts'
import { StoreUnavailable, type Records } from '../records/records.ts'
import { hashOf } from '../records/seal.ts'
import { SessionChanged } from '../session/session-store.ts'
import { endSession, reloadSession, saveSession } from '../session/session.ts'
import { signedInOf, whoIsSignedIn, type SignedIn, type Tokens } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import type { Audit } from '../web/audit.ts'
import { warnOnce, type Log } from '../web/log.ts'
import { TooSlow, within } from '../within.ts'
import {
  describeErrorResponse,
  isRefreshTokenRefused,
  errorResponseProblem,
  signInUnavailable,
} from './server/error-response.ts'
import { adminGroupsIn } from './claims.ts'
import { isRecentSignIn } from './require-sign-in.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { revoke } from './sign-out/revoke.ts'
import { tokenParameters, tokensFrom } from './tokens.ts'

/**
 * @param isStillGood the access token is, so this one does while another process refreshes
 * @returns undefined when the authorization server took the sign-in back, or it was ended here meanwhile
 * @throws {Problem} for anything else that goes wrong; it leaves the sign-in as it is
 */
export type Refresh = (req: Request, isStillGood: boolean) => Promise<SignedIn | undefined>

/** Not renewed: a process that is frozen must not lose it while the token endpoint still thinks (30 s at most). */
const LEASE_SECONDS = 40
/** What is left of the lease when the last try to save begins. */
const MARGIN_MS = 3_000
const MAX_WAIT_MS = 5_000
const LOOK_EVERY_MS = 200

const OVER =
  "refresh: the id_token that came with new tokens is past its time, so the person's groups stay as they were. Is this machine's clock right? Otherwise the authorization server sends the one of the sign-in again"

/** `groups`: of ADMIN_GROUPS, where a new id_token says them. */
type Renewed = { tokens: Tokens; groups: string[] | undefined }

type Needs = {
  settings: Settings
  records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>
  authorizationServer: AuthorizationServer
  log: Pick<Log, 'debug' | 'warn'>
  audit: Audit
  now: () => number
}

export function createRefresh(needs: Needs): Refresh {
  const { settings, records, authorizationServer, log, audit, now } = needs
  const once = createSingleFlight<void>()
  const warn = warnOnce(log)

  /** @returns undefined when the authorization server says that the grant is over; @throws {Problem} for everything else */
  async function redeemed({ user, tokens, signedInAt }: SignedIn): Promise<Renewed | undefined> {
    if (tokens.refreshToken === undefined) return undefined
    const configuration = await authorizationServer.refreshConfiguration()
    try {
      const answer = await refreshTokenGrant(configuration, tokens.refreshToken, tokenParameters(settings))
      // The library accepts an id_token about another person here (OpenID Connect Core 12.2): then nothing of it counts.
      const claims = answer.claims()
      const isOver = claims !== undefined && claims.exp * 1000 < now()
      warn(isOver ? OVER : undefined)
      const groups = adminGroupsIn(claims === undefined || isOver ? [] : [claims], settings)
      if (claims === undefined || claims.sub === user.subject)
        return { tokens: tokensFrom(answer, now(), tokens), groups }
      log.debug({}, 'refresh: the new id_token is about another person, so the sign-in ends')
      return undefined
    } catch (error) {
      const isEarly = tokens.expiresAt !== undefined && now() < tokens.expiresAt
      if (isRefreshTokenRefused(error, { isFresh: isRecentSignIn(signedInAt, now()), isEarly })) {
        log.debug(
          {},
          `refresh: the authorization server says ${describeErrorResponse(error)}, so the sign-in ends`,
        )
        return undefined
      }
      // An id_token of another issuer or for another client: like one about another person.
      if (error instanceof ClientError && error.code?.startsWith('OAUTH_JWT_')) {
        log.warn(
          { err: error },
          'refresh: the new id_token has another issuer or audience, so the sign-in ends',
        )
        return undefined
      }
      const problem = errorResponseProblem(error)
      throw problem.code === 'sign_in_failed' ? signInUnavailable(problem.detail, error) : problem
    }
  }

  /** Retries while the lease lasts: the stored refresh token is used up. @param session as read for this refresh */
  async function saved(req: Request, session: Request['session'], renewed: Renewed, until: number) {
    const { tokens, groups } = renewed
    session.tokens = tokens
    if (groups !== undefined && session.user !== undefined) session.user = { ...session.user, groups }
    for (;;)
      try {
        return await saveSession(session)
      } catch (error) {
        if (error instanceof SessionChanged) {
          // By an earlier try, whose answer was lost; or it was signed out meanwhile, with the tokens that were known then.
          if ((await reloadSession(req)) === undefined)
            void revoke(await authorizationServer.refreshConfiguration(), tokens)
          return
        }
        if (!(error instanceof StoreUnavailable) || now() > until) throw error
        await pause(LOOK_EVERY_MS)
      }
  }

  /** @param issuedAt of the tokens that the session had when the request came */
  async function redeemOnce(req: Request, issuedAt: number, release: () => Promise<void>): Promise<void> {
    const until = now() + LEASE_SECONDS * 1000 - MARGIN_MS
    let saving: Promise<void> | undefined
    try {
      const current = await reloadSession(req)
      if (current?.tokens.issuedAt !== issuedAt) return
      const { session } = req
      const renewed = await redeemed(current)
      audit({ event: 'refresh', result: renewed === undefined ? 'ended' : 'ok' })
      if (renewed === undefined) {
        // `invalid_grant` to one who was too late must not sign out the one who was in time. Where the store doesn't hear
        // of the end, the next request finds out anew.
        if ((await reloadSession(req))?.tokens.issuedAt === issuedAt) await endSession(req).catch(() => {})
        return
      }
      saving = saved(req, session, renewed, until)
      saving.catch((error: unknown) => log.warn({ err: error }, 'refreshed tokens could not be stored'))
      await within(MAX_WAIT_MS, saving).catch((error: unknown) => {
        throw error instanceof TooSlow
          ? signInUnavailable('the store takes too long to answer', error)
          : error
      })
    } finally {
      if (saving === undefined) await release()
      else void saving.then(release, release)
    }
  }

  async function refreshOverProcesses(req: Request, isStillGood: boolean): Promise<void> {
    const { id, tokens } = whoIsSignedIn(req)
    for (const until = now() + MAX_WAIT_MS; now() < until; await pause(LOOK_EVERY_MS)) {
      const lease = await takeLease(records, `refresh:${hashOf(id)}`, LEASE_SECONDS)
      if (lease !== undefined) return await redeemOnce(req, tokens.issuedAt, () => lease.release())
      if (isStillGood) return
      const current = await reloadSession(req)
      if (current?.tokens.issuedAt !== tokens.issuedAt) return
    }
    throw signInUnavailable('another process refreshes the tokens and does not finish')
  }

  return async (req, isStillGood) => {
    const { id, tokens } = whoIsSignedIn(req)
    let isMine = false
    await once(`${id} ${tokens.issuedAt} ${isStillGood}`, () => {
      isMine = true
      return refreshOverProcesses(req, isStillGood)
    })
    return isMine ? signedInOf(req) : await reloadSession(req)
  }
}
