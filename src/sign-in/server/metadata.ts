// The authorization server's metadata, taken only when every address in it is safe to send codes and tokens to.
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import type { Configuration } from 'openid-client'
import { isLoopbackHttp } from '../../loopback.ts'
import { Problem } from '../../problem.ts'
import { findMetadata, whyMissing } from './discovery.ts'

/** Metadata comes over the network and names where codes, tokens and secrets are sent: https or this machine only. */
function refuseUnsafeEndpoints(metadata: ServerMetadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'string' || !/(_endpoint|jwks_uri)$/.test(name)) continue
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url?.protocol !== 'https:' && !(url && isLoopbackHttp(url)))
      throw unavailable(`the authorization server's metadata names an unsafe ${name}: see OIDC_ISSUER`)
  }
}

const unavailable = (detail: string) => new Problem(503, 'sign_in_unavailable', { detail, retryAfter: 5 })

/**
 * @param seconds the limit of each request
 * @throws {Problem} sign_in_unavailable, when there is no metadata, or it names an address that is not safe
 */
export async function discoverMetadata(issuer: string, seconds: number): Promise<ServerMetadata> {
  const discovery = await findMetadata(issuer, seconds)
  if (discovery.kind !== 'found') throw unavailable(whyMissing(issuer, discovery))
  refuseUnsafeEndpoints(discovery.metadata)
  return discovery.metadata
}

const known = new WeakMap<Configuration, Readonly<ServerMetadata>>()

/** What the server says of itself. The library makes a copy for each question (23 µs); this makes one. */
export function serverMetadataOf(configuration: Configuration): Readonly<ServerMetadata> {
  const found = known.get(configuration) ?? configuration.serverMetadata()
  known.set(configuration, found)
  return found
}
