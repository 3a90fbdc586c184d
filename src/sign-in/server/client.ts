// Who onramp is at the authorization server: the client of the settings, or one that it registers itself (RFC 7591).
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import { settings as definitions, type Settings } from '../../settings/settings.ts'
import type { Log } from '../../web/log.ts'
import type { Registered } from '../registration/answer.ts'
import { listedScope, registeredScope, requestedMetadata } from '../registration/metadata.ts'
import {
  createRegistration,
  type Kept,
  type Registration,
  type RegistrationNeeds,
} from '../registration/registration.ts'
import { notRegistered, requestRegistration } from '../registration/request.ts'
import {
  clientAuthOf,
  keyThumbprint,
  publicJwks,
  type ClientAuthentication,
} from './client-authentication.ts'
import type { Client } from './configuration.ts'
import type { OnCall } from '../../trace/calls.ts'

export type ClientSource = {
  /**
   * @param mayRegister only background work may register: a request that anyone can send must not make clients
   * @returns undefined where a client would have to be registered and may not @throws {Problem} sign_in_misconfigured
   */
  current(server: ServerMetadata, mayRegister: boolean): Promise<Client | undefined>
}

type Parts = Omit<RegistrationNeeds, 'identity'>
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

const defaultScope = definitions.find(({ name }) => name === 'OIDC_SCOPE')?.default

function registeringClient(settings: Settings, { log, onCall, ...parts }: LoggingParts): ClientSource {
  const { OIDC_SCOPE: scope } = settings
  const registration = registrationOf(settings, parts)

  async function clientOfKept(kept: Kept, server: ServerMetadata): Promise<Client> {
    const method = kept.token_endpoint_auth_method as ClientAuthentication['method']
    const auth = await clientAuthOf({ ...authenticationOf(settings), method, secret: kept.client_secret })
    // A scope that the operator chose is asked for as it is.
    const asked =
      scope === defaultScope
        ? registeredScope(listedScope(scope, server.scopes_supported), kept['scope'])
        : scope
    return { metadata: { ...kept, scope: asked }, auth }
  }

  async function register(server: ServerMetadata): Promise<Registered> {
    const { OIDC_INITIAL_ACCESS_TOKEN: initialAccessToken, OIDC_CLIENT_AUTH: method } = settings
    const { registration_endpoint: endpoint } = server
    if (endpoint === undefined)
      throw notRegistered('the authorization server has no registration endpoint', 5)
    const needsKey = method === 'private_key_jwt'
    const jwks = needsKey ? await publicJwks(settings.OIDC_CLIENT_KEY ?? '') : undefined
    const metadata = requestedMetadata(settings, server, jwks)
    const words = 'OIDC_SCOPE has scopes that the server does not list: not registered for'
    if (metadata['scope'] !== scope) log.info({ asked: metadata['scope'] }, words)
    return await requestRegistration({ endpoint, metadata, initialAccessToken, now: parts.now, log, onCall })
  }

  return {
    async current(server, mayRegister) {
      const kept = mayRegister
        ? await registration.current(() => register(server))
        : await registration.stored()
      return kept === undefined ? undefined : await clientOfKept(kept, server)
    },
  }
}
