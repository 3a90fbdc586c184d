// Keeps the authorization server's metadata and our client. Both are refreshed in the background every ten minutes,
// with growing pauses after failures, so onramp starts even if the server is down. Requests never register a client.
import type { ClientAuth, ClientMetadata, Configuration, ServerMetadata } from 'openid-client'
import { isProxyError, networkErrorOf } from '../../http/network-error.ts'
import { Problem } from '../../problem.ts'
import { createSingleFlight } from '../../single-flight.ts'
import type { Settings } from '../../settings/settings.ts'
import { measureCall, type OnCall } from '../../trace/measure-call.ts'
import { inSpan } from '../../trace/spans.ts'
import { warnOnce, type Log } from '../../web/log.ts'
import { createConfiguration } from './configuration.ts'
import { discoverMetadata } from './discovery.ts'
import { signInUnavailable } from './error-response.ts'

/** `renewAt`: just before the secret expires, milliseconds since 1970. The metadata's `scope` replaces OIDC_SCOPE. */
type AuthenticatedClient = { metadata: ClientMetadata; auth: ClientAuth; renewAt?: number }

/** @param mayRegister false in requests, which anyone can send @returns undefined if a registration is necessary */
export type FindClient = (
  server: ServerMetadata,
  mayRegister: boolean,
) => Promise<AuthenticatedClient | undefined>

const RENEW_EVERY_MS = 10 * 60 * 1000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000
const MAX_REFUSED_PAUSE_MS = 5 * 60_000
const MIN_PAUSE_MS = 100

/** Milliseconds to wait after `failures` in a row, at least as long as a refusal requests. */
function pauseAfter(error: unknown, failures: number): number {
  const growing = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20)
  const isRefused = error instanceof Problem && error.code === 'sign_in_misconfigured'
  if (!isRefused) return Math.min(growing, MAX_PAUSE_MS)
  return Math.max(Math.min(growing, MAX_REFUSED_PAUSE_MS), (error.retryAfter ?? 0) * 1000)
}

type DiscoveredServer = {
  server: ServerMetadata
  client: AuthenticatedClient
  configuration: Configuration
  forRefresh: Configuration
}

export class AuthorizationServer {
  readonly #deps
  readonly #discoverOnce = createSingleFlight<DiscoveredServer | undefined>()
  readonly #warn: (message: string | undefined, fields?: object) => void
  #discovered: DiscoveredServer | undefined
  #attempt: Promise<DiscoveredServer | undefined> | undefined
  #failure: unknown
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: {
    settings: Settings
    findClient: FindClient
    log: Log
    onCall: OnCall
    now: () => number
  }) {
    this.#deps = deps
    this.#warn = warnOnce(deps.log)
  }

  /** Discovers the server now if necessary. @throws {Problem} sign_in_unavailable, sign_in_misconfigured */
  async configuration(): Promise<Configuration> {
    return (await this.#ensureDiscovered()).configuration
  }

  async refreshConfiguration(): Promise<Configuration> {
    return (await this.#ensureDiscovered()).forRefresh
  }

  isReady(): boolean {
    return this.#discovered !== undefined
  }

  /** False for sign-ins at another authorization server, such as before a change of OIDC_ISSUER. */
  isIssuerOf({ issuer }: { issuer: string }): boolean {
    return this.#discovered === undefined || this.#discovered.server.issuer === issuer
  }

  isBlockedByProxy(): boolean {
    return isProxyError(networkErrorOf(this.#failure))
  }

  start(): void {
    if (this.#attempt !== undefined || this.#isClosed) return
    clearTimeout(this.#timer)
    this.#attempt = this.#discover(true).finally(() => (this.#attempt = undefined))
    this.#attempt.then(
      () => this.#onSuccess(),
      (error: unknown) => this.#onFailure(error),
    )
  }

  /** Makes the library fetch the signing keys again, which it keeps with the configuration. The metadata stays. */
  forgetKeys(): void {
    if (this.#discovered !== undefined) {
      const { server, client } = this.#discovered
      this.#discovered.configuration = createConfiguration(server, client, { onCall: this.#deps.onCall })
    }
    this.start()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #ensureDiscovered(): Promise<DiscoveredServer> {
    if (this.#discovered !== undefined) {
      if (this.#renewAt() > this.#deps.now()) return this.#discovered
      if (this.#failures === 0) this.start()
    }
    const attempt = this.#attempt ?? this.#discoverOnce('request', () => this.#discover(false))
    const discovered = await attempt.catch((error: unknown) => {
      throw this.#problem(error)
    })
    if (discovered !== undefined) return discovered
    if (this.#failure !== undefined) throw this.#problem(this.#failure)
    throw signInUnavailable('the client is not registered yet')
  }

  async #discover(mayRegister: boolean): Promise<DiscoveredServer | undefined> {
    const { settings, findClient, onCall } = this.#deps
    const { OIDC_ISSUER: issuer, OIDC_SCOPE: scope } = settings
    const { metadata: server, unused } = await measureCall(
      () => inSpan('GET discovery', { 'url.full': issuer }, () => discoverMetadata(issuer, scope)),
      (found, seconds) => onCall({ operation: 'discovery', status: found && 200, seconds }),
    )
    const names = unused.join(', ')
    if (names !== '') this.#warn(`endpoints without https in the metadata are ignored: ${names}`, { issuer })
    const client = await findClient(server, mayRegister)
    if (client === undefined) return undefined
    const configuration = createConfiguration(server, client, { onCall })
    const forRefresh = createConfiguration(server, client, { forRefresh: true, onCall })
    this.#discovered = { server, client, configuration, forRefresh }
    return this.#discovered
  }

  #renewAt(): number {
    return this.#discovered?.client.renewAt ?? Infinity
  }

  #onSuccess(): void {
    const { settings, log, now } = this.#deps
    if (this.#failures > 0)
      log.info({ issuer: settings.OIDC_ISSUER }, 'the authorization server is reachable again')
    this.#failures = 0
    this.#failure = undefined
    this.#startIn(Math.min(RENEW_EVERY_MS, this.#renewAt() - now()))
  }

  #onFailure(error: unknown): void {
    const { detail } = this.#problem(error)
    if (this.#failure === undefined || this.#problem(this.#failure).detail !== detail)
      this.#deps.log.warn({ err: error, issuer: this.#deps.settings.OIDC_ISSUER }, detail)
    this.#failure = error
    this.#failures++
    this.#startIn(pauseAfter(error, this.#failures))
  }

  #startIn(milliseconds: number): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => this.start(), Math.max(milliseconds, MIN_PAUSE_MS))
    this.#timer.unref()
  }

  #problem(error: unknown): Problem {
    if (error instanceof Problem) return error
    return signInUnavailable(`${this.#deps.settings.OIDC_ISSUER} cannot be used: see OIDC_ISSUER`, error)
  }
}
