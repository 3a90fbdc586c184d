// Who onramp is at the authorization server, from the settings: see sign-in/client.ts for what that means.
import type { Settings } from './settings.ts'
import { fixedClient, registeringClient, type ClientSource } from './sign-in/client.ts'
import { createRegistration } from './sign-in/registration.ts'

type RegistrationParts = Omit<Parameters<typeof createRegistration>[0], 'issuer' | 'publicUrl'>

/** OIDC_CLIENT_ID, or a client that onramp registers itself. */
export function clientOf(settings: Settings, parts: RegistrationParts): ClientSource {
  const { OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key } = settings
  const authentication = { method, secret, key }
  if (settings.OIDC_CLIENT_ID !== undefined) return fixedClient(settings.OIDC_CLIENT_ID, authentication)
  const { PUBLIC_URL: publicUrl, OIDC_ISSUER: issuer, OIDC_SCOPE: scope } = settings
  return registeringClient({
    registration: createRegistration({ ...parts, issuer, publicUrl }),
    publicUrl,
    scope,
    authentication,
    initialAccessToken: settings.OIDC_INITIAL_ACCESS_TOKEN,
  })
}
