// What the authorization server can do of what onramp needs, and of what it uses where it is there.
import type { Check } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import { withMetadata, type Metadata } from './discovered.ts'
import { addresses } from './claims.ts'
import { identity } from './identity.ts'
import { isSafeAddress } from '../settings/public-address.ts'
import { refreshing, scopes } from './scopes.ts'

type Wanted = { auth: string | undefined }

function flow({
  response_types_supported: types,
  authorization_endpoint,
  token_endpoint,
}: Metadata): Finding {
  const mend = 'use an authorization server with the authorization code flow'
  if (authorization_endpoint === undefined || token_endpoint === undefined)
    return fail('It names no authorization or token endpoint.', { settings: ['OIDC_ISSUER'], mend })
  return types !== undefined && !types.includes('code')
    ? fail('It does not offer the authorization code flow.', { settings: ['OIDC_ISSUER'], mend })
    : ok('The authorization code flow is there.')
}

/** RFC 9700 2.1.1. A server may support it without saying so. */
function pkce({ code_challenge_methods_supported: methods }: Metadata): Finding {
  if (methods?.includes('S256')) return ok('PKCE with S256 is there.')
  return warn('It does not say that it supports PKCE with S256, which onramp always sends.', {
    settings: ['OIDC_ISSUER'],
    mend: 'switch PKCE on for the client there',
  })
}

function authentication(
  { token_endpoint_auth_methods_supported: methods }: Metadata,
  { auth }: Wanted,
): Finding[] {
  if (auth === undefined || methods === undefined || methods.includes(auth)) return []
  const usable = methods.filter((method) =>
    /^(client_secret_(basic|post)|private_key_jwt|none)$/.test(method),
  )
  return [
    fail(`It does not take ${auth}, which OIDC_CLIENT_AUTH says.`, {
      settings: ['OIDC_CLIENT_AUTH'],
      mend: usable.length > 0 ? `set it to ${usable.join(' or ')}` : 'use a method that it takes',
    }),
  ]
}

/** Metadata names where codes, tokens and secrets are sent (RFC 9700 2.6). */
function unsafe(metadata: Metadata): Finding[] {
  const names = Object.entries(metadata)
    .filter(
      ([name, value]) =>
        /^[a-z_]+(_endpoint|jwks_uri)$/.test(name) && typeof value === 'string' && !isSafeAddress(value),
    )
    .map(([name]) => name)
  if (names.length === 0) return []
  return [
    fail(`Its metadata names addresses without https: ${names.join(', ')}.`, {
      settings: ['OIDC_ISSUER'],
      mend: 'let the authorization server name https addresses (often it does not know that a proxy speaks https)',
    }),
  ]
}

/** Symmetric ones (HS256) would let everyone who has the client's secret make an id_token. */
function signing(metadata: Metadata, scope: string): Finding[] {
  const algorithms = metadata['id_token_signing_alg_values_supported']
  if (!scope.split(' ').includes('openid') || !Array.isArray(algorithms) || algorithms.length === 0) return []
  if (algorithms.some((one) => /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/.test(String(one)))) return []
  const named = algorithms.map(String).filter((one) => /^[\w-]{2,20}$/.test(one))
  return [
    fail(
      `It signs id_tokens with ${named.join(', ')} only, which onramp does not take: with HS256, HS384 and HS512 everyone who has the client's secret could make one.`,
      {
        settings: ['OIDC_ISSUER'],
        mend: 'let it sign the id_tokens of this client with a key of its own (id_token_signed_response_alg RS256, ES256, PS256 or EdDSA)',
      },
    ),
  ]
}

function extras(metadata: Metadata): Finding {
  const has = (there: unknown, what: string) => `${what} ${there === undefined ? 'no' : 'yes'}`
  const told = [
    has(metadata.userinfo_endpoint, 'userinfo'),
    has(metadata.revocation_endpoint, 'revocation'),
    has(metadata.end_session_endpoint, 'sign-out'),
    has(metadata.pushed_authorization_request_endpoint, 'pushed requests'),
    has(metadata.registration_endpoint, 'registration'),
  ]
  return ok(`Used where it is there: ${told.join(', ')}.`)
}

export const abilities: Check = {
  id: 'authorization-server.abilities',
  about: 'What it can do',
  group: 'Authorization server',
  network: true,
  look: (subject) =>
    withMetadata(subject, (metadata) => {
      const { OIDC_SCOPE: scope, OIDC_CLIENT_AUTH: auth } = subject.settings
      const { OIDC_EMAIL_CLAIM: claim = 'email', OIDC_EMAIL_TRUST: trust, ADMIN_EMAILS } = subject.settings
      const hasAdmins = ADMIN_EMAILS !== undefined
      return [
        flow(metadata),
        pkce(metadata),
        ...(scope === undefined
          ? [skip('OIDC_SCOPE cannot be read.')]
          : [
              scopes(metadata, scope),
              ...refreshing(metadata, subject.settings),
              ...signing(metadata, scope),
              ...identity(metadata, scope),
            ]),
        ...authentication(metadata, { auth }),
        ...addresses(metadata, { claim, trust, hasAdmins }),
        ...unsafe(metadata),
        extras(metadata),
      ]
    }),
}
