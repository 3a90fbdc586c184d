// What is known of the authorization server and of our client there: discovered in the background and again every ten
// minutes,
// so that onramp starts while it is down. Failures are never kept: the next sign-in asks again at once. Only what runs in
// the background registers a client; requests wait for it.
import type { Configuration } from 'openid-client'
import { isOfProxy, silenceOf } from '../../client-api/silence.ts'
import { Problem } from '../../problem.ts'
import { signInUnavailable } from '../answer-problems.ts'
import { createBackground } from './background.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Log } from '../../web/log.ts'
import type { ClientSource } from './client.ts'
import { configurationOf, TIME_LIMIT_SECONDS } from './configuration.ts'
import { discoverMetadata } from './discovery.ts'
import { timed, type OnCall } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import { isLasting, renewalOf } from '../registration/registration.ts'

export type AuthorizationServer = {
  /** The client's configuration, discovered now if need be. @throws {Problem} sign_in_unavailable, sign_in_misconfigured */
  configuration(): Promise<Configuration>
  /** For a refresh: see configurationOf. */
  patientConfiguration(): Promise<Configuration>
  isReady(): boolean
  /** The forward proxy did not let the last attempt through. */
  isBarred(): boolean
  /** Starts discovering in the background, with retries. */
  start(): void
  /** After a signing key that was not known: drops the keys, and what is known only when it is found anew. */
  forgetKeys(): void
  close(): void
}

type Parts = {
  settings: Settings
  client: ClientSource
  log: Log
  onCall?: OnCall | undefined
  now: () => number
}

/** As long as a client that the server has lost may stay in use. */
const RENEW_EVERY_MS = 10 * 60 * 1000

type Known = {
  configuration: Configuration
  /** The same anew: the library keeps keys with it. */
  withoutKeys: () => Configuration
  patient: Configuration
}

export function createAuthorizationServer({
  settings,
  client,
  log,
  onCall,
  now,
}: Parts): AuthorizationServer {
  const { OIDC_ISSUER: issuer } = settings
  let known: Known | undefined

  /** Undefined: the client would have to be registered first. */
  async function assemble(mayRegister: boolean): Promise<Known | undefined> {
    const server = await timed(
      () =>
        inSpan('GET discovery', { 'url.full': issuer }, () =>
          discoverMetadata(issuer, settings.OIDC_SCOPE, TIME_LIMIT_SECONDS),
        ),
      (found, seconds) => onCall?.({ operation: 'discovery', status: found && 200, seconds }),
    )
    const found = await client.current(server, mayRegister)
    if (found === undefined) return undefined
    const withoutKeys = () => configurationOf(server, found, { onCall })
    const patient = configurationOf(server, found, { isPatient: true, onCall })
    known = { configuration: withoutKeys(), withoutKeys, patient }
    return known
  }

  const background = createBackground({
    find: assemble,
    nextAfter: ({ configuration }) =>
      Math.min(RENEW_EVERY_MS, renewalOf(configuration.clientMetadata()) - now()),
    issuer,
    log,
  })

  async function current(): Promise<Known> {
    if (known !== undefined && isLasting(known.configuration.clientMetadata(), now())) return known
    // A secret that is about to expire: who asks has no part in that.
    if (known !== undefined && !background.isFailing()) background.tryNow()
    try {
      return await background.result()
    } catch (error) {
      if (error instanceof Problem) throw error
      throw signInUnavailable(`${issuer} cannot be used: see OIDC_ISSUER`, error)
    }
  }

  return {
    configuration: async () => (await current()).configuration,
    patientConfiguration: async () => (await current()).patient,
    isReady: () => known !== undefined,
    isBarred: () => isOfProxy(silenceOf(background.failure())),
    start: background.tryNow,
    forgetKeys() {
      if (known !== undefined) known.configuration = known.withoutKeys()
      background.tryNow()
    },
    close: () => background.close(),
  }
}
