// Who a person is where a server says it with neither an id_token nor userinfo (plain OAuth 2.1): what it says of the
// access token, so that a person is the same one at the next sign-in.
import { randomUUID } from 'node:crypto'
import { decodeJwt, type JWTPayload } from 'jose'
import { tokenIntrospection, type Configuration } from 'openid-client'
import { statusOf } from './answer-words.ts'
import { serverMetadataOf } from './server/configuration.ts'

export type Claims = { sub: string; [claim: string]: unknown }

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Token introspection (RFC 7662): `sub`, or `username` under a name of its own, because one person's username may be
 * another's `sub`.
 * @throws where it is offered and cannot be had: taking the next best name would make the person another one for a day
 */
async function introspected(configuration: Configuration, accessToken: string): Promise<Claims | undefined> {
  if (serverMetadataOf(configuration).introspection_endpoint === undefined) return undefined
  try {
    const said = await tokenIntrospection(configuration, accessToken, { token_type_hint: 'access_token' })
    const [sub, username] = [textOf(said.sub), textOf(said.username)]
    const subject = sub ?? (username === undefined ? undefined : `username:${username}`)
    if (!said.active || subject === undefined || isForElsewhere(configuration, said)) return undefined
    return { preferred_username: username, ...said, sub: subject }
  } catch (error) {
    const status = statusOf(error)
    // Not for this client: many servers let only resource servers ask.
    if (status !== undefined && status >= 400 && status < 500 && status !== 429) return undefined
    throw error
  }
}

/**
 * A JWT access token's `sub` (RFC 9068 2.2). Its signature isn't checked and needn't be: the token came straight from
 * the token endpoint, over TLS, in answer to our own code (as OpenID Connect Core 3.1.3.7, 6 has it for id_tokens). It
 * is only a name to find the person's walk under; nothing else of it counts, least of all an address.
 */
function subjectOf(configuration: Configuration, accessToken: string): Claims | undefined {
  const payload = payloadOf(accessToken)
  const sub = textOf(payload?.sub)
  const isOurs = payload?.iss === serverMetadataOf(configuration).issuer
  if (payload === undefined || sub === undefined || !isOurs || isForElsewhere(configuration, payload))
    return undefined
  return { sub }
}

function payloadOf(accessToken: string): JWTPayload | undefined {
  try {
    return decodeJwt(accessToken)
  } catch {
    return undefined
  }
}

/** Of another issuer, or about the client itself: RFC 9068 5 warns of a client whose id is a person's `sub`. */
function isForElsewhere(
  configuration: Configuration,
  { iss, sub }: { iss?: unknown; sub?: unknown },
): boolean {
  const { issuer } = serverMetadataOf(configuration)
  return (iss !== undefined && iss !== issuer) || sub === configuration.clientMetadata().client_id
}

/** @throws where the server offers introspection and doesn't answer */
export async function identifyByToken(configuration: Configuration, accessToken: string): Promise<Claims> {
  const known = (await introspected(configuration, accessToken)) ?? subjectOf(configuration, accessToken)
  // Nothing says who it is: a new person at every sign-in.
  return known ?? { sub: `unknown:${randomUUID()}` }
}
