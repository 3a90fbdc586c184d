// Who onramp is at the authorization server: the client of the settings, or one that it registers itself (RFC 7591).
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import type { Configuration } from 'openid-client'
import { settings as definitions, type Settings } from '../../settings/settings.ts'
import type { Log } from '../../web/log.ts'
import { addressesOf } from '../addresses.ts'
import { notRegistered } from '../registration/history.ts'
import {
  createRegistration,
  type Kept,
  type Registration,
  type RegistrationParts,
} from '../registration/registration.ts'
import { requestRegistration, type Outcome } from '../registration/request.ts'
import { listedScope, registeredScope, wishesOf } from '../registration/wishes.ts'
import {
  clientAuthOf,
  keyThumbprint,
  publicJwks,
  type ClientAuthentication,
} from './client-authentication.ts'
import { isRefusedAsUnknown, madeUp, refusalOfUnknown, refusingEndpoints } from './client-probe.ts'
import { configurationOf, serverMetadataOf, type Client } from './configuration.ts'
import { timed, type OnCall } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'

export type ClientSource = {
  /**
   * @param mayRegister only background work may register: a request that anyone can send must not make clients
   * @returns undefined where a client would have to be registered and may not @throws {Problem} sign_in_misconfigured
   */
  current(server: ServerMetadata, mayRegister: boolean): Promise<Client | undefined>
  /** Set where onramp registers itself: gives up a client that the server no longer knows. False: too soon after the last. */
  forget?: (clientId: string) => Promise<boolean>
  /** Set there too: looks how the authorization endpoint refuses a client that it does not know, and keeps it, where no other tells. */
  learn?: (configuration: Configuration) => Promise<void>
  /** Is this client refused there in that way by now? Undefined: that says nothing. */
  isForgotten?: (configuration: Configuration) => Promise<boolean | undefined>
}

type Parts = Omit<RegistrationParts, 'identity'>
type LoggingParts = Parts & { log: Log; onCall?: OnCall | undefined }

/** What a registration depends on: the server, and everything that is asked for there. Another one is made when it changes. */
function identityOf(settings: Settings): string {
  const { PUBLIC_URL, OIDC_ISSUER, OIDC_SCOPE, OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key } = settings
  const keyName = method === 'private_key_jwt' ? keyThumbprint(key ?? '') : ''
  const scope = OIDC_SCOPE.split(' ').toSorted().join(' ')
  return [OIDC_ISSUER, PUBLIC_URL, scope, method, keyName].join('\n')
}

/** The registration that onramp makes with these settings; this asks no one anything yet. */
export const registrationOf = (settings: Settings, parts: Parts): Registration =>
  createRegistration({ ...parts, identity: identityOf(settings) })

const authenticationOf = (settings: Settings): ClientAuthentication => ({
  method: settings.OIDC_CLIENT_AUTH,
  secret: settings.OIDC_CLIENT_SECRET,
  key: settings.OIDC_CLIENT_KEY,
})

/** OIDC_CLIENT_ID, or a client that onramp registers itself. */
export function clientOf(settings: Settings, parts: LoggingParts): ClientSource {
  const { OIDC_CLIENT_ID: clientId } = settings
  if (clientId === undefined) return registeringClient(settings, parts)
  return {
    current: async () => ({
      metadata: { client_id: clientId },
      auth: await clientAuthOf(authenticationOf(settings)),
    }),
  }
}

/** Of what the registration endpoint answered; a client, usable or not, comes with 201 (RFC 7591 3.2.1). */
function statusOf(outcome: Outcome | undefined): number | undefined {
  if (outcome === undefined || outcome.kind === 'unanswered') return undefined
  return 'status' in outcome ? outcome.status : 201
}

const defaultScope = definitions.find(({ name }) => name === 'OIDC_SCOPE')?.default

