// Our client at the authorization server: the one of the settings, or one that onramp registers itself (RFC 7591).
import { settings as definitions, type Settings } from '../../settings/settings.ts'
import type { OnCall } from '../../trace/calls.ts'
import type { Log } from '../../web/log.ts'
import type { FindClient } from '../server/authorization-server.ts'
import {
  createClientAuth,
  readClientAuthentication,
  type ClientAuthentication,
} from '../server/client-authentication.ts'
import { scopeToRequest } from './metadata.ts'
import { registerClient } from './register.ts'
import { Registration, renewalTime, type RegistrationDeps } from './registration.ts'

const defaultScope = definitions.find(({ name }) => name === 'OIDC_SCOPE')?.default

export function createFindClient(
  settings: Settings,
  deps: RegistrationDeps & { log: Log; onCall?: OnCall | undefined },
): FindClient {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_AUTH: method, OIDC_SCOPE: scope } = settings
  const own = readClientAuthentication(settings) ?? { method }
  if (clientId !== undefined)
    return async () => ({ metadata: { client_id: clientId }, auth: await createClientAuth(own) })
  const registration = new Registration(settings, deps)

  return async (server, mayRegister) => {
    const client = mayRegister
      ? await registration.current(() => registerClient(settings, server, deps))
      : await registration.stored()
    if (client === undefined) return undefined
    const agreed = client.token_endpoint_auth_method as ClientAuthentication['method']
    // A scope that the operator chose is requested unchanged.
    const requested = scope === defaultScope ? scopeToRequest(scope, server, client['scope']) : scope
    return {
      metadata: { ...client, scope: requested },
      auth: await createClientAuth({ ...own, method: agreed, secret: client.client_secret }),
      renewAt: renewalTime(client),
    }
  }
}
