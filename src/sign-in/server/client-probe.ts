// Does the authorization server know a client? For the doctor only, which an operator calls: asked with a token or code
// that was made up, `invalid_client` says no (RFC 7009 2.2.1, RFC 6749 5.2). What says yes says little: some servers
// answer so for any client.
import { randomBytes } from 'node:crypto'
import {
  ClientError,
  genericGrantRequest,
  ResponseBodyError,
  tokenIntrospection,
  tokenRevocation,
  WWWAuthenticateChallengeError,
  type Configuration,
} from 'openid-client'
import { objectIn } from '../../client-api/body.ts'
import { isClientRefused } from '../answer-problems.ts'
import { statusOf } from '../answer-words.ts'
import { serverMetadataOf } from './configuration.ts'

export type ProbeEndpoint = 'token' | 'revocation' | 'introspection'

/**
 * `accepted`: it got past the check of the client, if there is one; `not-allowed`: known, but not for this; `challenged`: a
 * bare 401, perhaps of a firewall; `status 5..` or `status 429`: not now; `unclear`: an answer that tells nothing;
 * `silent`: none, or a page instead of one.
 */
export type ProbeAnswer =
  'accepted' | 'refused' | 'not-allowed' | 'challenged' | `status ${number}` | 'unclear' | 'silent'

/** Where to ask, the one that is asked anyway first. Introspection often is for resource servers: only as a substitute. */
export function probeEndpoints(configuration: Configuration): ProbeEndpoint[] {
  const { revocation_endpoint: revocation, introspection_endpoint: introspection } =
    serverMetadataOf(configuration)
  if (revocation !== undefined) return ['token', 'revocation']
  return introspection === undefined ? ['token'] : ['token', 'introspection']
}

const NO_REDIRECT = 'urn:onramp:probe'

const madeUp = () => `onramp-probe-${randomBytes(12).toString('base64url')}`

function request(configuration: Configuration, endpoint: ProbeEndpoint, redirect: string): Promise<unknown> {
  if (endpoint === 'revocation') return tokenRevocation(configuration, madeUp())
  if (endpoint === 'introspection') return tokenIntrospection(configuration, madeUp())
  const probe = { code: madeUp(), redirect_uri: redirect, code_verifier: 'x'.repeat(43) }
  return genericGrantRequest(configuration, 'authorization_code', probe)
}

/** @param redirect the client's redirect address, where it is known */
export async function probeClient(
  configuration: Configuration,
  endpoint: ProbeEndpoint,
  redirect = NO_REDIRECT,
): Promise<ProbeAnswer> {
  try {
    await request(configuration, endpoint, redirect)
    // A made-up code that is redeemed says nothing of the client.
    return endpoint === 'token' ? 'unclear' : 'accepted'
  } catch (error) {
    return await answerIn(error, endpoint)
  }
}

/** In so many words, as RFC 6749 5.2 asks for: a bare 401 may be of a firewall in between, and tells nothing. */
async function saysInvalidClient(refusal: unknown): Promise<boolean> {
  // The library reads no body where there is a challenge.
  if (refusal instanceof WWWAuthenticateChallengeError)
    return objectIn(await refusal.response.text().catch(() => ''))?.['error'] === 'invalid_client'
  return refusal instanceof ResponseBodyError && refusal.error === 'invalid_client'
}

async function answerIn(error: unknown, endpoint: ProbeEndpoint): Promise<ProbeAnswer> {
  if (await saysInvalidClient(error)) return 'refused'
  const isToken = endpoint === 'token'
  // Every sign-in would meet it there.
  if (isClientRefused(error)) return isToken ? 'refused' : 'challenged'
  const status = statusOf(error) ?? 0
  if (status === 429 || status >= 500) return `status ${status}`
  if (error instanceof ResponseBodyError) {
    if (error.error === 'unauthorized_client') return 'not-allowed'
    const expected = isToken ? /^invalid_grant$/ : /^(invalid_token|unsupported_token_type)$/
    return expected.test(error.error) ? 'accepted' : 'unclear'
  }
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Response) {
    if (cause.status === 401) return isToken ? 'refused' : 'challenged'
    return isToken && (cause.status < 400 || cause.status === 403) ? 'silent' : 'unclear'
  }
  const isAnswer =
    error instanceof ClientError && /^OAUTH_(RESPONSE|PARSE|INVALID_RESPONSE)/.test(error.code ?? '')
  return isAnswer ? 'unclear' : 'silent'
}
