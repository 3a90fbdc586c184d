// What is known of the authorization server: its metadata, discovered in the background and again every hour, so that
// onramp starts while it is down. Failures are never kept: the next sign-in asks again at once.
import {
  allowInsecureRequests,
  discovery,
  enableNonRepudiationChecks,
  type ClientAuth,
  type ClientMetadata,
  type Configuration,
} from 'openid-client'
import { Problem } from '../problem.ts'

export type AuthorizationServer = {
  /** The client's configuration, discovered now if need be. @throws {Problem} sign_in_unavailable */
  configuration(): Promise<Configuration>
  isReady(): boolean
  /** Starts discovering in the background, with retries. */
  start(): void
  /** Forgets metadata and keys: after a signing key that was not known. */
  forget(): void
  close(): void
}

export type Client = { id: string; metadata: Partial<ClientMetadata>; auth: ClientAuth }

export type AuthorizationServerOptions = {
  /** OIDC_ISSUER. */
  issuer: string
  client: () => Promise<Client>
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** Seconds for each request to the authorization server. */
  timeLimitSeconds?: number
}

const TIME_LIMIT_SECONDS = 5
const RENEW_EVERY_MS = 3600 * 1000
const RETRY_MOST_MS = 15_000

const isLoopbackHttp = (url: URL) =>
  url.protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)

/** Metadata comes over the network and names where codes, tokens and secrets are sent: https or this machine only. */
function refuseUnsafeEndpoints(configuration: Configuration): void {
  for (const [name, value] of Object.entries(configuration.serverMetadata())) {
    if (typeof value !== 'string' || !/(_endpoint|jwks_uri)$/.test(name)) continue
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url?.protocol !== 'https:' && !(url && isLoopbackHttp(url)))
      throw new Error(`the authorization server's metadata names an unsafe ${name}`)
  }
}

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { issuer, log } = options
  let known: { configuration: Configuration; at: number } | undefined
  let underWay: Promise<Configuration> | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0

  async function discover(): Promise<Configuration> {
    const configuration = await discoverEither(options)
    configuration.timeout = options.timeLimitSeconds ?? TIME_LIMIT_SECONDS
    if (configuration.serverMetadata().jwks_uri !== undefined) enableNonRepudiationChecks(configuration)
    refuseUnsafeEndpoints(configuration)
    known = { configuration, at: Date.now() }
    if (failures > 0) log.info({ issuer }, 'the authorization server is reached again')
    failures = 0
    return configuration
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
      if (failures++ === 0)
        log.warn({ err: error, issuer }, 'OIDC_ISSUER cannot be discovered: trying again until it can')
      later(Math.min(500 * 2 ** failures, RETRY_MOST_MS))
    }
  }

  return {
    async configuration() {
      if (known !== undefined) return known.configuration
      try {
        return await discoverOnce()
      } catch (error) {
        if (error instanceof Problem) throw error
        const detail = `${issuer} cannot be discovered: see OIDC_ISSUER`
        throw new Problem(503, 'sign_in_unavailable', { detail, cause: error, retryAfter: 5 })
      }
    },
    isReady: () => known !== undefined,
    start: () => void tryAndPlan(),
    forget() {
      known = undefined
      later(0)
    },
    close: () => clearTimeout(timer),
  }
}

/** OpenID Connect Discovery 1.0 first, then RFC 8414, for servers that are plain OAuth 2.1. */
async function discoverEither(options: AuthorizationServerOptions): Promise<Configuration> {
  const server = new URL(options.issuer)
  const { id, metadata, auth } = await options.client()
  const attempt = (algorithm: 'oidc' | 'oauth2') =>
    discovery(server, id, metadata, auth, {
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
