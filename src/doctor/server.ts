// What the authorization server says of itself, found as the server finds it, and what that means for people who sign in.
// Nothing is reported where a server that works would answer in the same way.
import type { ServerMetadata as Metadata } from 'openid-client'
import { parseJsonObject } from '../http/body.ts'
import type { Problem } from '../problem.ts'
import type { Settings } from '../settings/settings.ts'
import {
  lacksRefreshTokenGrant,
  findMetadata,
  isMultiTenantIssuer,
  assertUsableMetadata,
  unsafeOptionalEndpoints,
  type Discovery,
} from '../sign-in/server/discovery.ts'
import { fetchOnce, isSafeAddress, type HttpReply } from './ask.ts'
import { providerOf, providerTable } from './providers.ts'
import { unheard, type Table } from './rule.ts'

const TIME_LIMIT_SECONDS = 8

type DiscoveryFacts = {
  issuer: string
  discovery: Discovery
  /** When it came by our own clock; milliseconds since 1970. */
  ours: number
}

async function discover(issuer: string, now: () => number): Promise<DiscoveryFacts> {
  const discovery = await findMetadata(issuer, TIME_LIMIT_SECONDS)
  return { issuer, discovery, ours: now() }
}

/** A server may send anything: an address that is no text, or a list that is none, counts as absent. */
function isUsable([name, value]: [string, unknown]): boolean {
  if (name.endsWith('s_supported'))
    return Array.isArray(value) && value.every((one) => typeof one === 'string')
  return typeof value === 'string' || !/_(endpoint|uri)$/.test(name)
}

export const metadataIn = (discovery: Discovery | undefined): Metadata | undefined =>
  discovery?.kind === 'found'
    ? (Object.fromEntries(Object.entries(discovery.metadata).filter(isUsable)) as Metadata)
    : undefined

/** OpenID Connect Discovery 1.0 4.3: exactly the same, or answers of one server could pass for those of another. */
function mismatch(issuer: string, { issuer: theirs, expected }: Discovery & { kind: 'other-issuer' }) {
  const named = /^https?:\/\/[\w.:/~-]{1,300}$/.test(theirs) ? theirs : 'another one'
  const isSlash = theirs.replace(/\/$/, '') === expected.replace(/\/$/, '')
  return {
    is: 'mismatch',
    issuer,
    named,
    slash: isSlash ? ', which differs in the trailing slash' : '',
  } as const
}

const MAX_SECONDS = 30
const NOTED_SECONDS = 10

const discoveryTable: Table<DiscoveryFacts> = {
  'authorization-server.discovery': [
    ({ issuer, discovery }) => {
      if (discovery.kind === 'found')
        return {
          is: 'found',
          issuer,
          how: discovery.how === 'oidc' ? 'OpenID Connect' : 'OAuth 2.1 (RFC 8414)',
        }
      if (discovery.kind === 'other-issuer')
        return isMultiTenantIssuer(discovery.issuer)
          ? { is: 'every-tenant', issuer }
          : mismatch(issuer, discovery)
      const { attempts } = discovery
      const why = attempts.find(({ silence }) => silence)?.silence
      if (why !== undefined) return { is: 'silent', issuer, ...unheard(why) }
      const answers = attempts.map(({ says }) => says).join('; ')
      const answered = (...codes: number[]) => attempts.some(({ status = 0 }) => codes.includes(status))
      if (answered(429)) return { is: 'limited', issuer, answers }
      if ((attempts[0]?.status ?? 0) >= 500) return { is: 'failing', issuer, answers }
      return { is: answered(401, 403, 407) ? 'barred' : 'missing', issuer, answers }
    },
  ],
  'authorization-server.clock': [
    ({ discovery, ours }) => {
      const theirs = discovery.kind === 'found' ? Date.parse(discovery.date ?? '') : NaN
      if (Number.isNaN(theirs)) return undefined
      const seconds = Math.round((ours - theirs) / 1000)
      const far = Math.abs(seconds)
      if (far <= NOTED_SECONDS) return 'fine'
      const amount = far < 120 ? `${far} seconds` : `${Math.round(far / 60)} minutes`
      const skew = `${amount} ${seconds > 0 ? 'ahead of' : 'behind'}`
      return { is: far > MAX_SECONDS ? 'far' : 'near', skew }
    },
  ],
}

