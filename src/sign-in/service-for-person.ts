// Calls the service as the signed-in person, a few pages at a time. The access token is refreshed before it expires,
// and once more if the service rejects it.
import type { Request } from 'express'
import type { ServiceClient } from '../client-api/client.ts'
import type { Credentials } from '../client-api/credentials.ts'
import { AccessTokenRejected } from '../client-api/errors.ts'
import type { ListedApp } from '../client-api/responses.ts'
import type { Company } from '../company/company.ts'
import { Problem } from '../problem.ts'
import { endSession } from '../session/session.ts'
import { personKey, findSignedIn, requireSignedIn, type Tokens } from '../session/signed-in.ts'
import type { Audit } from '../web/audit.ts'
import { Turns } from '../turns.ts'
import { withTimeout } from '../with-timeout.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import type { TokenRefresh } from './refresh.ts'
import { isRecentSignIn, SignInAgain } from './require-sign-in.ts'
import { expiryOf } from './tokens.ts'

const MAX_EARLY_WAIT_MS = 1_000

/** Concurrent pages of one person, so that one person can't use all connections to a slow service. */
const MAX_PAGES = 8
const MAX_QUEUED = 200
/** Pages of all people that check at once. The service client has a connection for each (`MAX_CONNECTIONS`). */
const OWN_PAGES = { all: 128, ofPerson: MAX_PAGES, waitMs: 10_000 }
/** The widget gives up after this wait. */
const WIDGETS = { all: 64, ofPerson: 2, waitMs: 5_000 }
/**
 * Half as many turns as own pages, for pages that another site opens. Above `crowdSize` pages, each person has only
 * `ofPersonInCrowd`, because a proxy may hide that the browsers have gone.
 */
const OTHER_SITES = { pages: 64, ofPerson: 20, crowdSize: 500, ofPersonInCrowd: 2 }

/**
 * Pages with long lists do their work a few at a time, because each takes tens of milliseconds, and the store's
 * connection would time out behind a hundred of them.
 */
const LONG_LIST = 100
const MAX_LONG_LISTS = 4

/** Each method throws {Problem}; {SignInAgain} if only a new sign-in can help. */
export class ServiceForPerson {
  readonly #deps
  readonly #ownPages = new Turns(OWN_PAGES)
  readonly #widgets = new Turns(WIDGETS)
  readonly #forOtherSites = new Turns({ all: OTHER_SITES.pages, ofPerson: OTHER_SITES.ofPerson })
  /** Pages that wait for tokens, which take no turn, but are counted. */
  readonly #tokenWaits = new Turns({ all: Infinity, ofPerson: Infinity })
  readonly #withLongLists = new Turns({ all: MAX_LONG_LISTS, ofPerson: MAX_LONG_LISTS })
  /** The end of each page's turn. */
  readonly #ends = new WeakMap<Request, Promise<void>>()

  constructor(deps: {
    serviceClient: Pick<ServiceClient, 'checkDatasourceAuth' | 'search'>
    tokenRefresh: Pick<TokenRefresh, 'refresh'>
    /** TOKEN_ISSUED_BY is external-idp. */
    isExternalIdp: boolean
    /** If absent, all sign-ins count as made at OIDC_ISSUER. */
    authorizationServer?: Pick<AuthorizationServer, 'isIssuerOf'>
    /** The default final_redirect_url of a check. */
    callbackUrl: string
    company: Pick<Company, 'shownApps'>
    /** Called with the apps of every check. */
    onCheck?: (apps: ListedApp[]) => void
    audit: Audit
    now: () => number
  }) {
    this.#deps = deps
  }

