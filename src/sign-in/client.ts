// Who onramp is at the authorization server: the client of the settings, or one that it registers itself (RFC 7591).
import {
  allowInsecureRequests,
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
  type AuthorizationServer as ServerMetadata,
} from 'oauth4webapi'
import type { ClientAuth, ClientMetadata } from 'openid-client'
import { Problem } from '../problem.ts'
import { clientAuthOf, publicJwks, type ClientAuthentication } from './client-authentication.ts'
import { isLoopbackHttp } from './loopback.ts'
import type { Registered, Registration } from './registration.ts'

export type Client = { metadata: Partial<ClientMetadata> & { client_id: string }; auth: ClientAuth }

export type ClientSource = {
  /** @throws {Problem} sign_in_misconfigured, sign_in_unavailable */
  current(server: ServerMetadata): Promise<Client>
  /** Set where onramp registers itself: drops a client that the server no longer knows. */
  forget?: (clientId: string) => Promise<void>
}

/** OIDC_CLIENT_ID is set: a client that somebody registered by hand. */
export const fixedClient = (clientId: string, authentication: ClientAuthentication): ClientSource => ({
  current: async () => ({ metadata: { client_id: clientId }, auth: await clientAuthOf(authentication) }),
})

export type RegisteringOptions = {
  registration: Registration
  publicUrl: string
  scope: string
  authentication: ClientAuthentication
  initialAccessToken: string | undefined
}

const TIME_LIMIT_MS = 10_000

/** OIDC_CLIENT_ID is absent: dynamic client registration. */
export function registeringClient(options: RegisteringOptions): ClientSource {
  const { registration, authentication } = options
  return {
    async current(server) {
      const client = await registration.current(() => register(server, options))
      const method = (client.token_endpoint_auth_method ??
        authentication.method) as ClientAuthentication['method']
      const auth = await clientAuthOf({ ...authentication, method, secret: client.client_secret })
      return { metadata: client, auth }
    },
    forget: (clientId) => registration.forget(clientId),
  }
}

async function wantedMetadata({
  publicUrl,
  scope,
  authentication,
}: RegisteringOptions): Promise<Partial<ClientMetadata>> {
  return {
    client_name: 'Onramp',
    client_uri: publicUrl,
    redirect_uris: [`${publicUrl}/sign-in/callback`],
    post_logout_redirect_uris: [`${publicUrl}/signed-out`],
    backchannel_logout_uri: `${publicUrl}/sign-out/backchannel`,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope,
    token_endpoint_auth_method: authentication.method,
    ...(authentication.method === 'private_key_jwt'
      ? { jwks: await publicJwks(authentication.key ?? '') }
      : {}),
  }
}

async function register(server: ServerMetadata, options: RegisteringOptions): Promise<Registered> {
  const { initialAccessToken } = options
  if (server.registration_endpoint === undefined)
    throw closed('the authorization server has no registration endpoint', '')
  const metadata = await wantedMetadata(options)
  const response = await dynamicClientRegistrationRequest(server, metadata, {
    ...(initialAccessToken === undefined ? {} : { initialAccessToken }),
    [allowInsecureRequests]: isLoopbackHttp(new URL(server.registration_endpoint)),
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  })
  const { status } = response
  try {
    return { ...(await processDynamicClientRegistrationResponse(response)) }
  } catch (error) {
    const asks =
      status === 401 || status === 403 ? 'set OIDC_INITIAL_ACCESS_TOKEN if it asks for one, or ' : ''
    throw closed(`the registration endpoint answered ${status}`, asks, error)
  }
}

/** A closed registration endpoint is for the operator to know, with what to do instead. */
const closed = (what: string, instead: string, cause?: unknown) =>
  new Problem(503, 'sign_in_misconfigured', {
    detail: `${what}: ${instead}register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
    cause,
    retryAfter: 30,
  })
