// What is known of the authorization server and of our client there: found in the background, again every ten minutes, and
// later and later while that fails, so that onramp starts while the server is down. A request joins an attempt that is
// under way, or looks once itself; it never registers a client.
import type { Configuration, ServerMetadata } from 'openid-client'
import { isProxyError, networkErrorOf } from '../../http/network-error.ts'
import { Problem } from '../../problem.ts'
import { createSingleFlight } from '../../records/lease.ts'
import type { Settings } from '../../settings/settings.ts'
import { timed, type OnCall } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import { warnOnce, type Log } from '../../web/log.ts'
import { signInUnavailable } from './error-response.ts'
import { isLasting, renewalTime } from '../registration/registration.ts'
import type { FindClient } from '../registration/client.ts'
import { createConfiguration, TIME_LIMIT_SECONDS, type AuthenticatedClient } from './configuration.ts'
import { discoverMetadata } from './discovery.ts'

export type AuthorizationServer = {
  /** The client's configuration, discovered now if need be. @throws {Problem} sign_in_unavailable, sign_in_misconfigured */
  configuration(): Promise<Configuration>
  /** For a refresh: see createConfiguration. */
  refreshConfiguration(): Promise<Configuration>
  isReady(): boolean
  /** The forward proxy did not let the last attempt through. */
  isBlockedByProxy(): boolean
  /** Starts discovering in the background, with retries. */
  start(): void
  /** After a signing key that was not known: drops the keys, and what is known only when it is found anew. */
  forgetKeys(): void
  close(): void
}

type Needs = {
  settings: Settings
  client: FindClient
  log: Log
  onCall?: OnCall | undefined
  now: () => number
}

/** As long as a client that the server has lost may stay in use. */
const RENEW_EVERY_MS = 10 * 60 * 1000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000
/** A server that refuses is not asked as often as one that is away. */
const MAX_REFUSED_PAUSE_MS = 5 * 60_000
const MIN_PAUSE_MS = 100

/** Milliseconds to wait after so many failures in a row, at least as long as a refusal asks for. */
function pauseAfter(error: unknown, failures: number): number {
  const growing = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20)
  const isRefused = error instanceof Problem && error.code === 'sign_in_misconfigured'
  if (!isRefused) return Math.min(growing, MAX_PAUSE_MS)
  return Math.max(Math.min(growing, MAX_REFUSED_PAUSE_MS), (error.retryAfter ?? 0) * 1000)
}

type Known = {
  server: ServerMetadata
  client: AuthenticatedClient
  configuration: Configuration
  patient: Configuration
}

export function createAuthorizationServer(needs: Needs): AuthorizationServer {
  const { settings, client, log, onCall, now } = needs
  const { OIDC_ISSUER: issuer } = settings
  const lookOnce = createSingleFlight<Known | undefined>()
  let known: Known | undefined
  let underWay: Promise<Known | undefined> | undefined
  let failure: unknown
  let failures = 0
  const warn = warnOnce(log)
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  /** Undefined: the client would have to be registered first. */
  async function find(mayRegister: boolean): Promise<Known | undefined> {
    const { metadata: server, unused } = await timed(
      () =>
        inSpan('GET discovery', { 'url.full': issuer }, () =>
          discoverMetadata(issuer, settings.OIDC_SCOPE, TIME_LIMIT_SECONDS),
        ),
      (found, seconds) => onCall?.({ operation: 'discovery', status: found && 200, seconds }),
    )
    const names = unused.join(', ')
    if (names)
      warn(`endpoints whose addresses in the metadata aren't https are not used: ${names}`, { issuer })
    const found = await client(server, mayRegister)
    if (found === undefined) return undefined
    const configuration = createConfiguration(server, found, { onCall })
    const patient = createConfiguration(server, found, { forRefresh: true, onCall })
    known = { server, client: found, configuration, patient }
    return known
  }

  const problemOf = (error: unknown): Problem =>
    error instanceof Problem ? error : signInUnavailable(`${issuer} cannot be used: see OIDC_ISSUER`, error)

  function later(milliseconds: number): void {
    if (isClosed) return
    timer = setTimeout(attempt, Math.max(milliseconds, MIN_PAUSE_MS))
    timer.unref()
  }

  function succeeded(): void {
    if (failures > 0) log.info({ issuer }, 'the authorization server is reached again')
    failures = 0
    failure = undefined
    const renewal = known === undefined ? Infinity : renewalTime(known.client.metadata)
    later(Math.min(RENEW_EVERY_MS, renewal - now()))
  }

  function failed(error: unknown): void {
    const [before, { detail }] = [failure, problemOf(error)]
    failure = error
    failures++
    if (before === undefined || problemOf(before).detail !== detail)
      log.warn({ err: error, issuer }, detail ?? '')
    later(pauseAfter(error, failures))
  }

  /** One at a time: joins the one that is under way. */
  function attempt(): void {
    if (underWay !== undefined || isClosed) return
    clearTimeout(timer)
    underWay = find(true).finally(() => (underWay = undefined))
    underWay.then(succeeded, failed)
  }

  async function current(): Promise<Known> {
    if (known !== undefined && isLasting(known.client.metadata, now())) return known
    // A secret that is about to expire: who asks has no part in that.
    if (known !== undefined && failures === 0) attempt()
    const found = await (underWay ?? lookOnce('look', () => find(false))).catch((error: unknown) => {
      throw problemOf(error)
    })
    if (found !== undefined) return found
    throw failure === undefined ? signInUnavailable('the client is not registered yet') : problemOf(failure)
  }

  return {
    configuration: async () => (await current()).configuration,
    refreshConfiguration: async () => (await current()).patient,
    isReady: () => known !== undefined,
    isBlockedByProxy: () => isProxyError(networkErrorOf(failure)),
    start: attempt,
    forgetKeys() {
      // The library keeps keys with the configuration.
      if (known !== undefined)
        known.configuration = createConfiguration(known.server, known.client, { onCall })
      attempt()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
