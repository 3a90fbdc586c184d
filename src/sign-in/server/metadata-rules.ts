// What metadata has to have, and may not have, to be used at all.
import type { AuthorizationServer as Metadata } from 'oauth4webapi'
import { isSafe } from '../../loopback.ts'
import { signInUnavailable } from '../answer-problems.ts'

/** Metadata comes over the network and names where codes, tokens and secrets are sent: https or this machine only. */
export function refuseUnsafeEndpoints(metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'string' || !/(_endpoint|jwks_uri)$/.test(name)) continue
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url === undefined || !isSafe(url))
      throw signInUnavailable(`the authorization server's metadata names an unsafe ${name}: see OIDC_ISSUER`)
  }
}

/**
 * What no sign-in works without. The library would accept id_tokens of any signature where there are no keys (OpenID
 * Connect Discovery 1.0 3 requires jwks_uri).
 */
export function refuseIncomplete(metadata: Metadata, scope: string): void {
  const hasIdTokens = scope.split(' ').includes('openid')
  const needed = ['authorization_endpoint', 'token_endpoint', ...(hasIdTokens ? ['jwks_uri'] : [])]
  const missing = needed.filter((name) => metadata[name] === undefined)
  if (missing.length === 0) return
  const [what, advice] = [missing.join(' and no '), 'for plain OAuth 2.1, leave openid out of OIDC_SCOPE']
  const fix = missing.includes('jwks_uri')
    ? `: no id_token could be verified; ${advice}`
    : ': see OIDC_ISSUER'
  throw signInUnavailable(`the authorization server's metadata has no ${what}${fix}`)
}

/** RFC 8414 2. */
const DEFAULT_GRANTS = 'authorization_code,implicit'

/**
 * Does the server say that it has no refresh tokens? The list that counts where there is none says nothing: servers send
 * it that keep no list of their own, and give refresh tokens all the same (Glewlwyd).
 */
export function deniesRefreshTokens({ grant_types_supported: grants }: Partial<Metadata>): boolean {
  if (!Array.isArray(grants) || grants.includes('refresh_token')) return false
  return grants.toSorted().join(',') !== DEFAULT_GRANTS
}