export const discovery = { look: discover, table: discoveryTable }

type ServerFacts = {
  metadata: Metadata
  /** What jwks_uri answered, and how many keys in it sign. */
  keys: { reply: HttpReply; count: number } | undefined
}

function isForSigning(key: unknown): boolean {
  const { kty, use } = Object(key) as Record<string, unknown>
  return typeof kty === 'string' && kty !== 'oct' && use !== 'enc'
}

async function look(metadata: Metadata): Promise<ServerFacts> {
  if (!isSafeAddress(metadata.jwks_uri)) return { metadata, keys: undefined }
  const reply = await fetchOnce(metadata.jwks_uri)
  const keys = reply.kind === 'answer' ? parseJsonObject(reply.text)?.['keys'] : undefined
  const count = Array.isArray(keys) ? keys.filter(isForSigning).length : 0
  return { metadata, keys: { reply, count } }
}

const scopesOf = ({ OIDC_SCOPE: scope = '' }: Partial<Settings>) => scope.split(' ').filter(Boolean)
const isOpenId = (settings: Partial<Settings>) => scopesOf(settings).includes('openid')

/** Symmetric ones (HS256) would let everyone who has the client's secret make an id_token. */
const ASYMMETRIC = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/

/** What the server would refuse at the first sign-in. */
function refusalOf(metadata: Metadata, { OIDC_SCOPE: scope = 'openid' }: Partial<Settings>) {
  try {
    assertUsableMetadata(metadata, scope)
    return undefined
  } catch (problem) {
    return (problem as Problem).detail.replace(/^t/, 'T').replace(/: see OIDC_ISSUER$/, '')
  }
}

const table: Table<ServerFacts> = {
  ...providerTable,
  'authorization-server.abilities/flow': [
    ({ metadata }, { settings }) => {
      const refusal = refusalOf(metadata, settings)
      return refusal && { is: 'refused', refusal }
    },
    ({ metadata }) => {
      const names = unsafeOptionalEndpoints(metadata).join(', ')
      return names !== '' && { is: 'unused', names }
    },
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
      const { scopes_supported: offered } = metadata
      // Those of an API, like api://ID/search at Microsoft Entra, are listed nowhere.
      const own = scopesOf(settings).filter((scope) => !scope.includes('/'))
      const lacking = own.filter((scope) => offered?.includes(scope) === false)
      return lacking.length > 0 && { is: 'unlisted', lacking: lacking.join(', ') }
    },
  ],
  'authorization-server.abilities/refreshing': [
    ({ metadata }) => lacksRefreshTokenGrant(metadata) && 'denied',
    ({ metadata: { scopes_supported: offered } }, { settings }) =>
      isOpenId(settings) &&
      !scopesOf(settings).includes('offline_access') &&
      offered?.includes('offline_access') !== false &&
      'lacking',
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
  // At a plain OAuth 2.1 server no id_token says who signs in (src/sign-in/claims.ts).
  'authorization-server.abilities/identity': [
    ({ metadata }, { settings }) =>
      settings.OIDC_SCOPE !== undefined &&
      !isOpenId(settings) &&
      metadata.userinfo_endpoint === undefined &&
      metadata.introspection_endpoint === undefined &&
      'none',
  ],
  // Without keys no id_token can be believed.
  'authorization-server.keys': [
    ({ keys: { reply, count } = { count: 0 } }) => {
      if (count > 0) return { is: 'fetched', count }
      if (reply?.kind === 'silent') return { is: 'silent', ...unheard(reply.why) }
      if (reply?.status === 429) return 'limited'
      return reply && (reply.status === 200 ? 'empty' : { is: 'refused', status: reply.status })
    },
  ],
}

export const server = { look, table }
