// Who onramp is at the authorization server, from the settings: see sign-in/client.ts for what that means.
import { settings as definitions, type Settings } from '../../settings/settings.ts'
import { keyThumbprint } from './client-authentication.ts'
import { fixedClient, registeringClient, type ClientSource } from './client.ts'
import type { RegistrationLog } from '../registration/request.ts'
import {
  createRegistration,
  type Registration,
  type RegistrationParts,
} from '../registration/registration.ts'

type Parts = Omit<RegistrationParts, 'identity'>

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

const defaultScope = definitions.find(({ name }) => name === 'OIDC_SCOPE')?.default

/** OIDC_CLIENT_ID, or a client that onramp registers itself. */
export function clientOf(
  settings: Settings,
  { log, ...parts }: Parts & { log: RegistrationLog },
): ClientSource {
  const { OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key } = settings
  const authentication = { method, secret, key }
  if (settings.OIDC_CLIENT_ID !== undefined) return fixedClient(settings.OIDC_CLIENT_ID, authentication)
  const { PUBLIC_URL: publicUrl, OIDC_SCOPE: scope } = settings
  return registeringClient({
    registration: registrationOf(settings, parts),
    publicUrl,
    scope,
    isScopeChosen: scope !== defaultScope,
    authentication,
    initialAccessToken: settings.OIDC_INITIAL_ACCESS_TOKEN,
    log,
    now: parts.now,
  })
}
