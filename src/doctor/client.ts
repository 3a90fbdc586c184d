// The client at the token endpoint, asked with a code that cannot be right: `invalid_grant` says that the client is
// right, `invalid_client` that it is not (RFC 6749 5.2). Nobody is signed in by it.
import {
  allowInsecureRequests,
  Configuration,
  genericGrantRequest,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  type ServerMetadata,
} from 'openid-client'
import type { Settings } from '../settings.ts'
import { clientAuthOf, type ClientAuthentication } from '../sign-in/client-authentication.ts'
import { fail, ok, skip, warn, type Check, type Finding, type Subject } from './check.ts'
import { withMetadata, type Metadata } from './discovered.ts'
import { isSafeAddress } from './public-address.ts'

type Outcome = 'right' | 'wrong-client' | 'not-allowed' | 'unclear' | 'silent'

const TIME_LIMIT_SECONDS = 8

async function tryCode(metadata: Metadata, clientId: string, how: ClientAuthentication, redirect: string) {
  const configuration = new Configuration(
    metadata as ServerMetadata,
    clientId,
    undefined,
    await clientAuthOf(how),
  )
  configuration.timeout = TIME_LIMIT_SECONDS
  // Every address was found to be https or this machine before.
  allowInsecureRequests(configuration)
  const parameters = {
    code: 'onramp-doctor',
    redirect_uri: redirect,
    code_verifier: 'onramp-doctor'.repeat(4),
  }
  return await genericGrantRequest(configuration, 'authorization_code', parameters).then(
    () => 'unclear' as const,
    outcomeOf,
  )
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof ResponseBodyError) {
    if (error.error === 'invalid_grant') return 'right'
    if (error.error === 'invalid_client') return 'wrong-client'
    return error.error === 'unauthorized_client' ? 'not-allowed' : 'unclear'
  }
  if (error instanceof WWWAuthenticateChallengeError) return 'wrong-client'
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Response) return cause.status === 401 ? 'wrong-client' : 'unclear'
  return error instanceof Error && 'code' in error && /^OAUTH_(RESPONSE|PARSE)/.test(String(error.code))
    ? 'unclear'
    : 'silent'
}

/** The same secret sent in the other way: which of the two settings is wrong. */
function otherWay({ method, ...rest }: ClientAuthentication): ClientAuthentication | undefined {
  if (method === 'client_secret_basic') return { method: 'client_secret_post', ...rest }
  return method === 'client_secret_post' ? { method: 'client_secret_basic', ...rest } : undefined
}

function findingOf(outcome: Outcome, method: ClientAuthentication['method']): Finding {
  switch (outcome) {
    case 'right':
      return ok('The authorization server knows the client, and takes its authentication.')
    case 'wrong-client':
      return fail('The authorization server does not accept the client (invalid_client).', {
        settings:
          method === 'none'
            ? ['OIDC_CLIENT_ID', 'OIDC_CLIENT_AUTH']
            : [
                'OIDC_CLIENT_ID',
                method === 'private_key_jwt' ? 'OIDC_CLIENT_KEY' : 'OIDC_CLIENT_SECRET',
                'OIDC_CLIENT_AUTH',
              ],
        mend: 'copy the id and what it proves itself with from the authorization server again',
      })
    case 'not-allowed':
      return fail('The client may not use the authorization code flow (unauthorized_client).', {
        settings: ['OIDC_CLIENT_ID'],
        mend: 'allow authorization_code and refresh_token for the client at the authorization server',
      })
    case 'unclear':
      return warn('The token endpoint answers in a way that tells nothing about the client.', {
        settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
        mend: 'compare them with the authorization server by hand',
      })
    case 'silent':
      return fail('The token endpoint gives no usable answer.', {
        settings: ['OIDC_ISSUER'],
        mend: 'let this machine reach the token_endpoint of the metadata',
      })
  }
}

async function look(metadata: Metadata, settings: Partial<Settings>): Promise<Finding[]> {
  const {
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_AUTH: method,
    PUBLIC_URL: url = 'https://onramp.invalid',
  } = settings
  const { OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_KEY: key } = settings
  if (clientId === undefined || method === undefined) return [skip('OIDC_CLIENT_ID is not set.')]
  if (method.startsWith('client_secret') && secret === undefined)
    return [skip('OIDC_CLIENT_SECRET is not set.')]
  if (!isSafeAddress(metadata.token_endpoint ?? '')) return [skip('there is no token endpoint to ask.')]
  const how = { method, secret, key }
  if (
    method === 'private_key_jwt' &&
    !(await clientAuthOf(how).then(
      () => true,
      () => false,
    ))
  )
    return [skip('OIDC_CLIENT_KEY cannot be used.')]
  const attempt = (authentication: ClientAuthentication) =>
    tryCode(metadata, clientId, authentication, `${url}/sign-in/callback`)
  const outcome = await attempt(how)
  const other = outcome === 'wrong-client' ? otherWay(how) : undefined
  if (other !== undefined && (await attempt(other)) === 'right')
    return [
      fail(`The client is right, but the authorization server wants ${other.method}.`, {
        settings: ['OIDC_CLIENT_AUTH'],
        mend: `set it to ${other.method}`,
      }),
    ]
  return [findingOf(outcome, method)]
}

export const client: Check = {
  id: 'authorization-server.client',
  about: 'The client',
  group: 'Authorization server',
  network: true,
  look: (subject: Subject) => withMetadata(subject, (metadata) => look(metadata, subject.settings)),
}
