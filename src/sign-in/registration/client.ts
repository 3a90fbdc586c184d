// Who onramp is at the authorization server: the client of the settings, or one that it registers itself (RFC 7591).
import type { ServerMetadata } from 'openid-client'
import { settings as definitions, type Settings } from '../../settings/settings.ts'
import type { Log } from '../../web/log.ts'
import { scopeToRequest } from './metadata.ts'
import { createRegistration, registerClient, type RegistrationNeeds } from './registration.ts'
import {
  readClientAuthentication,
  createClientAuth,
  type ClientAuthentication,
} from '../server/client-authentication.ts'
import type { AuthenticatedClient } from '../server/configuration.ts'
import type { OnCall } from '../../trace/calls.ts'

/** @param mayRegister false for requests, which anyone can send @returns undefined if it would have to register */
export type FindClient = (
  server: ServerMetadata,
  mayRegister: boolean,
) => Promise<AuthenticatedClient | undefined>

type Needs = RegistrationNeeds & { log: Log; onCall?: OnCall | undefined }

const defaultScope = definitions.find(({ name }) => name === 'OIDC_SCOPE')?.default

/** OIDC_CLIENT_ID, or a client that onramp registers itself. */
export function createFindClient(settings: Settings, needs: Needs): FindClient {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_AUTH: method, OIDC_SCOPE: scope } = settings
  const own = readClientAuthentication(settings) ?? { method }
  if (clientId !== undefined)
    return async () => ({ metadata: { client_id: clientId }, auth: await createClientAuth(own) })
  const registration = createRegistration(settings, needs)

  return async (server, mayRegister) => {
    const kept = mayRegister
      ? await registration.current(() => registerClient(settings, server, needs))
      : await registration.stored()
    if (kept === undefined) return undefined
    const agreed = kept.token_endpoint_auth_method as ClientAuthentication['method']
    // A scope that the operator chose is asked for as it is.
    const asked = scope === defaultScope ? scopeToRequest(scope, server, kept['scope']) : scope
    return {
      metadata: { ...kept, scope: asked },
      auth: await createClientAuth({ ...own, method: agreed, secret: kept.client_secret }),
    }
  }
}
