// Does the authorization server know a client? Asked with a token or code that was made up: `invalid_client` says no
// (RFC 7009 2.2.1, RFC 6749 5.2). What says yes says little: some servers answer so for any client. These are asked at the
// authorization endpoint. A refusal there says little too, because firewalls refuse: it has to be the one that a made-up
// client gets, at a server that answered the two differently when the client was new.
import { randomBytes } from 'node:crypto'
import {
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  ClientError,
  genericGrantRequest,
  randomPKCECodeVerifier,
  ResponseBodyError,
  tokenIntrospection,
  tokenRevocation,
  WWWAuthenticateChallengeError,
  type Configuration,
} from 'openid-client'
import { request as ask } from 'undici'
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

export const madeUp = () => `onramp-probe-${randomBytes(12).toString('base64url')}`

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

/** The endpoints that refuse this client, each asked when it is its turn. @param mute those whose refusals say nothing */
export async function* refusingEndpoints(
  configuration: Configuration,
  mute: readonly string[] = [],
): AsyncGenerator<ProbeEndpoint> {
  for (const endpoint of probeEndpoints(configuration).filter((one) => !mute.includes(one))) {
    const refusal = await request(configuration, endpoint, NO_REDIRECT).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (await saysInvalidClient(refusal)) yield endpoint
  }
}

/** In so many words, as RFC 6749 5.2 asks for: a bare 401 may be of a firewall in between, and tells nothing. */
async function saysInvalidClient(refusal: unknown): Promise<boolean> {
  // The library reads no body where there is a challenge.
  if (refusal instanceof WWWAuthenticateChallengeError)
    return objectIn(await refusal.response.text().catch(() => ''))?.['error'] === 'invalid_client'
  return refusal instanceof ResponseBodyError && refusal.error === 'invalid_client'
}

/** A token endpoint may check the code before the client: only another endpoint that says no to no one else can tell. */
export const hasTellingEndpoint = (configuration: Configuration, mute: readonly string[]): boolean =>
  probeEndpoints(configuration).some((one) => one !== 'token' && !mute.includes(one))

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

/**
 * A refusal (400 to 499: of other answers the library reads no error) that may come from a client which is gone: servers
 * that check the code or the token before the client answer `invalid_grant` then.
 */
export const mayBeForgotten = (error: unknown): boolean =>
  error instanceof ResponseBodyError ||
  (error instanceof AuthorizationResponseError && /^(invalid|unauthorized)_client$/.test(error.error))

const TIME_LIMIT_MS = 4_000

/** Servers answer a fetch otherwise than a navigation (Fetch Metadata, W3C), so undici's request and a browser's headers. */
const HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'cross-site',
  'user-agent': 'Mozilla/5.0 (onramp)',
}

/**
 * The status that the authorization endpoint answers this client with, asked as a browser would: without cookies, and
 * without following redirects. Undefined: no answer.
 */
async function answerTo(
  clientId: string,
  configuration: Configuration,
  redirect: string,
): Promise<number | undefined> {
  const { authorization_endpoint: endpoint } = serverMetadataOf(configuration)
  if (endpoint === undefined) return undefined
  const { scope } = configuration.clientMetadata()
  const url = new URL(endpoint)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope: typeof scope === 'string' ? scope : 'openid',
    state: madeUp(),
    nonce: madeUp(),
    code_challenge: await calculatePKCECodeChallenge(randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
    // OpenID Connect Core 3.1.2.1: nothing is shown, so nothing is begun.
    prompt: 'none',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    const { statusCode, body } = await ask(url, { headers: HEADERS, signal })
    await body.dump()
    return statusCode
  } catch {
    return undefined
  }
}

/** Refused for what was asked, and not because of the moment. */
const isRefusal = (status: number | undefined) =>
  status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429

/**
 * @param redirect the client's redirect address
 * @returns the status that refuses a made-up client where ours is not refused; undefined: the two cannot be told apart
 */
export async function refusalOfUnknown(
  configuration: Configuration,
  redirect: string,
): Promise<number | undefined> {
  const ours = await answerTo(configuration.clientMetadata().client_id, configuration, redirect)
  if (ours === undefined || ours >= 400) return undefined
  const other = await answerTo(madeUp(), configuration, redirect)
  return isRefusal(other) ? other : undefined
}

/** @param refusal what a made-up client was answered when ours was not: now both are */
export async function isRefusedAsUnknown(
  configuration: Configuration,
  redirect: string,
  refusal: number,
): Promise<boolean> {
  const { client_id: ours } = configuration.clientMetadata()
  for (const clientId of [ours, madeUp()])
    if ((await answerTo(clientId, configuration, redirect)) !== refusal) return false
  return true
}
