// Takes tokens back at the authorization server at sign-out (RFC 7009): best effort, and never for long.
import { ResponseBodyError, tokenRevocation, type Configuration } from 'openid-client'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Tokens } from '../../session/signed-in.ts'
import { within } from '../../within.ts'
import { serverMetadataOf } from '../server/configuration.ts'

const MAX_WAIT_MS = 1_000

/**
 * `done`: the server took back every token. `partly`: one of them, as where access tokens can't be taken back. `failed`:
 * none, or not in time. `no_endpoint`: the server takes none back, so that they are good until they run out.
 */
type Revocation = { revoked: 'done' | 'partly' | 'failed' | 'no_endpoint'; cause?: unknown }

/** Revoking the refresh token may end the access token (RFC 7009 2.1). Only unsupported_token_type means it is alive. */
const isGoneAlready = (error: unknown): boolean =>
  error instanceof ResponseBodyError && error.status === 400 && error.error !== 'unsupported_token_type'

/** @returns what came of it within a second, with the reason where something failed; it does not throw */
export async function revoke(
  configuration: Configuration,
  { accessToken, refreshToken }: Tokens,
): Promise<Revocation> {
  if (serverMetadataOf(configuration).revocation_endpoint === undefined) return { revoked: 'no_endpoint' }
  // The refresh token first, and alone: with it the server should drop the access token too (RFC 7009 2.1). The other
  // way round, a refresh under way could get new tokens in between.
  const held = Object.entries(omitUndefined({ refresh_token: refreshToken, access_token: accessToken }))
  const faults: unknown[] = []
  let done = 0

  async function revokeInTurn(): Promise<void> {
    for (const [hint, token] of held)
      await tokenRevocation(configuration, token, { token_type_hint: hint }).then(
        () => done++,
        (error: unknown) => (done > 0 && isGoneAlready(error) ? done++ : faults.push(error)),
      )
  }

  const late = await within(MAX_WAIT_MS, revokeInTurn()).catch((error: unknown) => error)
  const [cause = late] = faults
  if (cause === undefined) return { revoked: 'done' }
  return { revoked: done > 0 ? 'partly' : 'failed', cause }
}
