// Who onramp is at the authorization server: the client of the settings, or one that it registers itself (RFC 7591).
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import {
  allowInsecureRequests,
  customFetch,
  enableNonRepudiationChecks,
  type ClientAuth,
  type ClientMetadata,
  type Configuration,
} from 'openid-client'
import { isLoopbackHttp } from '../../loopback.ts'
import { addressesOf } from '../addresses.ts'
import { isRefusedAsUnknown, refusalOfUnknown } from './authorization-probe.ts'
import { clientAuthOf, publicJwks, type ClientAuthentication } from './client-authentication.ts'
import { probeClient, probeEndpoints, type ProbeEndpoint } from './client-probe.ts'
import { createFetch } from './fetch.ts'
import { notRegistered } from '../registration/history.ts'
import { requestRegistration, type Outcome, type RegistrationLog } from '../registration/request.ts'
import { listedScope, registeredScope, wishesOf } from '../registration/wishes.ts'
import type { Kept, Registration } from '../registration/registration.ts'

export type Client = {
  /** `scope`, where it is there, is what to ask people for. */
  metadata: Partial<ClientMetadata> & { client_id: string; scope?: string }
  auth: ClientAuth
  /** Registered just now. */
  isNew?: boolean
  /** Endpoints whose refusals say nothing. */
  mute?: readonly string[]
}

type Limits = { seconds: number; checksSignatures: boolean }

export function prepared(configuration: Configuration, limits: Limits): Configuration {
  configuration.timeout = limits.seconds
  configuration[customFetch] = createFetch(limits.seconds)
  const server = configuration.serverMetadata()
  if (isLoopbackHttp(new URL(server.issuer))) allowInsecureRequests(configuration)
  // In the code flow the library checks the id_token's signature only when told to (RFC 9700, ASVS 9.1.1).
  if (limits.checksSignatures && server.jwks_uri !== undefined) enableNonRepudiationChecks(configuration)
  return configuration
}

/** Prepares a configuration for requests: time limit, plain http on this machine. */
export type Prepare = (server: ServerMetadata, client: Client) => Configuration

export type ClientSource = {
  /**
   * @param mayRegister only background work may register: a request that anyone can send must not make clients
   * @returns undefined where a client would have to be registered and may not @throws {Problem} sign_in_misconfigured
   */
  current(server: ServerMetadata, mayRegister: boolean, prepare: Prepare): Promise<Client | undefined>
  /** Set where onramp registers itself: gives up a client that the server no longer knows. False: too soon after the last. */
  forget?: (clientId: string) => Promise<boolean>
  /** Set there too: looks how the authorization endpoint refuses a client that it does not know, and keeps it. */
  learn?: (configuration: Configuration) => Promise<void>
  /** Is this client refused there in that way by now? Undefined: that says nothing. */
  isForgotten?: (configuration: Configuration) => Promise<boolean | undefined>
}

/** OIDC_CLIENT_ID is set: a client that was registered by hand. */
export const fixedClient = (clientId: string, authentication: ClientAuthentication): ClientSource => ({
  current: async () => ({ metadata: { client_id: clientId }, auth: await clientAuthOf(authentication) }),
})

export type RegisteringOptions = {
  registration: Registration
  publicUrl: string
  /** OIDC_SCOPE, and whether the operator chose it. */
  scope: string
  isScopeChosen: boolean
  authentication: ClientAuthentication
  initialAccessToken: string | undefined
  log: RegistrationLog
  /** Milliseconds since 1970. */
  now: () => number
}

/** OIDC_CLIENT_ID is absent: dynamic client registration. */
export function registeringClient(options: RegisteringOptions): ClientSource {
  const { registration, authentication, scope, isScopeChosen } = options
  const { callback } = addressesOf(options.publicUrl)

  async function clientOf(kept: Kept, server: ServerMetadata, isNew: boolean): Promise<Client> {
    const { registered_at: registeredAt, mute = [], refusal_of_unknown: _refusal, ...registered } = kept
    const method = registered.token_endpoint_auth_method as ClientAuthentication['method']
    const auth = await clientAuthOf({ ...authentication, method, secret: registered.client_secret })
    const asked = isScopeChosen
      ? scope
      : registeredScope(listedScope(scope, server.scopes_supported), registered['scope'])
    return { metadata: { ...registered, registered_at: registeredAt, scope: asked }, auth, isNew, mute }
  }

  /** One that replaces another which was refused: where it is refused too although it is new, refusals say nothing. */
  async function withMute(client: Client, configuration: Configuration): Promise<Client> {
    const mute: ProbeEndpoint[] = []
    for (const endpoint of probeEndpoints(configuration))
      if ((await probeClient(configuration, endpoint)) === 'refused') mute.push(endpoint)
    if (mute.length > 0) await registration.note(client.metadata.client_id, { mute })
    return { ...client, mute }
  }

  async function keptOf(configuration: Configuration): Promise<Kept | undefined> {
    const kept = await registration.stored()
    return kept?.client_id === configuration.clientMetadata().client_id ? kept : undefined
  }

  return {
    async current(server, mayRegister, prepare) {
      let isNew = false
      const register = async () => {
        isNew = true
        return await registered(server, options)
      }
      const kept = mayRegister ? await registration.current(register) : await registration.stored()
      if (kept === undefined) return undefined
      const client = await clientOf(kept, server, isNew)
      return isNew && (await registration.wasGivenUp())
        ? await withMute(client, prepare(server, client))
        : client
    },
    forget: (clientId) => registration.forget(clientId),
    async learn(configuration) {
      const kept = await keptOf(configuration)
      if (kept === undefined || kept.refusal_of_unknown !== undefined) return
      const refusal = await refusalOfUnknown(configuration, callback)
      if (refusal !== undefined) await registration.note(kept.client_id, { refusal_of_unknown: refusal })
    },
    async isForgotten(configuration) {
      const refusal = (await keptOf(configuration))?.refusal_of_unknown
      return refusal === undefined ? undefined : await isRefusedAsUnknown(configuration, callback, refusal)
    },
  }
}

async function registered(server: ServerMetadata, options: RegisteringOptions): Promise<Outcome> {
  const { publicUrl, scope, initialAccessToken, log, now } = options
  const { method, key } = options.authentication
  const { registration_endpoint: endpoint } = server
  if (endpoint === undefined) throw notRegistered('the authorization server has no registration endpoint', 30)
  const jwks = method === 'private_key_jwt' ? await publicJwks(key ?? '') : undefined
  const wishes = wishesOf({ publicUrl, scope, method, jwks }, server)
  if (wishes['scope'] !== scope)
    log.info(
      { asked: wishes['scope'] },
      'OIDC_SCOPE has scopes that the server does not list: not registered for',
    )
  const at = { ...server, registration_endpoint: endpoint }
  return await requestRegistration({ server: at, wishes, initialAccessToken, now, log })
}
