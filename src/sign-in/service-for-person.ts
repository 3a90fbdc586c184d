// Calls the service as the signed-in person, a few calls at a time. The access token is refreshed before it expires,
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
import { withTimeout } from '../with-timeout.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import type { TokenRefresh } from './refresh.ts'
import { isRecentSignIn, SignInAgain } from './require-sign-in.ts'
import { expiryOf } from './tokens.ts'

const MAX_EARLY_WAIT_MS = 1_000

/** Concurrent calls per person, so that one person can't use all connections to a slow service. */
const MAX_CALLS = 8
const MAX_QUEUED = 200
/**
 * For pages that another site opens: `calls` at once, which are half of the connections. A proxy may hide that their
 * browsers have gone, so once `crowd` calls of all people wait, each person has few. Links and sign-ins are among them.
 */
const OTHER_SITES = { calls: 64, ofPerson: 20, crowd: 500, ofPersonInCrowd: 2 }

type Call<T> = (credentials: Credentials) => Promise<T>

/** Runs calls, a few at once. Serves people with queued calls in rotation. */
class CallQueue {
  readonly #maxRunning: number
  #running = 0
  /** Queued calls by person, in order. The first person's call is next. */
  readonly #queued = new Map<string, Set<() => void>>()
  /** Queued and running calls. */
  size = 0

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  async run<T>(person: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.size++
    try {
      if (this.#running < this.#maxRunning) this.#running++
      else await this.#enqueue(person, signal)
      try {
        return await work()
      } finally {
        this.#running--
        this.#startNext()
      }
    } finally {
      this.size--
    }
  }

  #enqueue(person: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise: started, resolve: start, reject } = Promise.withResolvers<void>()
    const calls = this.#queued.get(person) ?? new Set()
    this.#queued.set(person, calls.add(start))
    signal?.addEventListener('abort', () => {
      if (!calls.delete(start)) return
      if (calls.size === 0) this.#queued.delete(person)
      reject(signal.reason as Error)
    })
    return started
  }

  #startNext(): void {
    const [[person, calls = new Set<() => void>()] = []] = this.#queued
    const [start] = calls
    if (person === undefined || start === undefined) return
    calls.delete(start)
    // The person's next call comes after one of everyone else's.
    this.#queued.delete(person)
    if (calls.size > 0) this.#queued.set(person, calls)
    this.#running++
    start()
  }
}

type CallOptions = { signal?: AbortSignal | undefined; isForOtherSite?: boolean }

/** Each method throws {Problem}; {SignInAgain} if only a new sign-in can help. */
export class ServiceForPerson {
  readonly #deps
  /** Queued and running calls by person and kind of page. */
  readonly #pending = new Map<string, { queue: CallQueue; count: number }>()
  readonly #forOtherSites = new CallQueue(OTHER_SITES.calls)

  constructor(deps: {
    serviceClient: Pick<ServiceClient, 'checkDatasourceAuth' | 'search'>
    tokenRefresh: Pick<TokenRefresh, 'refresh'>
    /** TOKEN_ISSUED_BY is external-idp. */
    isExternalIdp: boolean
    /** If absent, all sign-ins count as made at OIDC_ISSUER. */
    authorizationServer?: Pick<AuthorizationServer, 'isIssuerOf'>
    /** The default final_redirect_url of a check. */
    callbackUrl: string
    company: Pick<Company, 'listed'>
    /** Called with the apps of every check. */
    onCheck?: (apps: ListedApp[]) => void
    audit: Audit
    now: () => number
  }) {
    this.#deps = deps
  }

