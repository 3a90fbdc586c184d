// Refreshes tokens once, even if many requests, tabs and processes find them expired, because using a refresh token
// twice may end the whole sign-in (RFC 9700 4.14). So one request of one process redeems it, under a lease.
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from 'express'
import { ClientError, refreshTokenGrant } from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import { takeLease } from '../records/lease.ts'
import { createSingleFlight } from '../single-flight.ts'
import { Problem } from '../problem.ts'
import { StoreUnavailable, type Records } from '../records/records.ts'
import { hashOf } from '../records/seal.ts'
import { SessionChanged } from '../session/session-store.ts'
import { endSession, reloadSession, saveSession } from '../session/session.ts'
import { findSignedIn, requireSignedIn, type SignedIn, type Tokens } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import type { Audit } from '../web/audit.ts'
import { warnOnce, type Log } from '../web/log.ts'
import { TimedOut, withTimeout } from '../with-timeout.ts'
import { adminGroupsIn } from './claims.ts'
import { isRecentSignIn, SignInAgain } from './require-sign-in.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import {
  describeErrorResponse,
  errorResponseProblem,
  isRefreshTokenRefused,
  signInUnavailable,
} from './server/error-response.ts'
import { revoke } from './sign-out/revoke.ts'
import { tokensFrom } from './tokens.ts'

/** Longer than a token request (30 s), saving and a failover of the store. Not renewed, in case the process freezes. */
const LEASE_SECONDS = 40
const MAX_WAIT_MS = 5_000
const RETRY_MS = 200

const EXPIRED_ID_TOKEN =
  "refresh: the refreshed id_token has expired, so the person's groups stay unchanged. Check this machine's clock; if it is right, the authorization server resends the id_token of the sign-in"

/** `groups`: groups of ADMIN_GROUPS, if a new id_token has the claim. */
type RefreshResult = { tokens: Tokens; groups: string[] | undefined }

/** Errors of OpenID Connect Core 3.1.2.6, which Microsoft Entra also sends at a refresh. */
const NEEDS_PERSON = /^(interaction|login|consent|account_selection)_required\b/

export class TokenRefresh {
  readonly #deps
  readonly #once = createSingleFlight<void>()
  readonly #warn: (message: string | undefined) => void

  constructor(deps: {
    settings: Settings
    records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>
    authorizationServer: AuthorizationServer
    log: Pick<Log, 'debug' | 'warn'>
    audit: Audit
    now: () => number
  }) {
    this.#deps = deps
    this.#warn = warnOnce(deps.log)
  }

