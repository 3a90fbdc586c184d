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
import { withTimeout } from '../with-timeout.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import type { TokenRefresh } from './refresh.ts'
import { isRecentSignIn, SignInAgain } from './require-sign-in.ts'
import { expiryOf } from './tokens.ts'

const MAX_EARLY_WAIT_MS = 1_000

/** Concurrent pages per person, so that one person can't use all connections to a slow service. */
const MAX_PAGES = 8
const MAX_QUEUED = 200
/**
 * The memory and time that a page takes grow with its apps, so each counts as many as recent lists had on average, but
 * at least MIN_APPS: 128 pages are under way at once, or ten with a thousand apps.
 */
const MAX_APPS_UNDER_WAY = 10_240
const MIN_APPS = 80
/** Until a process knows lists, because the first of a crowd may have many apps. */
const FIRST_AVERAGE = 320
/** The share of the newest list in the average. */
const NEWEST_SHARE = 1 / 8
const MAX_WAIT_MS = 15_000
/**
 * For pages that another site opens: half of those under way. A proxy may hide that their browsers have gone, so once
 * `crowd` pages of all people wait, each person has few. Links and sign-ins are among them.
 */
const OTHER_SITES = { ofPerson: 20, crowd: 500, ofPersonInCrowd: 2 }

type Call<T> = (credentials: Credentials) => Promise<T>

const noTurn = () =>
  new Problem(503, 'service_busy', {
    detail: `the page had no turn within ${MAX_WAIT_MS / 1000} s (docs/operations.md, "Sizing")`,
    retryAfter: 5,
  })

/** Runs work, as much at once as its weights allow. Serves people with queued work in rotation. */
class Turns {
  readonly #max: number
  readonly #weigh: () => number
  #running = 0
  /** Queued work by person, in order. The first person's is next. */
  readonly #queued = new Map<string, Set<() => void>>()
  /** Queued and running work. */
  size = 0

  /** @param max the weight of all running work, which the last one may exceed */
  constructor(max: number, weigh: () => number) {
    this.#max = max
    this.#weigh = weigh
  }

  /** @param signal ends the wait, with its reason @throws {Problem} service_busy if the wait is too long */
  async run<T>(person: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.size++
    try {
      const weight = this.#running < this.#max ? this.#begin() : await this.#enqueue(person, signal)
      try {
        return await work()
      } finally {
        this.#running -= weight
        this.#startNext()
      }
    } finally {
      this.size--
    }
  }

  #begin(): number {
    const weight = this.#weigh()
    this.#running += weight
    return weight
  }

  #enqueue(person: string, signal: AbortSignal | undefined): Promise<number> {
    const { promise: started, resolve, reject } = Promise.withResolvers<number>()
    const turns = this.#queued.get(person) ?? new Set()
    const leave = (reason: Error) => {
      clearTimeout(timer)
      if (!turns.delete(start)) return
      if (turns.size === 0) this.#queued.delete(person)
      reject(reason)
    }
    const timer = setTimeout(() => leave(noTurn()), MAX_WAIT_MS)
    const start = () => {
      clearTimeout(timer)
      resolve(this.#begin())
    }
    this.#queued.set(person, turns.add(start))
    signal?.addEventListener('abort', () => leave(signal.reason as Error))
    return started
  }

  #startNext(): void {
    while (this.#running < this.#max) {
      const [[person, turns = new Set<() => void>()] = []] = this.#queued
      const [start] = turns
      if (person === undefined || start === undefined) return
      turns.delete(start)
      // The person's next turn comes after one of everyone else's.
      this.#queued.delete(person)
      if (turns.size > 0) this.#queued.set(person, turns)
      start()
    }
  }
}

/** Each method throws {Problem}; {SignInAgain} if only a new sign-in can help. */
export class ServiceForPerson {
  readonly #deps
  /** Queued and running pages by person and kind of page. */
  readonly #pending = new Map<string, { turns: Turns; count: number }>()
  #averageApps = FIRST_AVERAGE
  readonly #weigh = () => Math.max(MIN_APPS, this.#averageApps)
  readonly #all = new Turns(MAX_APPS_UNDER_WAY, this.#weigh)
  readonly #forOtherSites = new Turns(MAX_APPS_UNDER_WAY / 2, this.#weigh)

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
   * Runs the work of a page in turn. The work should itself read what it needs, so that a waiting page holds nothing.
   * @param options.signal aborts when no one waits for the page
   * @param options.isForOtherSite another site opened the page
   */
  async inTurn<T>(
    req: Request,
    { signal, isForOtherSite = false }: { signal?: AbortSignal | undefined; isForOtherSite?: boolean },
    work: () => Promise<T>,
  ): Promise<T> {
    const { user } = requireSignedIn(req)
    const key = `${isForOtherSite} ${personKey(user)}`
    const newTurns = () => (isForOtherSite ? this.#forOtherSites : new Turns(MAX_PAGES, () => 1))
    const pending = this.#pending.get(key) ?? { turns: newTurns(), count: 0 }
    const isCrowd = this.#forOtherSites.size >= OTHER_SITES.crowd
    const maxForOtherSites = isCrowd ? OTHER_SITES.ofPersonInCrowd : OTHER_SITES.ofPerson
    if (pending.count >= (isForOtherSite ? maxForOtherSites : MAX_PAGES + MAX_QUEUED)) {
      this.#deps.audit({ event: 'limited', what: 'person', user })
      throw new Problem(429, 'too_many_requests', { retryAfter: 10 })
    }
    pending.count++
    this.#pending.set(key, pending)
    try {
      return await pending.turns.run(key, () => this.#all.run(key, work, signal), signal)
    } finally {
      if (--pending.count === 0) this.#pending.delete(key)
    }
  }

  /**
   * The person's unconnected apps (contract 4.1), in the company's order, without the hidden ones. Always passes
   * final_redirect_url, so that any returned link comes back to us.
   * @param signal aborts when no one waits for the result
   */
  async check(req: Request, finalRedirectUrl = this.#deps.callbackUrl, signal?: AbortSignal) {
    const { serviceClient, company, onCheck } = this.#deps
    const apps = await this.#callWithTokens(req, (credentials) =>
      serviceClient.checkDatasourceAuth(credentials, finalRedirectUrl, signal),
    )
    this.#averageApps += (apps.length - this.#averageApps) * NEWEST_SHARE
    const visible = company.listed(apps)
    onCheck?.(visible)
    return visible
  }

  /** Contract 4.2. */
  search(req: Request, query: { query: string; pageSize: number }, signal?: AbortSignal) {
    return this.inTurn(req, { signal }, () =>
      this.#callWithTokens(req, (credentials) => this.#deps.serviceClient.search(credentials, query, signal)),
    )
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
