// Who signs in at a plain OAuth 2.1 server (OIDC_SCOPE without openid): without an id_token something else has to tell, or
// every sign-in is a new person whose walk starts over. See src/sign-in/plain-identity.ts.
import { ok, skip, warn, type Finding } from '../finding.ts'
import type { Metadata } from './discovered.ts'

const NEW_PERSON = 'every sign-in is a new person, whose walk starts over'

/** @param scope OIDC_SCOPE */
export function identity(metadata: Metadata, scope: string): Finding[] {
  if (scope.split(' ').includes('openid')) return []
  if (metadata.userinfo_endpoint !== undefined) return [ok('Its userinfo endpoint tells who signed in.')]
  if (metadata.introspection_endpoint !== undefined)
    return [
      skip(
        `who signs in: there is no userinfo endpoint. It offers token introspection, but whether this client may use it shows at a sign-in: where it may not, and access tokens are no JWTs with a sub, ${NEW_PERSON}.`,
      ),
    ]
  return [
    warn(
      `It has no userinfo or introspection endpoint: unless access tokens are JWTs of this issuer with a sub, ${NEW_PERSON}.`,
      {
        settings: ['OIDC_SCOPE', 'OIDC_ISSUER'],
        mend: 'use OpenID Connect (add openid) if the server speaks it, or let it offer userinfo or token introspection',
      },
    ),
  ]
}
