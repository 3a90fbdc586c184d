// Who signed in: the id_token's claims, completed from userinfo. Without an id_token (plain OAuth 2.1) userinfo alone
// says it, and where there is none, nobody is claimed to be known.
import { randomUUID } from 'node:crypto'
import {
  ClientError,
  fetchUserInfo,
  skipSubjectCheck,
  type Configuration,
  type TokenEndpointResponse,
} from 'openid-client'
import type { User } from '../session/session.ts'

type Claims = { sub: string; [claim: string]: unknown }

const MOST_CHARACTERS = 200
const text = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MOST_CHARACTERS) : undefined

export type EmailRule = {
  /** OIDC_EMAIL_CLAIM. */
  claim: string
  /** OIDC_EMAIL_TRUST: `always` also takes an address that nobody says is verified, but none that is said not to be. */
  trust: 'verified' | 'always'
}

/** Some servers write the boolean as a text. */
const isYes = (value: unknown) => value === true || value === 'true'

/** Pure: the user that verified claims name. */
export function userOf(issuer: string, claims: Claims, { claim, trust }: EmailRule): User {
  const name = text(claims['name']) ?? text(claims['preferred_username'])
  const email = text(claims[claim])
  // It is said of the claim `email` (OpenID Connect Core 5.1) and of no other.
  const said = email === text(claims['email']) ? claims['email_verified'] : undefined
  const emailVerified = isYes(said) || (trust === 'always' && said === undefined)
  return {
    issuer,
    subject: claims.sub,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email, emailVerified }),
  }
}

export type Granted = {
  tokens: TokenEndpointResponse
  /** Of the id_token, verified; undefined when none was issued. */
  claims: Claims | undefined
}

/**
 * Asks userinfo wherever there is one: an answer about somebody else means that the tokens are not this person's.
 * @throws when userinfo names another subject than the id_token (OpenID Connect Core 5.3.2), or cannot be had where it
 * is the only source
 */
export async function identify(
  configuration: Configuration,
  { tokens, claims }: Granted,
  rule: EmailRule,
): Promise<User> {
  const { issuer, userinfo_endpoint } = configuration.serverMetadata()
  if (claims === undefined && userinfo_endpoint === undefined)
    return { issuer, subject: `unknown:${randomUUID()}` }
  if (claims === undefined)
    return userOf(issuer, await fetchUserInfo(configuration, tokens.access_token, skipSubjectCheck), rule)
  if (userinfo_endpoint === undefined) return userOf(issuer, claims, rule)
  try {
    const info = await fetchUserInfo(configuration, tokens.access_token, claims.sub)
    return userOf(issuer, { ...info, ...claims }, rule)
  } catch (error) {
    if (isAboutSomebodyElse(error)) throw error
    return userOf(issuer, claims, rule)
  }
}

const isAboutSomebodyElse = (error: unknown) =>
  error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
