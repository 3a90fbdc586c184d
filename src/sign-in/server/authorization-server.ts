// What is known of the authorization server and of our client there: discovered in the background and again every hour,
// so that onramp starts while it is down. Failures are never kept: the next sign-in asks again at once. Only what runs in
// the background registers a client; requests wait for it.
import type { Configuration } from 'openid-client'
import { isOfProxy, silenceOf } from '../../client-api/silence.ts'
import { Problem } from '../../problem.ts'
import { createOnce } from '../../records/lease.ts'
import { signInUnavailable } from '../answer-problems.ts'
import { createBackground } from './background.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Log } from '../../web/log.ts'
import type { ClientSource } from './client.ts'
import { hasTellingEndpoint, refusingEndpoints } from './client-probe.ts'
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
  /** For sending a person away to sign in: confirms that the server still knows a client that registered itself. */
  confirmedConfiguration(): Promise<Configuration>
  isReady(): boolean
  /** The forward proxy did not let the last attempt through. */
  isBarred(): boolean
  /** Starts discovering in the background, with retries. */
  start(): void
  /** After a signing key that was not known: drops the keys, and what is known only when it is found anew. */
  forgetKeys(): void
  /**
   * After `invalid_client`: whether our own registration turned out to be gone and was given up.
   * @param clientId the client that was refused, where that may have been replaced meanwhile
   */
  dropIfUnknown(clientId: string): Promise<boolean>
  /** The same after a refusal that may have another cause: not too often. */
  dropIfSuspect(clientId: string): Promise<boolean>
  close(): void
}

type Parts = {
  settings: Settings
  client: ClientSource
  log: Log
  onCall?: OnCall | undefined
  now: () => number
}

const RENEW_EVERY_MS = 3600 * 1000
const CONFIRM_EVERY_MS = 60_000
const SUSPECT_EVERY_MS = 5_000

const REFUSED_AGAIN =
  'the server refuses the client that registered itself, again within ten minutes: not registering anew yet'
const NO_LONGER_KNOWN =
  'the authorization server no longer knows the client that registered itself: registering anew'
const CANNOT_BE_ASKED =
  'the server refused a sign-in, and cannot be asked whether it knows the client that registered itself: if every sign-in fails, call "onramp registration forget" and start again'

type Known = {
  configuration: Configuration
  /** The same anew: the library keeps keys with it. */
  withoutKeys: () => Configuration
  patient: Configuration
  confirmedAt: number
  isNew: boolean
  mute: readonly string[]
  /** It registered itself, and only the authorization endpoint can tell whether it is still known. */
  isBlind: boolean
  /** The operator was told that this client cannot be asked about. */
  isTold?: boolean
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
  let suspectedAt = -Infinity
  const once = createOnce<boolean>()

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
    const { isNew = false, mute = [] } = found
    const withoutKeys = () => configurationOf(server, found, { onCall })
    const configuration = withoutKeys()
    known = {
      configuration,
      withoutKeys,
      patient: configurationOf(server, found, { isPatient: true, onCall }),
      // One that was kept from before may be gone meanwhile.
      confirmedAt: isNew ? now() : -Infinity,
      isNew,
      mute,
      isBlind: client.isForgotten !== undefined && !hasTellingEndpoint(configuration, mute),
    }
    return known
  }

  const background = createBackground({
    find: assemble,
    nextAfter: ({ configuration }) =>
      Math.min(RENEW_EVERY_MS, renewalOf(configuration.clientMetadata()) - now()),
    succeeded: async (found) => {
      if (!found.isNew) await dropIfUnknown()
      if (found.isNew || found.isBlind) await client.learn?.(found.configuration)
    },
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

  /** One at a time: those that ask meanwhile get the same answer. */
  const dropIfUnknown = () => once('drop', dropUnknown)

  async function dropUnknown(): Promise<boolean> {
    const found = known
    if (client.forget === undefined || found === undefined) return false
    const isUnknown =
      (await refusingEndpoints(found.configuration, found.mute).next()).done !== true ||
      (await client.isForgotten?.(found.configuration)) === true
    found.confirmedAt = now()
    if (!isUnknown) return false
    if (!(await client.forget(found.configuration.clientMetadata().client_id))) {
      log.warn({ issuer }, REFUSED_AGAIN)
      return false
    }
    log.warn({ issuer }, NO_LONGER_KNOWN)
    if (known === found) known = undefined
    background.tryNow()
    return true
  }

  /** Some servers check the code before the client and have nothing else to ask: then only a person can find out. */
  async function tellWhereNothingTells(): Promise<void> {
    const found = known
    if (found?.isBlind !== true || found.isTold === true) return
    if ((await client.isForgotten?.(found.configuration)) !== undefined) return
    found.isTold = true
    log.warn({ issuer }, CANNOT_BE_ASKED)
  }

  const isReplaced = (clientId: string) =>
    known !== undefined && known.configuration.clientMetadata().client_id !== clientId

  return {
    configuration: async () => (await current()).configuration,
    patientConfiguration: async () => (await current()).patient,
    async confirmedConfiguration() {
      const found = await current()
      if (client.forget === undefined || now() - found.confirmedAt < CONFIRM_EVERY_MS)
        return found.configuration
      return (await dropIfUnknown()) ? (await current()).configuration : found.configuration
    },
    isReady: () => known !== undefined,
    isBarred: () => isOfProxy(silenceOf(background.failure())),
    start: background.tryNow,
    forgetKeys() {
      if (known !== undefined) known.configuration = known.withoutKeys()
      background.tryNow()
    },
    dropIfUnknown: async (clientId) => isReplaced(clientId) || (await dropIfUnknown()),
    async dropIfSuspect(clientId) {
      if (isReplaced(clientId)) return true
      if (now() - suspectedAt < SUSPECT_EVERY_MS) return false
      suspectedAt = now()
      const isDropped = await dropIfUnknown()
      if (!isDropped) await tellWhereNothingTells()
      return isDropped
    },
    close: () => background.close(),
  }
}
