// What the authorization server's metadata means for people who sign in. Where another server would be described in the
// same way although it works, nothing is said.
import { deniesRefreshTokens } from '../sign-in/server/metadata-rules.ts'
import { isOfEveryTenant, type Discovery } from '../sign-in/server/discovery.ts'
import type { Settings } from '../settings/settings.ts'
import { isSafeAddress, publicAddress } from './ask.ts'
import { providerOf } from './providers.ts'
import { unheard, type Table } from './rule.ts'
import type { DiscoveryFacts, Metadata, ServerFacts, Times } from './server.ts'

const withoutSlash = (text: string) => text.replace(/\/$/, '')

/** OpenID Connect Discovery 1.0 4.3: exactly the same, or answers of one server could pass for those of another. */
function mismatch(issuer: string, { issuer: theirs, expected }: Discovery & { kind: 'other-issuer' }) {
  const known = publicAddress(theirs)
  const named = known && (theirs.endsWith('/') ? `${withoutSlash(known)}/` : known)
  const isSlash = withoutSlash(theirs) === withoutSlash(expected)
  const slash = isSlash ? ', which differs in the trailing slash' : ''
  return { is: 'mismatch', issuer, named: named ?? 'another one', slash } as const
}

export const discoveryTable: Table<DiscoveryFacts> = {
  'authorization-server.discovery': [
    ({ issuer, discovery }) => {
      if (discovery.kind === 'found')
        return {
          is: 'found',
          issuer,
          how: discovery.how === 'oidc' ? 'OpenID Connect' : 'OAuth 2.1 (RFC 8414)',
        }
      if (discovery.kind === 'other-issuer')
        return isOfEveryTenant(discovery.issuer)
          ? { is: 'every-tenant', issuer }
          : mismatch(issuer, discovery)
      const { attempts } = discovery
      const why = attempts.find(({ silence }) => silence)?.silence
      if (why !== undefined) return { is: 'silent', issuer, ...unheard(why) }
      const answers = attempts.map(({ says }) => says).join('; ')
      if ((attempts[0]?.status ?? 0) >= 500) return { is: 'failing', issuer, answers }
      const bar = attempts.find(({ status = 0 }) => [401, 403, 407, 429].includes(status))?.status
      return { is: bar === undefined ? 'missing' : bar === 429 ? 'limited' : 'barred', issuer, answers }
    },
  ],
}

const scopesOf = ({ OIDC_SCOPE: scope = '' }: Partial<Settings>) => scope.split(' ').filter(Boolean)
const isOpenId = (settings: Partial<Settings>) => scopesOf(settings).includes('openid')

/** Symmetric ones (HS256) would let everyone who has the client's secret make an id_token. */
const ASYMMETRIC = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/

const OPTIONAL = {
  userinfo: 'userinfo_endpoint',
  revocation: 'revocation_endpoint',
  'sign-out': 'end_session_endpoint',
  'pushed requests': 'pushed_authorization_request_endpoint',
  registration: 'registration_endpoint',
} satisfies Record<string, keyof Metadata>

