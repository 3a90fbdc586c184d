// Asks who signed in: the id_token's claims, completed from userinfo. Without an id_token, userinfo alone says it; where
// there is none either (plain OAuth 2.1), what the server says of the access token, so that a person is the same one at
// the next sign-in.
import { randomUUID } from 'node:crypto'
import { decodeJwt, type JWTPayload } from 'jose'
import {
  ClientError,
  fetchUserInfo,
  skipSubjectCheck,
  tokenIntrospection,
  type Configuration,
  type TokenEndpointResponse,
} from 'openid-client'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import { warnOnce, type Log } from '../web/log.ts'
import { describeErrorResponse, responseStatus } from './server/error-response.ts'
import {
  isComplete,
  userFromClaims,
  explainMissingEmail,
  explainMissingGroups,
  type Claims,
  type ClaimSettings,
} from './claims.ts'
import { clientMetadataOf, serverMetadataOf } from './server/configuration.ts'

type Granted = {
  tokens: TokenEndpointResponse
  /** Of the id_token, verified; undefined when none was issued. */
  claims: Claims | undefined
}

/** @throws where no one can say who it is, or userinfo names another person */
type Identify = (configuration: Configuration, granted: Granted) => Promise<User>

const DAY_MS = 24 * 3600 * 1000
/** People whose last address is remembered. */
const MAX_KNOWN = 10_000

const SHARED =
  "two sign-ins within a day had one sub and two verified addresses. Unless a person was renamed, the authorization server gives several people one sub, and they see each other's apps: let it name each by a sub of their own"

export function createIdentify(settings: ClaimSettings, log: Pick<Log, 'warn'>, now: () => number): Identify {
  const known = new Map<string, { address: string; at: number }>()

  /** Per process is enough: one sub for everyone shows in each. */
  function whyShared({ subject, email, emailVerified }: User): string | undefined {
    if (email === undefined || emailVerified !== true) return undefined
    const [before, address] = [known.get(subject), email.toLowerCase()]
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(subject, { address, at: now() })
    return before && before.address !== address && now() - before.at < DAY_MS ? SHARED : undefined
  }

  const warn = warnOnce(log)
  return async (configuration, granted) => {
    refuseOtherParty(configuration, granted)
    const sources = await sourcesFor(configuration, granted, settings, log)
    const user = userFromClaims(serverMetadataOf(configuration).issuer, sources, settings)
    for (const why of [
      explainMissingGroups(sources, settings),
      explainMissingEmail(sources, settings),
      whyShared(user),
    ])
      warn(why)
    return user
  }
}

/** OpenID Connect Core 3.1.3.7, 5: the library looks at azp only where there are several audiences. */
function refuseOtherParty(configuration: Configuration, { claims }: Granted): void {
  const { client_id: clientId } = clientMetadataOf(configuration)
  if ((claims?.['azp'] ?? clientId) === clientId) return
  throw new Problem(400, 'sign_in_failed', { detail: 'the id_token was issued to another client (azp)' })
}

/**
 * Asks userinfo where there is one and the id_token leaves something open. An answer about another person means that the
 * tokens are not this person's.
 * @throws when userinfo names another subject than the id_token (OpenID Connect Core 5.3.2), or cannot be had where it
 * is the only source
 */
async function sourcesFor(
  configuration: Configuration,
  { tokens, claims }: Granted,
  settings: ClaimSettings,
  log: Pick<Log, 'warn'>,
): Promise<readonly [Claims, ...Claims[]]> {
  const { userinfo_endpoint } = serverMetadataOf(configuration)
  if (claims === undefined && userinfo_endpoint === undefined)
    return [await identifyByToken(configuration, tokens.access_token)]
  if (claims === undefined) return [await fetchUserInfo(configuration, tokens.access_token, skipSubjectCheck)]
  if (userinfo_endpoint === undefined || isComplete(claims, settings)) return [claims]
  try {
    return [claims, await fetchUserInfo(configuration, tokens.access_token, claims.sub)]
  } catch (error) {
    if (isAboutAnother(error)) throw error
    const what = `the userinfo endpoint answered ${describeErrorResponse(error)}`
    log.warn(
      { err: error },
      `${what}: this person is known by the id_token alone, perhaps without an address`,
    )
    return [claims]
  }
}

const isAboutAnother = (error: unknown) =>
  error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

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
    const status = responseStatus(error)
    // Not for this client: many servers let only resource servers ask.
    if (status !== undefined && status >= 400 && status < 500 && status !== 429) return undefined
    throw error
  }
}

/**
 * A JWT access token's `sub` (RFC 9068 2.2), to find the person's walk; no other claim counts. No signature is needed: the
 * token came from the token endpoint over TLS (as OpenID Connect Core 3.1.3.7, 6 has it for id_tokens).
 */
function subjectOf(configuration: Configuration, accessToken: string): Claims | undefined {
  let payload: JWTPayload
  try {
    payload = decodeJwt(accessToken)
  } catch {
    return undefined
  }
  const sub = textOf(payload.sub)
  const isOurs = payload.iss !== undefined && !isForElsewhere(configuration, payload)
  return sub === undefined || !isOurs ? undefined : { sub }
}

/** Of another issuer, or about the client itself: RFC 9068 5 warns of a client whose id is a person's `sub`. */
function isForElsewhere(
  configuration: Configuration,
  { iss, sub }: { iss?: unknown; sub?: unknown },
): boolean {
  const { issuer } = serverMetadataOf(configuration)
  return (iss !== undefined && iss !== issuer) || sub === clientMetadataOf(configuration).client_id
}

/** @throws where the server offers introspection and doesn't answer */
async function identifyByToken(configuration: Configuration, accessToken: string): Promise<Claims> {
  const known = (await introspected(configuration, accessToken)) ?? subjectOf(configuration, accessToken)
  // Nothing says who it is: a new person at every sign-in.
  return known ?? { sub: `unknown:${randomUUID()}` }
}
