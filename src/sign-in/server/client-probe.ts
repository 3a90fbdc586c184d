// Does the authorization server know a client? Asked with a token or code that was made up: `invalid_client` says no
// (RFC 7009 2.2.1, RFC 6749 5.2). What says yes says little: there are servers that answer so for any client.
import { randomBytes } from 'node:crypto'
import {
  AuthorizationResponseError,
  genericGrantRequest,
  ResponseBodyError,
  tokenIntrospection,
  tokenRevocation,
  type Configuration,
} from 'openid-client'
import { isClientRefused } from '../answer-problems.ts'
import { serverMetadataOf } from './metadata.ts'

export type ProbeEndpoint = 'token' | 'revocation' | 'introspection'

/**
 * `accepted`: it got past the check of the client, if there is one; `not-allowed`: known, but not for this;
 * `unclear`: an answer that tells nothing; `silent`: none.
 */
export type ProbeAnswer = 'accepted' | 'refused' | 'not-allowed' | 'unclear' | 'silent'

/** Where to ask, the one that is asked anyway first. Introspection often is for resource servers: only as a substitute. */
export function probeEndpoints(configuration: Configuration): ProbeEndpoint[] {
  const { revocation_endpoint: revocation, introspection_endpoint: introspection } =
    serverMetadataOf(configuration)
  if (revocation !== undefined) return ['token', 'revocation']
  return introspection === undefined ? ['token'] : ['token', 'introspection']
}

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
  redirect = 'urn:onramp:probe',
): Promise<ProbeAnswer> {
  try {
    await request(configuration, endpoint, redirect)
    // A made-up code that is redeemed says nothing of the client.
    return endpoint === 'token' ? 'unclear' : 'accepted'
  } catch (error) {
    return answerIn(error, endpoint)
  }
}

/** @param mute endpoints whose refusals say nothing */
export async function isRefusedSomewhere(
  configuration: Configuration,
  mute: readonly string[],
): Promise<boolean> {
  for (const endpoint of probeEndpoints(configuration).filter((one) => !mute.includes(one)))
    if ((await probeClient(configuration, endpoint)) === 'refused') return true
  return false
}

/** A token endpoint may check the code before the client: only another endpoint that says no to nobody else can tell. */
export const hasTellingEndpoint = (configuration: Configuration, mute: readonly string[]): boolean =>
  probeEndpoints(configuration).some((one) => one !== 'token' && !mute.includes(one))

function answerIn(error: unknown, endpoint: ProbeEndpoint): ProbeAnswer {
  if (isClientRefused(error)) return 'refused'
  if (error instanceof ResponseBodyError) {
    if (error.error === 'unauthorized_client') return 'not-allowed'
    const expected = endpoint === 'token' ? /^invalid_grant$/ : /^(invalid_token|unsupported_token_type)$/
    return expected.test(error.error) ? 'accepted' : 'unclear'
  }
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Response) return cause.status === 401 ? 'refused' : 'unclear'
  return error instanceof Error &&
    'code' in error &&
    /^OAUTH_(RESPONSE|PARSE|INVALID_RESPONSE)/.test(String(error.code))
    ? 'unclear'
    : 'silent'
}

/**
 * A refusal that may come from a client which is gone: servers that check the code or the token before the client answer
 * `invalid_grant` then.
 */
export const mayBeForgotten = (error: unknown): boolean =>
  (error instanceof ResponseBodyError && error.status >= 400 && error.status < 500) ||
  (error instanceof AuthorizationResponseError && /^(invalid|unauthorized)_client$/.test(error.error))