export const serverTable: Table<ServerFacts> = {
  'authorization-server.abilities/flow': [
    ({ metadata }) => (!metadata.authorization_endpoint || !metadata.token_endpoint) && 'endpoints',
    ({ metadata }) => metadata.response_types_supported?.includes('code') === false && 'code',
  ],
  // RFC 9700 2.1.1. Microsoft Entra supports it without listing it.
  'authorization-server.abilities/pkce': [
    ({ metadata }) =>
      metadata.code_challenge_methods_supported?.includes('S256') !== true &&
      providerOf(metadata) !== 'Microsoft Entra ID' &&
      'unlisted',
  ],
  'authorization-server.abilities/scopes': [
    ({ metadata }, { settings }) => {
      // Google refuses offline_access, which has a finding of its own.
      const offered = providerOf(metadata) === 'Google' ? undefined : metadata.scopes_supported
      const lacking = scopesOf(settings).filter((scope) => offered?.includes(scope) === false)
      const is = lacking.includes('offline_access') ? 'offline' : 'unlisted'
      return lacking.length > 0 && { is, lacking: lacking.join(', ') }
    },
  ],
  // A server may ignore offline_access without prompt=consent (OpenID Connect Core 11).
  'authorization-server.abilities/refreshing': [
    ({ metadata }) => deniesRefreshTokens(metadata) && 'denied',
    ({ metadata: { scopes_supported: offered } }, { settings }) =>
      isOpenId(settings) &&
      !scopesOf(settings).includes('offline_access') &&
      offered?.includes('offline_access') !== false &&
      'lacking',
    (_, { settings }) =>
      scopesOf(settings).includes('offline_access') &&
      settings.OIDC_PROMPT?.split(' ').includes('consent') !== true &&
      'prompt',
  ],
  'authorization-server.abilities/signing': [
    ({ metadata: { id_token_signing_alg_values_supported: listed = [] } }, { settings }) =>
      isOpenId(settings) &&
      listed.length > 0 &&
      !listed.some((one) => ASYMMETRIC.test(one)) && {
        is: 'secret',
        algorithms: listed.filter((one) => /^[\w-]{2,20}$/.test(one)).join(', '),
      },
  ],
  // At a plain OAuth 2.1 server no id_token says who signs in (src/sign-in/identity.ts).
  'authorization-server.abilities/identity': [
    ({ metadata }, { settings }) =>
      settings.OIDC_SCOPE !== undefined &&
      !isOpenId(settings) &&
      metadata.userinfo_endpoint === undefined &&
      metadata.introspection_endpoint === undefined &&
      'none',
  ],
  // OpenID Connect Discovery 1.0 3: claims_supported is recommended, and need not name every claim.
  'authorization-server.abilities/address': [
    ({ metadata: { claims_supported: claims } }, { settings: { OIDC_EMAIL_CLAIM: claim = 'email' } }) =>
      claims?.includes(claim) === false && { is: 'unlisted', claim },
  ],
  // Only an address that is known to be the person's opens /admin and counts in the report.
  'authorization-server.abilities/trust': [
    ({ metadata: { claims_supported: claims } }, { settings }) => {
      const { OIDC_EMAIL_CLAIM: claim = 'email', OIDC_EMAIL_TRUST: trust, ADMIN_EMAILS: admins } = settings
      if (admins === undefined || trust === 'always') return undefined
      if (claim !== 'email') return { is: 'other', claim }
      return claims?.includes('email_verified') === false && 'unlisted'
    },
  ],
  'authorization-server.abilities/groups': [
    ({ metadata }, { settings }) => {
      const { ADMIN_GROUPS: groups = [], OIDC_GROUPS_CLAIM: claim = 'groups' } = settings
      const { claims_supported: claims, scopes_supported: scopes } = metadata
      // These two have findings of their own.
      const isKnown =
        ['Google', 'Microsoft Entra ID'].includes(providerOf(metadata) ?? '') && claim === 'groups'
      if (groups.length === 0 || isKnown) return undefined
      if (scopes?.includes(claim) && !scopesOf(settings).includes(claim)) return { is: 'scope', claim }
      return claims?.includes(claim) !== true && { is: 'unlisted', claim }
    },
  ],
  // Metadata names where codes, tokens and secrets are sent (RFC 9700 2.6).
  'authorization-server.abilities/safety': [
    ({ metadata }) => {
      const unsafe = Object.keys(metadata)
        .filter((name) => /^[a-z_]+(_endpoint|jwks_uri)$/.test(name) && !isSafeAddress(metadata[name]))
        .join(', ')
      return unsafe && { is: 'unsafe', names: unsafe }
    },
  ],
  'authorization-server.abilities/optional': [
    ({ metadata }) => {
      const features = Object.entries(OPTIONAL).map(
        ([what, name]) => `${what} ${metadata[name] ? 'yes' : 'no'}`,
      )
      return { is: 'features', features: features.join(', ') }
    },
  ],
  // Without keys no id_token can be believed.
  'authorization-server.keys': [
    ({ metadata }, { settings }) => metadata.jwks_uri === undefined && isOpenId(settings) && 'none',
    ({ keys: { reply, count } = { count: 0 } }) => {
      if (count > 0) return { is: 'fetched', count }
      if (reply?.kind === 'silent') return { is: 'silent', ...unheard(reply.why) }
      if (reply?.status === 429) return 'limited'
      return reply && (reply.status === 200 ? 'empty' : { is: 'refused', status: reply.status })
    },
  ],
}

export type Clocks = { server: Times | undefined; service: Times | undefined }

const MAX_SECONDS = 30
const NOTED_SECONDS = 10

/** How far this machine is off; undefined where the clocks agree, or nothing is known. */
function skewOf(times: Times | undefined) {
  if (times?.theirs === undefined) return undefined
  const seconds = Math.round((times.ours - times.theirs) / 1000)
  const far = Math.abs(seconds)
  const amount = far < 120 ? `${far} seconds` : `${Math.round(far / 60)} minutes`
  const skew = `${amount} ${seconds > 0 ? 'ahead of' : 'behind'}`
  return far > NOTED_SECONDS ? ({ is: far > MAX_SECONDS ? 'far' : 'near', skew } as const) : undefined
}

export const clockTable: Table<Clocks> = {
  'authorization-server.clock': [
    ({ server }) => skewOf(server),
    ({ server }) => server?.theirs !== undefined && 'fine',
  ],
  // One wrong clock is one finding, however many servers disagree with it.
  'service.clock': [({ server, service }) => skewOf(server) === undefined && skewOf(service)],
}
