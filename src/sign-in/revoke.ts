// Takes tokens back at the authorization server when somebody signs out (RFC 7009): best effort, and never long.
import { setTimeout as pause } from 'node:timers/promises'
import { tokenRevocation, type Configuration } from 'openid-client'
import type { Tokens } from './tokens.ts'

const WAIT_MOST_MS = 1_000

/** @returns whether the authorization server took them back; it does not throw */
export async function revoke(configuration: Configuration, tokens: Tokens): Promise<boolean> {
  if (configuration.serverMetadata().revocation_endpoint === undefined) return false
  const { accessToken, refreshToken } = tokens
  // The refresh token first: with it the authorization server may drop the access token too (RFC 7009 2.1).
  const held = refreshToken === undefined ? [accessToken] : [refreshToken, accessToken]
  const work = Promise.all(held.map((token) => tokenRevocation(configuration, token))).then(
    () => true,
    () => false,
  )
  return await Promise.race([work, pause(WAIT_MOST_MS, false)])
}
