// Finds and checks the authorization server's metadata: OpenID Connect Discovery 1.0, then RFC 8414. OIDC_ISSUER is the
// issuer, or the full URL of its metadata.
import type { ServerMetadata as Metadata } from 'openid-client'
import { parseJsonObject, readBody } from '../../http/body.ts'
import { isSafeUrl } from '../../http/loopback.ts'
import { describeNetworkError, networkErrorOf, type NetworkError } from '../../http/network-error.ts'
import { signInUnavailable } from './error-response.ts'

/** An attempt that found no metadata. */
type FetchAttempt = {
  status?: number
  networkError?: NetworkError
  error?: unknown
  explanation: string
}

type Specification = 'oidc' | 'oauth2'

type Discovery =
  | { kind: 'found'; specification: Specification; metadata: Metadata; date: string | undefined }
  | { kind: 'other-issuer'; issuer: string; expected: string; explanation: string; attempts: FetchAttempt[] }
  | { kind: 'missing'; attempts: FetchAttempt[] }

/** The limit for each URL. */
const TIME_LIMIT_MS = 8_000
const MAX_HOPS = 2
const OPENID = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'

type MetadataLocation = { specification: Specification; url: URL }
type MetadataLocations = { expected: string; isMetadataUrl: boolean; candidates: MetadataLocation[] }

const withPathname = (base: URL, pathname: string): URL => Object.assign(new URL(base), { pathname })

/** The URLs to try, and the issuer to expect there. */
function metadataUrlsFor(setting: string): MetadataLocations {
  const url = new URL(setting)
  const specification: Specification = url.pathname.includes(OAUTH) ? 'oauth2' : 'oidc'
  const full = /^(.*?)\/\.well-known\/[^/]+(\/.*)?$/.exec(url.pathname)
  if (full !== null) {
    // After the issuer's path (OpenID Connect), or before it (RFC 8414 3.1).
    const path = `${full[1] ?? ''}${full[2] ?? ''}`.replace(/\/$/, '')
    const expected = Object.assign(withPathname(url, path), { search: '', hash: '' })
    return { expected: expected.href, isMetadataUrl: true, candidates: [{ specification, url }] }
  }
  const path = url.pathname.replace(/\/$/, '')
  const candidates: MetadataLocation[] = [
    { specification: 'oidc', url: withPathname(url, path + OPENID) },
    { specification: 'oauth2', url: withPathname(url, OAUTH + path) },
  ]
  return { expected: setting, isMetadataUrl: false, candidates }
}

/** Microsoft's URL may have a tenant's name, while its issuer has the tenant's id. */
const isMicrosoft = ({ hostname }: URL, specification: Specification): boolean =>
  specification === 'oidc' && (hostname === 'login.microsoftonline.com' || hostname.endsWith('.b2clogin.com'))

/** Compares exactly, so that no server can impersonate another (RFC 8414 3.3). A full URL hides a final slash. */
function isSameIssuer(issuer: string, { expected, isMetadataUrl }: MetadataLocations): boolean {
  if (!URL.canParse(issuer)) return false
  const [actual, other] = [new URL(issuer).href, new URL(expected).href]
  return actual === other || (isMetadataUrl && actual.replace(/\/$/, '') === other.replace(/\/$/, ''))
}

/** Microsoft's /common and /organizations: an id_token could come from any tenant. */
export const isMultiTenantIssuer = (issuer: string): boolean => issuer.includes('{tenantid}')

const urlWithoutQuery = ({ origin, pathname }: URL): string => origin + pathname

/** Follows redirects on the same origin only, because another origin must not define this server's metadata. */
async function fetchFollowing(start: URL) {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS)
  for (let url = start, hops = 0; ; hops++) {
    const accept = { headers: { accept: 'application/json' } }
    const { status, headers, body } = await fetch(url, { ...accept, redirect: 'manual', signal })
    const location = headers.get('location')
    if (status < 300 || status >= 400 || location === null)
      return { status, url, text: await readBody({ status, body }), date: headers.get('date') ?? undefined }
    await body?.cancel()
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined
    if (next?.origin !== url.origin) {
      const where = next?.protocol.startsWith('http') === true ? ` (${next.origin})` : ''
      return { status, url, text: '', wrongRedirect: `to another origin${where}` }
    }
    if (hops >= MAX_HOPS) return { status, url, text: '', wrongRedirect: 'too many times' }
    url = next
  }
}

/** Reads metadata. Members that are null or empty count as absent. */
function metadataIn(text: string): Metadata | undefined {
  const members = Object.entries(parseJsonObject(text) ?? {}).filter(
    ([, value]) => value !== null && value !== '',
  )
  const metadata = Object.fromEntries(members)
  return typeof metadata['issuer'] === 'string' ? (metadata as Metadata) : undefined
}

