// What is known of the authorization server and of our client there: discovered in the background and again every hour,
// so that onramp starts while it is down. Failures are never kept: the next sign-in asks again at once.
import {
  allowInsecureRequests,
  Configuration,
  discovery,
  enableNonRepudiationChecks,
  genericGrantRequest,
} from 'openid-client'
import { Problem } from '../problem.ts'
import { isClientRefused } from './answer-problems.ts'
import type { ClientSource } from './client.ts'
import { isLoopbackHttp } from './loopback.ts'
import { isLasting } from './registration.ts'

export type AuthorizationServer = {
  /** The client's configuration, discovered now if need be. @throws {Problem} sign_in_unavailable, sign_in_misconfigured */
  configuration(): Promise<Configuration>
  /**
   * For a refresh: with a longer time limit, and no signature of the id_token checked (its other claims are; OpenID
   * Connect Core 3.1.3.7, 6: it comes straight from the token endpoint over TLS). Giving up on an answer that has
   * used up the refresh token would lose the sign-in, for a slow server as for keys that were just rotated.
   */
  patientConfiguration(): Promise<Configuration>
  /** The same for somebody who is sent away to sign in: a client that registered itself is confirmed to be known there. */
  confirmedConfiguration(): Promise<Configuration>
  isReady(): boolean
  /** Starts discovering in the background, with retries. */
  start(): void
  /** Forgets metadata and keys: after a signing key that was not known. */
  forget(): void
  /** After `invalid_client`: whether our own registration turned out to be gone and was given up. */
  dropIfUnknown(): Promise<boolean>
  close(): void
}

export type AuthorizationServerOptions = {
  /** OIDC_ISSUER. */
  issuer: string
  client: ClientSource
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** Milliseconds since 1970. */
  now: () => number
  /** Seconds for each request to the authorization server. */
  timeLimitSeconds?: number
}

const TIME_LIMIT_SECONDS = 8
const PATIENT_SECONDS = 30
const RENEW_EVERY_MS = 3600 * 1000
const CONFIRM_EVERY_MS = 60_000
const RETRY_MOST_MS = 15_000

type Known = { configuration: Configuration; patient: Configuration; confirmedAt: number }

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { issuer, client, log, now } = options
  let known: Known | undefined
  let underWay: Promise<Known> | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0

  async function discover(): Promise<Known> {
    const found = await discoverMetadata(options)
    const { metadata, auth } = await client.current(found.serverMetadata())
    const make = (limits: Limits) =>
      prepared(
        new Configuration(found.serverMetadata(), metadata.client_id, metadata, auth),
        options.issuer,
        limits,
      )
    known = {
      configuration: make({
        seconds: options.timeLimitSeconds ?? TIME_LIMIT_SECONDS,
        checksSignatures: true,
      }),
      patient: make({ seconds: PATIENT_SECONDS, checksSignatures: false }),
      confirmedAt: now(),
    }
    if (failures > 0) log.info({ issuer }, 'the authorization server is reached again')
    failures = 0
    return known
  }

  /** One discovery at a time, however many wait for it. */
  const discoverOnce = () =>
    (underWay ??= discover().finally(() => {
      underWay = undefined
    }))

  function later(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void tryAndPlan(), ms)
    timer.unref()
  }

  async function tryAndPlan() {
    try {
      await discoverOnce()
      later(RENEW_EVERY_MS)
    } catch (error) {
      if (failures++ === 0) log.warn({ err: error, issuer }, reasonOf(error))
      later(Math.min(500 * 2 ** failures, RETRY_MOST_MS))
    }
  }

  async function current(): Promise<Known> {
    if (known !== undefined && isLasting(known.configuration.clientMetadata(), now())) return known
    try {
      return await discoverOnce()
    } catch (error) {
      if (error instanceof Problem) throw error
      throw new Problem(503, 'sign_in_unavailable', { detail: reasonOf(error), cause: error, retryAfter: 5 })
    }
  }

  const reasonOf = (error: unknown) =>
    error instanceof Problem && error.detail !== ''
      ? error.detail
      : `${issuer} cannot be discovered: see OIDC_ISSUER`

  async function dropIfUnknown(): Promise<boolean> {
    if (client.forget === undefined || known === undefined) return false
    const { configuration } = known
    if (!(await isUnknownThere(configuration))) return false
    const { client_id: clientId } = configuration.clientMetadata()
    log.warn(
      { issuer },
      'the authorization server no longer knows the client that registered itself: registering anew',
    )
    await client.forget(clientId)
    if (known?.configuration === configuration) known = undefined
    return true
  }

  return {
    configuration: async () => (await current()).configuration,
    patientConfiguration: async () => (await current()).patient,
    async confirmedConfiguration() {
      const found = await current()
      if (client.forget === undefined || now() - found.confirmedAt < CONFIRM_EVERY_MS)
        return found.configuration
      found.confirmedAt = now()
      return (await dropIfUnknown()) ? (await current()).configuration : found.configuration
    },
    isReady: () => known !== undefined,
    start: () => void tryAndPlan(),
    forget() {
      known = undefined
      later(0)
    },
    dropIfUnknown,
    close: () => clearTimeout(timer),
  }
}

/** Asks with a code that cannot be right: `invalid_client` says that the client is gone, anything else that it is not. */
async function isUnknownThere(configuration: Configuration): Promise<boolean> {
  const probe = { code: 'onramp-probe', redirect_uri: 'urn:onramp:probe', code_verifier: 'x'.repeat(43) }
  try {
    await genericGrantRequest(configuration, 'authorization_code', probe)
    return false
  } catch (error) {
    return isClientRefused(error)
  }
}

type Limits = { seconds: number; checksSignatures: boolean }

function prepared(configuration: Configuration, issuer: string, limits: Limits): Configuration {
  configuration.timeout = limits.seconds
  if (isLoopbackHttp(new URL(issuer))) allowInsecureRequests(configuration)
  // In the code flow the library checks the id_token's signature only when told to (RFC 9700, ASVS 9.1.1).
  if (limits.checksSignatures && configuration.serverMetadata().jwks_uri !== undefined)
    enableNonRepudiationChecks(configuration)
  refuseUnsafeEndpoints(configuration)
  return configuration
}

/** Metadata comes over the network and names where codes, tokens and secrets are sent: https or this machine only. */
function refuseUnsafeEndpoints(configuration: Configuration): void {
  for (const [name, value] of Object.entries(configuration.serverMetadata())) {
    if (typeof value !== 'string' || !/(_endpoint|jwks_uri)$/.test(name)) continue
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url?.protocol !== 'https:' && !(url && isLoopbackHttp(url)))
      throw new Error(`the authorization server's metadata names an unsafe ${name}`)
  }
}

/** OpenID Connect Discovery 1.0 first, then RFC 8414, for servers that are plain OAuth 2.1. */
async function discoverMetadata(options: AuthorizationServerOptions): Promise<Configuration> {
  const server = new URL(options.issuer)
  const attempt = (algorithm: 'oidc' | 'oauth2') =>
    discovery(server, 'not-known-yet', undefined, undefined, {
      algorithm,
      timeout: options.timeLimitSeconds ?? TIME_LIMIT_SECONDS,
      execute: isLoopbackHttp(server) ? [allowInsecureRequests] : [],
    })
  try {
    return await attempt('oidc')
  } catch (error) {
    return await attempt('oauth2').catch(() => {
      throw error
    })
  }
}