  /**
   * The person's unconnected apps (contract 4.1), in the company's order, without the hidden ones. Always passes
   * final_redirect_url, so that any returned link comes back to us.
   * @param options.signal aborts when no one waits for the result
   * @param options.isForOtherSite another site opened the page
   */
  async check(req: Request, options: CallOptions & { finalRedirectUrl?: string } = {}) {
    const { serviceClient, company, onCheck, callbackUrl } = this.#deps
    const { finalRedirectUrl = callbackUrl, signal } = options
    const apps = await this.#queued(req, options, (credentials) =>
      serviceClient.checkDatasourceAuth(credentials, finalRedirectUrl, signal),
    )
    const visible = company.listed(apps)
    onCheck?.(visible)
    return visible
  }

  /** Contract 4.2. */
  search(req: Request, query: { query: string; pageSize: number }, signal?: AbortSignal) {
    return this.#queued(req, { signal }, (credentials) =>
      this.#deps.serviceClient.search(credentials, query, signal),
    )
  }

  async #queued<T>(req: Request, { signal, isForOtherSite = false }: CallOptions, call: Call<T>): Promise<T> {
    const { user } = requireSignedIn(req)
    const key = `${isForOtherSite} ${personKey(user)}`
    const newQueue = () => (isForOtherSite ? this.#forOtherSites : new CallQueue(MAX_CALLS))
    const pending = this.#pending.get(key) ?? { queue: newQueue(), count: 0 }
    const isCrowd = this.#forOtherSites.size >= OTHER_SITES.crowd
    const maxForOtherSites = isCrowd ? OTHER_SITES.ofPersonInCrowd : OTHER_SITES.ofPerson
    if (pending.count >= (isForOtherSite ? maxForOtherSites : MAX_CALLS + MAX_QUEUED)) {
      this.#deps.audit({ event: 'limited', what: 'person', user })
      throw new Problem(429, 'too_many_requests', { retryAfter: 10 })
    }
    pending.count++
    this.#pending.set(key, pending)
    try {
      return await pending.queue.run(key, () => this.#callWithTokens(req, call), signal)
    } finally {
      if (--pending.count === 0) this.#pending.delete(key)
    }
  }

  async #callWithTokens<T>(req: Request, call: Call<T>): Promise<T> {
    const { authorizationServer, isExternalIdp } = this.#deps
    const isOwn = authorizationServer?.isIssuerOf(requireSignedIn(req).user) !== false
    const callWith = ({ accessToken, isExternal }: Tokens) =>
      call({
        kind: 'oauth',
        accessToken,
        isExternalIdp: isOwn ? isExternalIdp : (isExternal ?? isExternalIdp),
      })
    const tokens = await this.#usableTokens(req)
    try {
      return await callWith(tokens)
    } catch (error) {
      if (!(error instanceof AccessTokenRejected)) throw error
      if (tokens.refreshToken === undefined) return await this.#giveUp(req, error)
    }
    const renewed = await this.#refreshed(req)
    return await callWith(renewed).catch((error: unknown) => {
      if (error instanceof AccessTokenRejected) return this.#giveUp(req, error)
      throw error
    })
  }

  async #usableTokens(req: Request): Promise<Tokens> {
    const { tokens } = requireSignedIn(req)
    const expiry = expiryOf(tokens, this.#deps.now())
    if (expiry === 'expired') return await this.#refreshed(req)
    if (expiry === 'fresh' || tokens.refreshToken === undefined) return tokens
    // The token is still valid, so no page waits long for an early refresh, which continues and saves its tokens.
    return await withTimeout(MAX_EARLY_WAIT_MS, this.#refreshed(req, true)).catch((error: unknown) => {
      if (error instanceof SignInAgain) throw error
      return tokens
    })
  }

  async #refreshed(req: Request, isStillValid = false): Promise<Tokens> {
    const signedIn = await this.#deps.tokenRefresh.refresh(req, isStillValid)
    if (signedIn === undefined) throw new SignInAgain(req)
    return signedIn.tokens
  }

  async #giveUp(req: Request, refusal: AccessTokenRejected): Promise<never> {
    const signedIn = findSignedIn(req)
    const again = new SignInAgain(req, refusal)
    if (signedIn !== undefined && isRecentSignIn(signedIn.signedInAt, this.#deps.now()))
      throw Object.assign(refusal, { tryAgain: again.tryAgain })
    if (signedIn !== undefined) await endSession(req)
    throw again
  }
}