async function fetchMetadata({
  specification,
  url,
}: MetadataLocation): Promise<FetchAttempt | (Discovery & { kind: 'found' })> {
  try {
    const { status, text, date, wrongRedirect, url: last } = await fetchFollowing(url)
    const metadata = status === 200 ? metadataIn(text) : undefined
    if (metadata !== undefined) return { kind: 'found', specification, metadata, date }
    const summary =
      status === 200 ? '200 without metadata' : [status, wrongRedirect].filter(Boolean).join(' ')
    return { status, explanation: `${urlWithoutQuery(last)} responded ${summary}` }
  } catch (error) {
    const networkError = networkErrorOf(error)
    const explanation = `${urlWithoutQuery(url)} cannot be read: ${describeNetworkError(networkError)}`
    return { networkError, error, explanation }
  }
}

function otherIssuer(
  issuer: string,
  { expected, candidates }: MetadataLocations,
  attempts: FetchAttempt[],
): Discovery {
  const plain = (text: string) => text.replace(/\/$/, '')
  const [{ url } = { url: new URL(expected) }] = candidates
  const slash = plain(issuer) === plain(expected) ? ' (they differ only in the trailing slash)' : ''
  const explanation = isMultiTenantIssuer(issuer)
    ? `${urlWithoutQuery(url)} is for all tenants: set OIDC_ISSUER to your tenant's own, with its ID`
    : `${urlWithoutQuery(url)} names another issuer than OIDC_ISSUER${slash}`
  return { kind: 'other-issuer', issuer, expected, explanation, attempts }
}

/** Doesn't throw, and checks only the issuer. @param setting OIDC_ISSUER */
export async function findMetadata(setting: string): Promise<Discovery> {
  const locations = metadataUrlsFor(setting)
  const attempts: FetchAttempt[] = []
  let other: string | undefined
  for (const candidate of locations.candidates) {
    if (!isSafeUrl(candidate.url.href)) break
    const result = await fetchMetadata(candidate)
    if ('explanation' in result) {
      attempts.push(result)
      // An unreachable server isn't tried at its other URLs.
      if (result.networkError !== undefined) break
      continue
    }
    const { issuer } = result.metadata
    const isExpected = isSameIssuer(issuer, locations) || isMicrosoft(candidate.url, candidate.specification)
    if (isExpected && !isMultiTenantIssuer(issuer)) return result
    other ??= issuer
  }
  return other === undefined ? { kind: 'missing', attempts } : otherIssuer(other, locations, attempts)
}

function explainMissing(setting: string, discovery: Exclude<Discovery, { kind: 'found' }>): string {
  const attempts = discovery.attempts.map(({ explanation }) => explanation)
  const explanations = discovery.kind === 'other-issuer' ? [discovery.explanation, ...attempts] : attempts
  const { origin, pathname } = new URL(setting)
  return `${origin}${pathname === '/' ? '' : pathname} cannot be discovered (${explanations.join('; ')}): see OIDC_ISSUER`
}

const OPTIONAL =
  /^(userinfo|introspection|revocation|end_session|registration|pushed_authorization_request)_endpoint$/

/**
 * Codes, tokens and secrets are sent to these endpoints, so they have to use https, or loopback. Without jwks_uri,
 * which OpenID Connect Discovery 1.0 3 requires, the library would accept any signature.
 * @returns the unsafe endpoints that a sign-in doesn't need @throws {Problem} sign_in_unavailable
 */
export function assertUsableMetadata(metadata: Metadata, scope: string): string[] {
  const endpoints = ['authorization_endpoint', 'token_endpoint']
  const needed = scope.split(' ').includes('openid') ? [...endpoints, 'jwks_uri'] : endpoints
  const missing = needed.filter((name) => metadata[name] === undefined)
  const unsafe = [...endpoints, 'jwks_uri'].find(
    (name) => metadata[name] !== undefined && !isSafeUrl(metadata[name]),
  )
  if (missing.length === 0 && unsafe === undefined)
    return Object.keys(metadata).filter((name) => OPTIONAL.test(name) && !isSafeUrl(metadata[name]))
  const fault = missing.length > 0 ? `has no ${missing.join(' and no ')}` : `names an unsafe ${unsafe}`
  const fix = missing.includes('jwks_uri')
    ? 'id_tokens could not be verified; for plain OAuth 2.1, remove openid from OIDC_SCOPE'
    : 'see OIDC_ISSUER'
  throw signInUnavailable(`the authorization server's metadata ${fault}: ${fix}`)
}

/** @returns the metadata without unsafe optional endpoints, and their names @throws {Problem} sign_in_unavailable */
export async function discoverMetadata(issuer: string, scope: string) {
  const discovery = await findMetadata(issuer)
  if (discovery.kind !== 'found') {
    const cause = discovery.attempts.map(({ error }) => error).find((error) => error !== undefined)
    throw signInUnavailable(explainMissing(issuer, discovery), cause)
  }
  const unused = assertUsableMetadata(discovery.metadata, scope)
  const used = Object.entries(discovery.metadata).filter(([name]) => !unused.includes(name))
  return { metadata: Object.fromEntries(used) as Metadata, unused }
}

/** True if the server lists grants without refresh_token, except the default (RFC 8414 2), which proves nothing. */
export function lacksRefreshTokenGrant({ grant_types_supported: grants }: Partial<Metadata>): boolean {
  if (!Array.isArray(grants) || grants.includes('refresh_token')) return false
  return grants.toSorted().join(',') !== 'authorization_code,implicit'
}
