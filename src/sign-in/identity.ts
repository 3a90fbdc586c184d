// Who signed in: the id_token's claims, completed from userinfo. Without an id_token, userinfo alone
// says it; where there is none either (plain OAuth 2.1), what the server says of the access token, so that a person is
// the same one at the next sign-in.
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
import type { User } from '../session/signed-in.ts'
import { inWords, statusOf } from './answer-words.ts'
import { serverMetadataOf } from './server/configuration.ts'

export type Claims = { sub: string; [claim: string]: unknown }

const MAX_CHARACTERS = 200
/** The longest tags in use have some twenty characters (RFC 5646 4.4.1). */
const MAX_LOCALE = 35
/** RFC 5321 4.5.3.1, as erratum 1690 of RFC 3696 counts it. */
const MAX_ADDRESS = 254
const text = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_CHARACTERS) : undefined

export type EmailRule = {
  /** OIDC_EMAIL_CLAIM. */
  claim: string
  /** OIDC_EMAIL_TRUST: `always` also takes an address without a word on whether it is verified, but none that is denied. */
  trust: 'verified' | 'always'
}

/** Some servers write the boolean as a text. */
const isYes = (value: unknown) => value === true || value === 'true'

/** A denial of an address counts for every spelling of it. */
const folded = (address: unknown) => (typeof address === 'string' ? address.trim().toLowerCase() : undefined)

type Said = { email: string; verified: unknown }

/** The address as one source has it, with what that source says about it. Never cut: a part could be another's address. */
function addressIn(claims: Claims, claim: string): Said | undefined {
  const value = claims[claim]
  if (typeof value !== 'string' || value.length > MAX_ADDRESS) return undefined
  // Spaces alone: other invisible characters make it another address.
  const email = value.replaceAll(/^ +| +$/g, '')
  if (email === '') return undefined
  // `email_verified` is about the claim `email` (OpenID Connect Core 5.1) and about no other.
  return { email, verified: value === claims['email'] ? claims['email_verified'] : undefined }
}

/**
 * The address and whether it counts, both from one source: `email` of the id_token beside `email_verified` of userinfo
 * would vouch for an address that no one verified. A source that says whether it is verified goes first.
 */
function addressOf(
  sources: readonly Claims[],
  { claim, trust }: EmailRule,
): Pick<User, 'email' | 'emailVerified'> {
  const said = sources.map((claims) => addressIn(claims, claim)).filter((one) => one !== undefined)
  const chosen = said.find(({ verified }) => verified !== undefined) ?? said[0]
  if (chosen === undefined) return {}
  const { email, verified } = chosen
  // A denial counts in any of the sources.
  const isDenied = sources.some((claims) => {
    const denied = claims['email_verified']
    return denied !== undefined && !isYes(denied) && folded(claims['email'] ?? email) === folded(email)
  })
  const emailVerified = !isDenied && (isYes(verified) || (trust === 'always' && verified === undefined))
  return { email, emailVerified }
}

/** Pure: the user that claims name. @param sources of the id_token, of userinfo: the first has the subject */
export function userOf(issuer: string, sources: readonly [Claims, ...Claims[]], rule: EmailRule): User {
  const first = (claim: string) =>
    sources.map((claims) => text(claims[claim])).find((value) => value !== undefined)
  const name = first('name') ?? first('preferred_username')
  return {
    issuer,
    subject: sources[0].sub,
    name,
    locale: first('locale')?.slice(0, MAX_LOCALE),
    ...addressOf(sources, rule),
  }
}

export type Granted = {
  tokens: TokenEndpointResponse
  /** Of the id_token, verified; undefined when none was issued. */
  claims: Claims | undefined
}

/** Pure: does the id_token leave nothing to ask? An address counts only with a word about whether it is verified. */
export function saysEverything(claims: Claims, rule: EmailRule): boolean {
  const hasName = text(claims['name']) !== undefined || text(claims['preferred_username']) !== undefined
  return hasName && addressIn(claims, rule.claim)?.verified !== undefined
}

export type IdentifyParts = {
  emailRule: EmailRule
  log: { warn(fields: object, message: string): void }
}

/**
 * Asks userinfo where there is one and the id_token leaves something open. An answer about another person means that the
 * tokens are not this person's.
 * @throws when userinfo names another subject than the id_token (OpenID Connect Core 5.3.2), or cannot be had where it
 * is the only source
 */
export async function identify(
  configuration: Configuration,
  { tokens, claims }: Granted,
  { emailRule: rule, log }: IdentifyParts,
): Promise<User> {
  const { issuer, userinfo_endpoint } = serverMetadataOf(configuration)
  if (claims === undefined && userinfo_endpoint === undefined)
    return userOf(issuer, [await identifyByToken(configuration, tokens.access_token)], rule)
  if (claims === undefined)
    return userOf(issuer, [await fetchUserInfo(configuration, tokens.access_token, skipSubjectCheck)], rule)
  if (userinfo_endpoint === undefined || saysEverything(claims, rule)) return userOf(issuer, [claims], rule)
  try {
    const info = await fetchUserInfo(configuration, tokens.access_token, claims.sub)
    return userOf(issuer, [claims, info], rule)
  } catch (error) {
    if (isAboutAnother(error)) throw error
    const what = `the userinfo endpoint answered ${inWords(error)}`
    log.warn(
      { err: error },
      `${what}: this person is known by the id_token alone, perhaps without an address`,
    )
    return userOf(issuer, [claims], rule)
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
async function identifyByToken(configuration: Configuration, accessToken: string): Promise<Claims> {
  const known = (await introspected(configuration, accessToken)) ?? subjectOf(configuration, accessToken)
  // Nothing says who it is: a new person at every sign-in.
  return known ?? { sub: `unknown:${randomUUID()}` }
}
