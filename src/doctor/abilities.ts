// What the authorization server can do of what onramp needs, and of what it uses where it is there.
import { fail, ok, warn, type Check, type Finding } from './check.ts'
import { withMetadata, type Metadata } from './discovered.ts'
import { isSafeAddress } from './public-address.ts'

type Wanted = { scope: string; auth: string | undefined }

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

function scopes({ scopes_supported: offered }: Metadata, { scope }: Wanted): Finding {
  const missing = scope.split(' ').filter((one) => offered !== undefined && !offered.includes(one))
  if (missing.length === 0)
    return ok(`The scopes of OIDC_SCOPE are there${offered === undefined ? ', as far as it tells' : ''}.`)
  return warn(
    `It does not list ${missing.length === 1 ? 'a scope' : 'scopes'} of OIDC_SCOPE: ${missing.join(', ')}.`,
    {
      settings: ['OIDC_SCOPE'],
      mend: missing.includes('offline_access')
        ? 'leave offline_access out if the server gives refresh tokens without it'
        : 'leave out what the server does not know',
    },
  )
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

type Addresses = { claim: string; trust: string | undefined; hasAdmins: boolean }

/** Only an address that is known to be the person's opens /admin and counts in the report. */
function addresses(
  { claims_supported: claims }: Metadata,
  { claim, trust, hasAdmins }: Addresses,
): Finding[] {
  if (claims !== undefined && !claims.includes(claim))
    return [
      warn(`It does not list the claim ${claim}, which OIDC_EMAIL_CLAIM says holds people's addresses.`, {
        settings: ['OIDC_EMAIL_CLAIM'],
        mend: 'choose a claim that it gives, such as preferred_username or upn',
      }),
    ]
  if (!hasAdmins || trust === 'always' || claims === undefined) return []
  if (claim === 'email' && claims.includes('email_verified')) return []
  return [
    warn('It does not say that addresses are verified, so that nobody of ADMIN_EMAILS sees /admin.', {
      settings: ['OIDC_EMAIL_TRUST', 'ADMIN_EMAILS'],
      mend: 'set OIDC_EMAIL_TRUST to always if the company itself gives out the addresses',
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
      const { OIDC_SCOPE: scope = '', OIDC_CLIENT_AUTH: auth } = subject.settings
      const { OIDC_EMAIL_CLAIM: claim = 'email', OIDC_EMAIL_TRUST: trust, ADMIN_EMAILS } = subject.settings
      const hasAdmins = ADMIN_EMAILS !== undefined
      return [
        flow(metadata),
        pkce(metadata),
        scopes(metadata, { scope, auth }),
        ...authentication(metadata, { scope, auth }),
        ...addresses(metadata, { claim, trust, hasAdmins }),
        ...unsafe(metadata),
        extras(metadata),
      ]
    }),
}
