// Gets access tokens for the mailbox, which replace a password (SMTP_OAUTH_…): by client credentials (RFC 6749 4.4),
// or by a JWT assertion (RFC 7523 2.1) if the server lists only that grant, as Google does for service accounts.
import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { clientCredentialsGrant, genericGrantRequest } from 'openid-client'
import type { TokenEndpointResponse, ServerMetadata } from 'openid-client'
import { describeNetworkError, networkErrorOf } from '../../http/network-error.ts'
import { Problem } from '../../problem.ts'
import { createSingleFlight } from '../../single-flight.ts'
import { credentialsIn } from '../../settings/client-credentials.ts'
import type { Settings } from '../../settings/settings.ts'
import { describeErrorResponse, responseStatus } from '../../sign-in/server/error-response.ts'
import { createClientAuth } from '../../sign-in/server/client-authentication.ts'
import { createConfiguration } from '../../sign-in/server/configuration.ts'
import { discoverMetadata } from '../../sign-in/server/discovery.ts'
import { MailServerUnusable } from './send-result.ts'

export class NoAccessToken extends MailServerUnusable {
  override name = 'NoAccessToken'
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Share of a token's life after which it is renewed. */
const USED_SHARE = 0.9
const UNKNOWN_LIFE_SECONDS = 300

/** The token endpoint: SMTP_OAUTH_TOKEN_URL, else that of the metadata. */
async function tokenServerOf({
  SMTP_OAUTH_TOKEN_URL: url,
  SMTP_OAUTH_ISSUER: issuer = '',
}: Partial<Settings>) {
  if (url !== undefined) return { issuer: url, token_endpoint: url } satisfies ServerMetadata
  const { metadata } = await discoverMetadata(issuer, '')
  return metadata
}

async function requestToken(settings: Partial<Settings>, mailbox: string): Promise<TokenEndpointResponse> {
  const { SMTP_OAUTH_CLIENT_ID: id = '', SMTP_OAUTH_SCOPE: scope = '' } = settings
  const server: ServerMetadata = await tokenServerOf(settings)
  const { secret, key, ...others } = credentialsIn(settings, 'SMTP_OAUTH')
  const { grant_types_supported: grants = [], token_endpoint_auth_methods_supported: methods } = server
  const metadata = { client_id: id }
  if (key !== undefined && grants.includes(JWT_BEARER) && !grants.includes('client_credentials')) {
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(id)
      .setSubject(mailbox)
      .setAudience(server.token_endpoint ?? server.issuer)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(createPrivateKey(key))
    const configuration = createConfiguration(server, { metadata, auth: () => {} })
    return await genericGrantRequest(configuration, JWT_BEARER, { assertion })
  }
  const inHeader = methods !== undefined && !methods.includes('client_secret_post')
  const withSecret = inHeader ? 'client_secret_basic' : 'client_secret_post'
  const method = secret === undefined ? 'private_key_jwt' : withSecret
  const auth = await createClientAuth({ method, secret, key, ...others })
  return await clientCredentialsGrant(createConfiguration(server, { metadata, auth }), scope ? { scope } : {})
}

function noAccessToken(
  error: unknown,
  { SMTP_OAUTH_TOKEN_URL: url, SMTP_OAUTH_ISSUER: issuer }: Partial<Settings>,
) {
  const problem = [error, Reflect.get(Object(error), 'cause')].find((cause) => cause instanceof Problem)
  const reason =
    responseStatus(error) === undefined
      ? describeNetworkError(networkErrorOf(error))
      : `it responded ${describeErrorResponse(error)}`
  const why = problem?.detail.replaceAll('OIDC_ISSUER', 'SMTP_OAUTH_ISSUER') ?? reason
  const { host } = new URL(url ?? issuer ?? '')
  const message = `no access token for the mailbox from ${host} (${why}): see SMTP_OAUTH_CLIENT_ID and SMTP_OAUTH_SCOPE`
  return new NoAccessToken(message, { cause: error })
}

/** @returns nodemailer's callback; with `renew`, because the mail server refused the current token */
export function createTokenProvider(settings: Partial<Settings>, now: () => number = Date.now) {
  let current: { token: string; until: number } | undefined
  const renewToken = async (mailbox: string) => {
    const response = await requestToken(settings, mailbox)
    const { access_token: token, expires_in: life = UNKNOWN_LIFE_SECONDS } = response
    return (current = { token, until: now() + life * 1000 * USED_SHARE })
  }
  const singleFlight = createSingleFlight<Awaited<ReturnType<typeof renewToken>>>()
  return (
    mailbox: string,
    renew: boolean,
    done: (error: Error | null, token: string, until: number) => void,
  ): void => {
    const isValid = !renew && current !== undefined && current.until > now()
    const access = isValid ? Promise.resolve(current) : singleFlight(mailbox, () => renewToken(mailbox))
    access.then(
      (accessToken) => done(null, accessToken?.token ?? '', accessToken?.until ?? 0),
      (error: unknown) => done(noAccessToken(error, settings), '', 0),
    )
  }
}
