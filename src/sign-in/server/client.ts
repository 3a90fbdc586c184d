// Who onramp is at the authorization server: the client of the settings, or one that it registers itself (RFC 7591).
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import { settings as definitions, type Settings } from '../../settings/settings.ts'
import type { Log } from '../../web/log.ts'
import { requestedMetadata, scopeFor, type Registered } from '../registration/metadata.ts'
import {
  notRegistered,
  registrationOf,
  requestRegistration,
  type Kept,
  type RegistrationNeeds,
} from '../registration/registration.ts'
import { clientAuthOf, publicJwks, type ClientAuthentication } from './client-authentication.ts'
import type { Client } from './configuration.ts'
import type { OnCall } from '../../trace/calls.ts'

export type ClientSource = {
  /**
   * @param mayRegister only background work may register: a request that anyone can send must not make clients
   * @returns undefined where a client would have to be registered and may not @throws {Problem} sign_in_misconfigured
   */
  current(server: ServerMetadata, mayRegister: boolean): Promise<Client | undefined>
}

type Needs = RegistrationNeeds & { log: Log; onCall?: OnCall | undefined }

const authenticationOf = (settings: Settings): ClientAuthentication => ({
  method: settings.OIDC_CLIENT_AUTH,
  secret: settings.OIDC_CLIENT_SECRET,
  key: settings.OIDC_CLIENT_KEY,
})

/** OIDC_CLIENT_ID, or a client that onramp registers itself. */
export function clientOf(settings: Settings, needs: Needs): ClientSource {
  const { OIDC_CLIENT_ID: clientId } = settings
  if (clientId === undefined) return registeringClient(settings, needs)
  return {
    current: async () => ({
      metadata: { client_id: clientId },
      auth: await clientAuthOf(authenticationOf(settings)),
    }),
  }
}

const defaultScope = definitions.find(({ name }) => name === 'OIDC_SCOPE')?.default

function registeringClient(settings: Settings, needs: Needs): ClientSource {
  const { OIDC_SCOPE: scope } = settings
  const { log, onCall, now } = needs
  const registration = registrationOf(settings, needs)

  async function clientOfKept(kept: Kept, server: ServerMetadata): Promise<Client> {
    const method = kept.token_endpoint_auth_method as ClientAuthentication['method']
    const auth = await clientAuthOf({ ...authenticationOf(settings), method, secret: kept.client_secret })
    // A scope that the operator chose is asked for as it is.
    const asked = scope === defaultScope ? scopeFor(scope, server, kept['scope']) : scope
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
    return await requestRegistration({ endpoint, metadata, initialAccessToken, now, log, onCall })
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
