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

/** Pure: the user that verified claims name. */
export function userOf(issuer: string, claims: Claims): User {
  const name = text(claims['name']) ?? text(claims['preferred_username'])
  const email = text(claims['email'])
  return {
    issuer,
    subject: claims.sub,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email, emailVerified: claims['email_verified'] === true }),
  }
}

/**
 * Asks userinfo wherever there is one: an answer about somebody else means that the tokens are not this person's.
 * @param claims of the id_token, verified; undefined when none was issued
 * @throws when userinfo names another subject than the id_token (OpenID Connect Core 5.3.2), or cannot be had where it
 * is the only source
 */
export async function identify(
  configuration: Configuration,
  tokens: TokenEndpointResponse,
  claims: Claims | undefined,
): Promise<User> {
  const { issuer, userinfo_endpoint } = configuration.serverMetadata()
  if (claims === undefined && userinfo_endpoint === undefined)
    return { issuer, subject: `unknown:${randomUUID()}` }
  if (claims === undefined)
    return userOf(issuer, await fetchUserInfo(configuration, tokens.access_token, skipSubjectCheck))
  if (userinfo_endpoint === undefined) return userOf(issuer, claims)
  try {
    const info = await fetchUserInfo(configuration, tokens.access_token, claims.sub)
    return userOf(issuer, { ...info, ...claims })
  } catch (error) {
    if (isAboutSomebodyElse(error)) throw error
    return userOf(issuer, claims)
  }
}

const isAboutSomebodyElse = (error: unknown) =>
  error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