  /**
   * @param isStillValid true if the access token is valid: don't wait for a refresh by another process
   * @returns undefined if the authorization server ended the sign-in, or it was ended here meanwhile
   * @throws {Problem} for any other failure, after which the sign-in continues
   */
  async refresh(req: Request, isStillValid: boolean): Promise<SignedIn | undefined> {
    const { id, tokens } = requireSignedIn(req)
    let isOwn = false
    await this.#once(`${id} ${tokens.issuedAt} ${isStillValid}`, () => {
      isOwn = true
      return this.#refreshUnderLease(req, isStillValid)
    })
    return isOwn ? findSignedIn(req) : await reloadSession(req)
  }

  async #refreshUnderLease(req: Request, isStillValid: boolean): Promise<void> {
    const { records, now } = this.#deps
    const { id, tokens } = requireSignedIn(req)
    for (const until = now() + MAX_WAIT_MS; now() < until; await pause(RETRY_MS)) {
      const lease = await takeLease(records, `refresh:${hashOf(id)}`, LEASE_SECONDS)
      if (lease !== undefined) return await this.#redeemAndSave(req, tokens.issuedAt, () => lease.release())
      if (isStillValid) return
      const current = await reloadSession(req)
      if (current?.tokens.issuedAt !== tokens.issuedAt) return
    }
    throw signInUnavailable('timed out waiting for another process to refresh the tokens')
  }

  async #redeemAndSave(req: Request, issuedAt: number, release: () => Promise<void>): Promise<void> {
    const { log, audit, now } = this.#deps
    // The last attempt to save begins three seconds before the lease ends.
    const until = now() + (LEASE_SECONDS - 3) * 1000
    let saving: Promise<void> | undefined
    try {
      const current = await reloadSession(req)
      if (current?.tokens.issuedAt !== issuedAt) return
      const { session } = req
      const refreshed = await this.#redeem(req, current)
      audit({ event: 'refresh', result: refreshed === undefined ? 'ended' : 'ok' })
      if (refreshed === undefined) {
        // The second of two requests gets invalid_grant, and must not sign out the first.
        if ((await reloadSession(req))?.tokens.issuedAt === issuedAt) await endSession(req).catch(() => {})
        return
      }
      saving = this.#save(req, session, refreshed, until)
      saving.catch((error: unknown) => log.warn({ err: error }, 'could not store refreshed tokens'))
      await withTimeout(MAX_WAIT_MS, saving).catch((error: unknown) => {
        if (!(error instanceof TimedOut)) throw error
        throw signInUnavailable('the store timed out', error)
      })
    } finally {
      if (saving === undefined) await release()
      else void saving.then(release, release)
    }
  }

  /** @returns undefined if the grant has ended @throws {Problem} */
  async #redeem(req: Request, { user, tokens, signedInAt }: SignedIn): Promise<RefreshResult | undefined> {
    const { settings, authorizationServer, log, now } = this.#deps
    if (tokens.refreshToken === undefined) return undefined
    const configuration = await authorizationServer.refreshConfiguration()
    // Another authorization server must not get this refresh token.
    if (configuration.serverMetadata().issuer !== user.issuer) {
      log.debug({ reason: 'other-issuer' }, 'refresh: end of the sign-in')
      return undefined
    }
    try {
      const resource = omitUndefined({ resource: settings.OIDC_RESOURCE })
      const response = await refreshTokenGrant(configuration, tokens.refreshToken, resource)
      const claims = response.claims()
      const isExpired = claims !== undefined && claims.exp * 1000 < now()
      this.#warn(isExpired ? EXPIRED_ID_TOKEN : undefined)
      const groups = adminGroupsIn(claims === undefined || isExpired ? [] : [claims], settings)
      // OpenID Connect Core 12.2: the sub must be the same, which the library doesn't check.
      if (claims === undefined || claims.sub === user.subject)
        return { tokens: { ...tokensFrom(response, now(), tokens), isExternal: tokens.isExternal }, groups }
      log.warn({}, 'refresh: the new id_token has another sub, so the sign-in ends')
      return undefined
    } catch (error) {
      const isEarly = tokens.expiresAt !== undefined && now() < tokens.expiresAt
      if (isRefreshTokenRefused(error, { isRecent: isRecentSignIn(signedInAt, now()), isEarly })) {
        log.debug({ reason: describeErrorResponse(error) }, 'refresh: end of the sign-in')
        return undefined
      }
      if (error instanceof ClientError && error.code?.startsWith('OAUTH_JWT_')) {
        log.warn(
          { err: error },
          'refresh: the new id_token has another issuer or audience, so the sign-in ends',
        )
        return undefined
      }
      const reason = describeErrorResponse(error)
      // Right after a sign-in, the next one may end the same way, so the person decides.
      if (NEEDS_PERSON.test(reason))
        throw new Problem(400, 'sign_in_ended', {
          detail: `refresh: ${reason}`,
          cause: error,
          ...omitUndefined({ tryAgain: new SignInAgain(req).tryAgain }),
        })
      const problem = errorResponseProblem(error)
      throw problem.code === 'sign_in_failed' ? signInUnavailable(problem.detail, error) : problem
    }
  }

  /** Retries during the lease, because the stored refresh token is used up. @param session as read for this refresh */
  async #save(req: Request, session: Request['session'], refreshed: RefreshResult, until: number) {
    const { tokens, groups } = refreshed
    session.tokens = tokens
    if (groups !== undefined && session.user !== undefined) session.user = { ...session.user, groups }
    for (;;)
      try {
        return await saveSession(session)
      } catch (error) {
        if (error instanceof SessionChanged) {
          // Either an earlier attempt succeeded without a reply, or the person signed out with the old tokens.
          if ((await reloadSession(req)) === undefined)
            void revoke(await this.#deps.authorizationServer.refreshConfiguration(), tokens)
          return
        }
        if (!(error instanceof StoreUnavailable) || this.#deps.now() > until) throw error
        await pause(RETRY_MS)
      }
  }
}