function registeringClient(settings: Settings, { log, onCall, ...parts }: LoggingParts): ClientSource {
  const { OIDC_SCOPE: scope } = settings
  const registration = registrationOf(settings, parts)
  const { callback } = addressesOf(settings.PUBLIC_URL)

  async function clientOfKept(kept: Kept, server: ServerMetadata, isNew: boolean): Promise<Client> {
    const { mute = [], refusal_of_unknown: _refusal, ...metadata } = kept
    const method = kept.token_endpoint_auth_method as ClientAuthentication['method']
    const auth = await clientAuthOf({ ...authenticationOf(settings), method, secret: kept.client_secret })
    // A scope that the operator chose is asked for as it is.
    const asked =
      scope === defaultScope
        ? registeredScope(listedScope(scope, server.scopes_supported), kept['scope'])
        : scope
    return { metadata: { ...metadata, scope: asked }, auth, isNew, mute }
  }

  /** One that replaces another which was refused: where it is refused too although it is new, refusals say nothing. */
  async function withMute(client: Client, configuration: Configuration): Promise<Client> {
    const mute: string[] = []
    for await (const endpoint of refusingEndpoints(configuration)) mute.push(endpoint)
    if (mute.length > 0) await registration.note(client.metadata.client_id, { mute })
    return { ...client, mute }
  }

  async function register(server: ServerMetadata): Promise<Outcome> {
    const { OIDC_INITIAL_ACCESS_TOKEN: initialAccessToken, OIDC_CLIENT_AUTH: method } = settings
    const { registration_endpoint: endpoint } = server
    if (endpoint === undefined)
      throw notRegistered('the authorization server has no registration endpoint', 30)
    const needsKey = method === 'private_key_jwt'
    const jwks = needsKey ? await publicJwks(settings.OIDC_CLIENT_KEY ?? '') : undefined
    const wishes = wishesOf(settings, server, jwks)
    const words = 'OIDC_SCOPE has scopes that the server does not list: not registered for'
    if (wishes['scope'] !== scope) log.info({ asked: wishes['scope'] }, words)
    return await timed(
      () =>
        inSpan('POST registration', { 'url.full': endpoint }, () =>
          requestRegistration({ endpoint, wishes, initialAccessToken, now: parts.now, log }),
        ),
      (outcome, seconds) => onCall?.({ operation: 'registration', status: statusOf(outcome), seconds }),
    )
  }

  /** Is there an endpoint, besides the token endpoint, that says so to a client which it does not know? */
  async function tellsStrangers(kept: Kept, server: ServerMetadata): Promise<boolean> {
    const stranger = await clientOfKept({ ...kept, client_id: madeUp() }, server, false)
    const mute = ['token', ...(kept.mute ?? [])]
    return (await refusingEndpoints(configurationOf(server, stranger), mute).next()).done !== true
  }

  async function keptOf(configuration: Configuration): Promise<Kept | undefined> {
    const kept = await registration.stored()
    return kept?.client_id === configuration.clientMetadata().client_id ? kept : undefined
  }

  return {
    async current(server, mayRegister) {
      let isNew = false
      const registerNew = () => {
        isNew = true
        return register(server)
      }
      const kept = mayRegister ? await registration.current(registerNew) : await registration.stored()
      if (kept === undefined) return undefined
      const client = await clientOfKept(kept, server, isNew)
      const isReplacement = isNew && (await registration.wasGivenUp())
      return isReplacement ? await withMute(client, configurationOf(server, client, { onCall })) : client
    },
    forget: (clientId) => registration.forget(clientId),
    async learn(configuration) {
      const kept = await keptOf(configuration)
      if (kept === undefined || kept.refusal_of_unknown !== undefined) return
      if (await tellsStrangers(kept, serverMetadataOf(configuration))) return
      const refusal = await refusalOfUnknown(configuration, callback)
      if (refusal !== undefined) await registration.note(kept.client_id, { refusal_of_unknown: refusal })
    },
    async isForgotten(configuration) {
      const refusal = (await keptOf(configuration))?.refusal_of_unknown
      return refusal === undefined ? undefined : await isRefusedAsUnknown(configuration, callback, refusal)
    },
  }
}
