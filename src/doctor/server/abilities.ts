// What the authorization server can do of what onramp needs, and of what it uses where it is offered.
import type { Subject } from '../check.ts'
import { fail, missing, ok, warn, type Finding, type Findings } from '../finding.ts'
import { isSafeAddress } from '../ask.ts'
import type { Metadata } from './discovered.ts'
import { groups } from './groups.ts'
import { providerOf } from './providers.ts'
import { addresses, identity, refreshing, scopes } from './people.ts'

const settings = ['OIDC_ISSUER']

function flow({
  response_types_supported: types,
  authorization_endpoint,
  token_endpoint,
}: Metadata): Finding {
  const fix = 'use an authorization server with the authorization code flow'
  if (authorization_endpoint === undefined || token_endpoint === undefined)
    return fail("The authorization server's metadata has no authorization or token endpoint.", {
      settings,
      fix,
    })
  return types?.includes('code') === false
    ? fail("The authorization server doesn't support the authorization code flow.", { settings, fix })
    : ok('Authorization code flow supported.')
}

/** RFC 9700 2.1.1. A server may support it without listing it. */
function pkce(metadata: Metadata): Finding {
  if (metadata.code_challenge_methods_supported?.includes('S256')) return ok('PKCE (S256) supported.')
  if (providerOf(metadata) === 'Microsoft Entra ID')
    return ok('PKCE (S256) supported, although Microsoft Entra does not advertise it.')
  return warn("The server doesn't advertise PKCE (S256), which onramp always uses.", {
    settings,
    fix: 'turn PKCE on for the client there',
  })
}

function authentication(
  metadata: Metadata,
  { settings: { OIDC_CLIENT_AUTH: auth } }: Subject,
): Finding | undefined {
  const { token_endpoint_auth_methods_supported: methods } = metadata
  if (auth === undefined || methods === undefined || methods.includes(auth)) return undefined
  const usable = methods.filter((one) => /^(client_secret_(basic|post)|private_key_jwt|none)$/.test(one))
  return fail(`The server doesn't support ${auth} (OIDC_CLIENT_AUTH).`, {
    settings: ['OIDC_CLIENT_AUTH'],
    fix: usable.length > 0 ? `set it to ${usable.join(' or ')}` : 'use a method that the server supports',
  })
}

/** Metadata names where codes, tokens and secrets are sent (RFC 9700 2.6). */
function unsafe(metadata: Metadata): Finding | undefined {
  const names = Object.entries(metadata).flatMap(([name, value]) =>
    /^[a-z_]+(_endpoint|jwks_uri)$/.test(name) && typeof value === 'string' && !isSafeAddress(value)
      ? name
      : [],
  )
  if (names.length === 0) return undefined
  return fail(`The server's metadata contains URLs without https: ${names.join(', ')}.`, {
    settings,
    fix: "configure https URLs at the authorization server (often it doesn't know that it is behind an https proxy)",
  })
}

/** Symmetric ones (HS256) would let everyone who has the client's secret make an id_token. */
function signing(metadata: Metadata, scope: string): Finding | undefined {
  const { id_token_signing_alg_values_supported: algorithms = [] } = metadata
  const isFine = algorithms.some((one) => /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/.test(one))
  if (!scope.split(' ').includes('openid') || algorithms.length === 0 || isFine) return undefined
  const named = algorithms.filter((one) => /^[\w-]{2,20}$/.test(one))
  return fail(
    `The server signs ID tokens only with ${named.join(', ')}, which onramp doesn't accept: with HS256, HS384 and HS512, anyone who has the client secret could forge one.`,
    {
      settings,
      fix: "configure the server to sign this client's ID tokens with its own key (id_token_signed_response_alg RS256, ES256, PS256 or EdDSA)",
    },
  )
}

function extras(metadata: Metadata): Finding {
  const offered = {
    userinfo: metadata.userinfo_endpoint,
    revocation: metadata.revocation_endpoint,
    'sign-out': metadata.end_session_endpoint,
    'pushed requests': metadata.pushed_authorization_request_endpoint,
    registration: metadata.registration_endpoint,
  }
  const words = Object.entries(offered).map(([what, address]) => `${what} ${address ? 'yes' : 'no'}`)
  return ok(`Optional features: ${words.join(', ')}.`)
}

export function abilities(metadata: Metadata, subject: Subject): Findings {
  const { OIDC_SCOPE: scope } = subject.settings
  return [
    flow(metadata),
    pkce(metadata),
    scope === undefined
      ? missing('OIDC_SCOPE')
      : [
          scopes(metadata, scope),
          refreshing(metadata, subject.settings),
          signing(metadata, scope),
          identity(metadata, scope),
        ],
    authentication(metadata, subject),
    addresses(metadata, subject.settings),
    groups(metadata, subject.settings),
    unsafe(metadata),
    extras(metadata),
  ]
}
