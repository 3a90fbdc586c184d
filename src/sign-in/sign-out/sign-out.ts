// Signs a person out: ends the session here, revokes the tokens, and sends the browser to the authorization server,
// which ends its own session (RP-Initiated Logout 1.0).
import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { buildEndSessionUrl, type Configuration } from 'openid-client'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Records } from '../../records/records.ts'
import { hashOf, sealedJson, type Sealer } from '../../records/seal.ts'
import { describeStoreError } from '../../records/store-error.ts'
import { cookieName, endSession, reloadSession } from '../../session/session.ts'
import { findSignedIn, type Tokens, type User } from '../../session/signed-in.ts'
import type { Audit } from '../../web/audit.ts'
import type { Log } from '../../web/log.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import { clientUrls } from '../server/client-urls.ts'
import { describeErrorResponse } from '../server/error-response.ts'
import type { BrowserCookie, BrowserCookies } from '../transaction/login-transaction.ts'
import { revoke } from './revoke.ts'

/**
 * Stored by browser cookie, not in a session, because another tab may sign in again at any time. `endSessionUrl` is
 * removed once the browser goes there; `state` proves that this browser signed out (RP-Initiated Logout 1.0 2).
 */
type PendingSignOut = { endSessionUrl?: string | undefined; state: string }

const PENDING_SECONDS = 600

export class SignOut {
  readonly #deps

  constructor(deps: {
    records: Pick<Records, 'get' | 'put'>
    sealer: Sealer
    cookies: BrowserCookies
    authorizationServer: AuthorizationServer
    publicUrl: string
    log: Pick<Log, 'warn'>
    audit: Audit
  }) {
    this.#deps = deps
  }

  /** @returns true if the browser has to continue to the authorization server @throws {StoreUnavailable} */
  async end(req: Request, res: Response): Promise<boolean> {
    const before = findSignedIn(req)
    const cookie = this.#forgetDevice(req, res)
    // The second request of a double click finds no session.
    if (before === undefined) return (await this.findPending(req)) !== undefined
    const configuration = await this.#configurationFor(before.user)
    const pending = configuration && this.#createPending(configuration, before.tokens.idToken)
    // The second request of a double click needs this, so it is saved first.
    const isSaved = pending !== undefined && (await this.#trySave(cookie, pending))
    // Another request may have refreshed the tokens meanwhile.
    const latest = await reloadSession(req)
    const [ended] = await Promise.allSettled(latest === undefined ? [] : [endSession(req)])
    const revoked = await this.#revokeTokens((latest ?? before).tokens, configuration)
    this.#deps.audit({ event: 'sign_out', by: 'person', revoked, user: before.user })
    if (ended?.status === 'rejected') throw ended.reason
    return isSaved
  }

  endOnDevice(req: Request, res: Response, error: Error): void {
    this.#deps.log.warn({ err: error }, `signed out on the device only: ${describeStoreError(error).message}`)
    delete (req as Partial<Request>).session
    this.#forgetDevice(req, res)
  }

  /** @returns the unfinished sign-out of this browser @throws {StoreUnavailable} */
  async findPending(req: Request): Promise<(PendingSignOut & { cookie: BrowserCookie }) | undefined> {
    const { records, sealer, cookies } = this.#deps
    const cookie = cookies.read(req)
    if (cookie === undefined) return undefined
    const pending = sealedJson<PendingSignOut>(sealer).open(
      await records.get(pendingSignOutKey(cookie)),
      cookie.id,
    )
    return pending && { ...pending, cookie }
  }

  async takeEndSessionUrl(req: Request): Promise<string | undefined> {
    const pending = await this.findPending(req)
    if (pending?.endSessionUrl === undefined) return undefined
    await this.#save(pending.cookie, { state: pending.state })
    return pending.endSessionUrl
  }

  /** Call it once the authorization server has ended its session: its next sign-in prompts anyway. */
  finish(req: Request, res: Response): void {
    this.#deps.cookies.markSignedOut(req, res, false)
  }

  /** Clears the session's cookie, with the same attributes, as __Host- cookies require (RFC 6265bis 4.1.3.2). */
  #forgetDevice(req: Request, res: Response): BrowserCookie {
    const secure = this.#deps.publicUrl.startsWith('https:')
    res.clearCookie(cookieName(secure), { path: '/', secure })
    return this.#deps.cookies.markSignedOut(req, res, true)
  }

  /** @returns undefined also for a sign-in at another authorization server, whose tokens this one must not get */
  async #configurationFor(user: User): Promise<Configuration | undefined> {
    const { authorizationServer, log } = this.#deps
    if (!authorizationServer.isReady()) return undefined
    const configuration = await authorizationServer.configuration().catch((error: unknown) => {
      log.warn({ err: error }, 'signed out here only: the authorization server cannot be reached')
      return undefined
    })
    return configuration?.serverMetadata().issuer === user.issuer ? configuration : undefined
  }

  #createPending(configuration: Configuration, idToken: string | undefined): PendingSignOut | undefined {
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    const back = clientUrls(this.#deps.publicUrl).postLogoutRedirectUri
    const { post_logout_redirect_uris: registered } = configuration.clientMetadata()
    // A server that didn't register the address would refuse the whole sign-out.
    const mayReturn = !Array.isArray(registered) || registered.includes(back)
    const state = randomBytes(16).toString('hex')
    const parameters = {
      ...omitUndefined({ id_token_hint: idToken }),
      ...(mayReturn && { post_logout_redirect_uri: back, state }),
    }
    return { endSessionUrl: buildEndSessionUrl(configuration, parameters).href, state }
  }

  /** @returns false if the store refuses: a full one still deletes, so the sign-out continues */
  async #trySave(cookie: BrowserCookie, pending: PendingSignOut): Promise<boolean> {
    try {
      await this.#save(cookie, pending)
      return true
    } catch (error) {
      this.#deps.log.warn({ err: error }, `signed out here only: ${describeStoreError(error).message}`)
      return false
    }
  }

  #save(cookie: BrowserCookie, pending: PendingSignOut): Promise<void> {
    const sealed = sealedJson(this.#deps.sealer).seal(pending, cookie.id)
    return this.#deps.records.put(pendingSignOutKey(cookie), sealed, PENDING_SECONDS)
  }

  async #revokeTokens(tokens: Tokens, configuration: Configuration | undefined) {
    if (configuration === undefined) return 'failed'
    const { revoked, cause } = await revoke(configuration, tokens)
    if (cause === undefined) return revoked
    const unrevoked = revoked === 'partly' ? 'one of the tokens' : 'the tokens'
    this.#deps.log.warn(
      { err: cause, revoked },
      `could not revoke ${unrevoked} at sign-out (${describeErrorResponse(cause)}): valid until expiry`,
    )
    return revoked
  }
}

const pendingSignOutKey = ({ id }: BrowserCookie) => `signing-out:${hashOf(id)}`