  /**
   * Runs the work of a page in turn, and once more with new tokens if the service rejects the access token. The work
   * should itself read what it needs, so that a waiting page holds nothing. A refresh takes no turn, because a hanging
   * token endpoint shouldn't delay people whose tokens are valid.
   * @param options.signal aborts when no one waits for the page
   * @param options.kind `otherSite`: another site opened the page
   */
  async inTurn<T>(
    req: Request,
    { signal, kind = 'own' }: { signal?: AbortSignal | undefined; kind?: 'own' | 'otherSite' | 'widget' },
    work: () => Promise<T>,
  ): Promise<T> {
    const { user } = requireSignedIn(req)
    const person = personKey(user)
    const turns = { own: this.#ownPages, otherSite: this.#forOtherSites, widget: this.#widgets }[kind]
    const isCrowd = turns.size + this.#tokenWaits.size >= OTHER_SITES.crowdSize
    const maxForOtherSites = isCrowd ? OTHER_SITES.ofPersonInCrowd : OTHER_SITES.ofPerson
    const count = turns.countOf(person) + this.#tokenWaits.countOf(person)
    if (count >= (kind === 'own' ? MAX_PAGES + MAX_QUEUED : maxForOtherSites)) {
      this.#deps.audit({ event: 'limited', what: 'person', user })
      throw new Problem(429, 'too_many_requests', { retryAfter: 10 })
    }
    const runWith = async (getTokens: () => Promise<unknown>) => {
      await this.#tokenWaits.run(person, getTokens)
      // The session may have ended during an early refresh.
      if (findSignedIn(req) === undefined) throw new SignInAgain(req)
      const { promise: end, resolve } = Promise.withResolvers<void>()
      this.#ends.set(req, end)
      return await turns.run(person, work, signal).finally(resolve)
    }
    try {
      return await runWith(() => this.#ensureUsableTokens(req))
    } catch (error) {
      if (!(error instanceof AccessTokenRejected)) throw error
      if (findSignedIn(req)?.tokens.refreshToken === undefined) return await this.#giveUp(req, error)
    }
    return await runWith(() => this.#refreshTokens(req)).catch((error: unknown) => {
      if (error instanceof AccessTokenRejected) return this.#giveUp(req, error)
      throw error
    })
  }

  /**
   * The person's unconnected apps (contract 4.1), in the company's order, without the hidden ones. Always passes
   * final_redirect_url, so that any returned link comes back to us. Call it in turn (`inTurn`).
   * @param signal aborts when no one waits for the result
   */
  async checkDatasourceAuth(req: Request, finalRedirectUrl = this.#deps.callbackUrl, signal?: AbortSignal) {
    const { serviceClient, company, onCheck } = this.#deps
    const apps = await this.#call(req, (credentials) =>
      serviceClient.checkDatasourceAuth(credentials, finalRedirectUrl, signal),
    )
    const visible = company.shownApps(apps)
    onCheck?.(visible)
    if (apps.length > LONG_LIST) await this.#turnForLongList(req)
    return visible
  }

  /** Resolves once the page may go on. Its turn lasts until the page ends. */
  #turnForLongList(req: Request): Promise<void> {
    const person = personKey(requireSignedIn(req).user)
    return new Promise((resolve) => {
      const untilEnd = async () => {
        resolve()
        await this.#ends.get(req)
      }
      void this.#withLongLists.run(person, untilEnd)
    })
  }

  /** Searches as the person (contract 4.2), in a turn of its own. */
  search(req: Request, searchRequest: { query: string; pageSize: number }, signal?: AbortSignal) {
    return this.inTurn(req, { signal }, () =>
      this.#call(req, (credentials) => this.#deps.serviceClient.search(credentials, searchRequest, signal)),
    )
  }

  /** Call it in turn. @throws {AccessTokenRejected}, which ends the turn; another one begins with new tokens */
  #call<T>(req: Request, call: (credentials: Credentials) => Promise<T>): Promise<T> {
    const { authorizationServer, isExternalIdp } = this.#deps
    const { user, tokens } = requireSignedIn(req)
    const isCurrentIssuer = authorizationServer?.isIssuerOf(user) !== false
    return call({
      kind: 'oauth',
      accessToken: tokens.accessToken,
      isExternalIdp: isCurrentIssuer ? isExternalIdp : (tokens.isExternal ?? isExternalIdp),
    })
  }

  async #ensureUsableTokens(req: Request): Promise<Tokens> {
    const { tokens } = requireSignedIn(req)
    const expiry = expiryOf(tokens, this.#deps.now())
    if (expiry === 'expired') return await this.#refreshTokens(req)
    if (expiry === 'fresh' || tokens.refreshToken === undefined) return tokens
    // The token is still valid, so no page waits long for an early refresh, which continues and saves its tokens.
    return await withTimeout(MAX_EARLY_WAIT_MS, this.#refreshTokens(req, true)).catch((error: unknown) => {
      if (error instanceof SignInAgain) throw error
      return tokens
    })
  }

  async #refreshTokens(req: Request, isStillValid = false): Promise<Tokens> {
    const signedIn = await this.#deps.tokenRefresh.refresh(req, isStillValid)
    if (signedIn === undefined) throw new SignInAgain(req)
    return signedIn.tokens
  }

  async #giveUp(req: Request, rejection: AccessTokenRejected): Promise<never> {
    const signedIn = findSignedIn(req)
    const again = new SignInAgain(req, rejection)
    if (signedIn !== undefined && isRecentSignIn(signedIn.signedInAt, this.#deps.now()))
      throw Object.assign(rejection, { tryAgain: again.tryAgain })
    if (signedIn !== undefined) await endSession(req)
    throw again
  }
}
