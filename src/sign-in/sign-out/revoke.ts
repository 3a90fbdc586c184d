// Revokes tokens at the authorization server (RFC 7009), by best effort within a second. Never throws.
import { ResponseBodyError, tokenRevocation, type Configuration } from 'openid-client'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Tokens } from '../../session/signed-in.ts'
import { withTimeout } from '../../with-timeout.ts'

const MAX_WAIT_MS = 1_000

/** `partly`: the server revokes refresh tokens only. `failed`: it revoked none, or took too long. */
type Revocation = { revoked: 'done' | 'partly' | 'failed' | 'no_endpoint'; cause?: unknown }

/** Revoking the refresh token may end the access token (RFC 7009 2.1), so only unsupported_token_type is a failure. */
const isGoneAlready = (error: unknown): boolean =>
  error instanceof ResponseBodyError && error.status === 400 && error.error !== 'unsupported_token_type'

export async function revoke(
  configuration: Configuration,
  { accessToken, refreshToken }: Tokens,
): Promise<Revocation> {
  if (configuration.serverMetadata().revocation_endpoint === undefined) return { revoked: 'no_endpoint' }
  // The refresh token is revoked first: otherwise a refresh in progress could get new tokens in between.
  const tokens = Object.entries(omitUndefined({ refresh_token: refreshToken, access_token: accessToken }))
  const faults: unknown[] = []
  let revokedCount = 0

  async function revokeInTurn(): Promise<void> {
    for (const [hint, token] of tokens)
      await tokenRevocation(configuration, token, { token_type_hint: hint }).then(
        () => revokedCount++,
        (error: unknown) => (revokedCount > 0 && isGoneAlready(error) ? revokedCount++ : faults.push(error)),
      )
  }

  const waitError = await withTimeout(MAX_WAIT_MS, revokeInTurn()).catch((error: unknown) => error)
  const [cause = waitError] = faults
  if (cause === undefined) return { revoked: 'done' }
  return { revoked: revokedCount > 0 ? 'partly' : 'failed', cause }
}
