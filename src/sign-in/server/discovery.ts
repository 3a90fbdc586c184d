// Finds the authorization server's metadata, for the server and for the doctor alike: OpenID Connect Discovery 1.0, then
// RFC 8414. OIDC_ISSUER is the issuer, or the full address of its metadata; and what metadata has to have to be used.
// Redirects are followed on the same origin only.
import type { ServerMetadata as Metadata } from 'openid-client'
import { parseJsonObject, readBody } from '../../http/body.ts'
import { describeNetworkError, networkErrorOf, type NetworkError } from '../../http/network-error.ts'
import { isSafe } from '../../http/loopback.ts'
import { signInUnavailable } from './error-response.ts'

/** One address that was asked, and why it gave no metadata: `status`, or `silence` and the `error` that it was read from. */
type Attempt = { url: string; status?: number; silence?: NetworkError; error?: unknown; says: string }

type How = 'oidc' | 'oauth2'

export type Discovery =
  | { kind: 'found'; how: How; url: string; metadata: Metadata; date: string | undefined }
  /** There is metadata, of a server that calls itself something else than OIDC_ISSUER says. */
  | { kind: 'other-issuer'; issuer: string; expected: string; says: string; attempts: Attempt[] }
  | { kind: 'missing'; attempts: Attempt[] }

const MAX_HOPS = 2
const OPENID = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'

type Place = { how: How; url: URL }
type Places = { expected: string; isFullAddress: boolean; places: Place[] }

const at = (base: URL, pathname: string): URL => Object.assign(new URL(base), { pathname })

/** Where the metadata is, and which issuer it has to name. Pure. */
function placesOf(setting: string): Places {
  const url = new URL(setting)
  const how: How = url.pathname.includes(OAUTH) ? 'oauth2' : 'oidc'
  const full = /^(.*?)\/\.well-known\/[^/]+(\/.*)?$/.exec(url.pathname)
  if (full !== null) {
    // Appended behind the issuer's path (OpenID Connect), or put in front of it (RFC 8414 3.1).
    const path = `${full[1] ?? ''}${full[2] ?? ''}`.replace(/\/$/, '')
    const expected = Object.assign(at(url, path), { search: '', hash: '' })
    return { expected: expected.href, isFullAddress: true, places: [{ how, url }] }
  }
  const path = url.pathname.replace(/\/$/, '')
  const places: Place[] = [
    { how: 'oidc', url: at(url, path + OPENID) },
    { how: 'oauth2', url: at(url, OAUTH + path) },
  ]
  return { expected: setting, isFullAddress: false, places }
}

/** A tenant may go by its name in the address, and by its id in the issuer that its id_tokens name. */
const hasOwnRule = ({ hostname }: URL, how: How): boolean =>
  how === 'oidc' && (hostname === 'login.microsoftonline.com' || hostname.endsWith('.b2clogin.com'))

/** Exact, so that no server passes for another (RFC 8414 3.3). A full metadata address hides a final slash. */
function isSameIssuer(said: string, { expected, isFullAddress }: Omit<Places, 'places'>): boolean {
  if (!URL.canParse(said)) return false
  const [one, other] = [new URL(said).href, new URL(expected).href]
  return one === other || (isFullAddress && one.replace(/\/$/, '') === other.replace(/\/$/, ''))
}

/** Microsoft's /common and /organizations: each id_token names the tenant that it is from, and that could be any. */
export const isMultiTenantIssuer = (issuer: string): boolean => issuer.includes('{tenantid}')

const addressOf = ({ origin, pathname }: URL): string => origin + pathname

/** Whose metadata is this, as far as the issuer in it says? Pure. */
const isAccepted = (issuer: string, where: Places, { url, how }: Place): boolean =>
  !isMultiTenantIssuer(issuer) && (isSameIssuer(issuer, where) || hasOwnRule(url, how))

type Answered = { status: number; url: URL; text: string; date: string | undefined; astray?: string }

async function fetchFollowing(start: URL, signal: AbortSignal): Promise<Answered> {
  for (let url = start, hops = 0; ; hops++) {
    const response = await fetch(url.href, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal,
    })
    const { status, headers, body } = response
    const location = headers.get('location')
    const date = headers.get('date') ?? undefined
    if (status < 300 || status >= 400 || location === null) {
      const text = body === null ? '' : await readBody({ status, body })
      return { status, url, text, date }
    }
    await response.body?.cancel()
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined
    // Another origin would speak for this one.
    if (next?.origin !== url.origin) {
      const where = next?.protocol.startsWith('http') === true ? ` (${next.origin})` : ''
      return { status, url, text: '', date, astray: `to another origin${where}` }
    }
    if (hops >= MAX_HOPS) return { status, url, text: '', date, astray: 'once too often' }
    url = next
  }
}

/** Members that are null or empty are as good as absent. */
function metadataIn(text: string): Metadata | undefined {
  const members = Object.entries(parseJsonObject(text) ?? {}).filter(
    ([, value]) => value !== null && value !== '',
  )
  const metadata = Object.fromEntries(members)
  return typeof metadata['issuer'] === 'string' ? (metadata as Metadata) : undefined
}

async function askPlace(
  { how, url }: Place,
  seconds: number,
): Promise<Attempt | (Discovery & { kind: 'found' })> {
  try {
    const answered = await fetchFollowing(url, AbortSignal.timeout(seconds * 1000))
    const { status, text, date, astray } = answered
    const metadata = status === 200 ? metadataIn(text) : undefined
    const where = addressOf(answered.url)
    if (metadata !== undefined) return { kind: 'found', how, url: where, metadata, date }
    const what = status === 200 ? '200 without metadata' : [status, astray].filter(Boolean).join(' ')
    return { url: where, status, says: `${where} answered ${what}` }
  } catch (error) {
    const silence = networkErrorOf(error)
    const where = addressOf(url)
    return { url: where, silence, error, says: `${where} cannot be read: ${describeNetworkError(silence)}` }
  }
}

function otherIssuer(issuer: string, { expected, places }: Places, attempts: Attempt[]): Discovery {
  const plain = (text: string) => text.replace(/\/$/, '')
  const [{ url } = { url: new URL(expected) }] = places
  const slash = plain(issuer) === plain(expected) ? ' (they differ only in the slash at the end)' : ''
  const says = isMultiTenantIssuer(issuer)
    ? `${addressOf(url)} stands for every tenant: OIDC_ISSUER has to be your tenant's own, with its id`
    : `${addressOf(url)} names another issuer than OIDC_ISSUER${slash}`
  return { kind: 'other-issuer', issuer, expected, says, attempts }
}

/** Doesn't throw, and checks only the issuer. @param setting OIDC_ISSUER @param seconds for each address */
export async function findMetadata(setting: string, seconds: number): Promise<Discovery> {
  const where = placesOf(setting)
  const attempts: Attempt[] = []
  let other: string | undefined
  for (const place of where.places) {
    if (!isSafe(place.url)) break
    const result = await askPlace(place, seconds)
    if ('says' in result) attempts.push(result)
    else if (isAccepted(result.metadata.issuer, where, place)) return result
    else other ??= result.metadata.issuer
    // What does not answer once will not answer twice.
    if ('says' in result && result.silence !== undefined) break
  }
  return other === undefined ? { kind: 'missing', attempts } : otherIssuer(other, where, attempts)
}

/** Why there is no metadata, in one line for the log: every address with what it answered. */
function whyMissing(setting: string, discovery: Exclude<Discovery, { kind: 'found' }>): string {
  const told = discovery.attempts.map(({ says }) => says)
  const all = discovery.kind === 'other-issuer' ? [discovery.says, ...told] : told
  const { origin, pathname } = new URL(setting)
  return `${origin}${pathname === '/' ? '' : pathname} cannot be discovered (${all.join('; ')}): see OIDC_ISSUER`
}

const OPTIONAL =
  /^(userinfo|introspection|revocation|end_session|registration|pushed_authorization_request)_endpoint$/

const isUnsafe = (address: unknown): boolean =>
  typeof address !== 'string' || !URL.canParse(address) || !isSafe(new URL(address))

/** Pure: endpoints that a sign-in works without, and whose addresses aren't safe: they aren't used. */
export const unsafeOptionalEndpoints = (metadata: Metadata): string[] =>
  Object.keys(metadata).filter((name) => OPTIONAL.test(name) && isUnsafe(metadata[name]))

/**
 * Refuses metadata without the endpoints of every sign-in, or with unsafe ones: codes, tokens and secrets go there, so https
 * or loopback. Without keys the library would accept any signature (OpenID Connect Discovery 1.0 3 requires jwks_uri).
 */
export function assertUsableMetadata(metadata: Metadata, scope: string): void {
  const endpoints = ['authorization_endpoint', 'token_endpoint']
  const needed = scope.split(' ').includes('openid') ? [...endpoints, 'jwks_uri'] : endpoints
  const missing = needed.filter((name) => metadata[name] === undefined)
  const unsafe = [...endpoints, 'jwks_uri'].find(
    (name) => metadata[name] !== undefined && isUnsafe(metadata[name]),
  )
  if (missing.length === 0 && unsafe === undefined) return
  const what = missing.length > 0 ? `has no ${missing.join(' and no ')}` : `names an unsafe ${unsafe}`
  const fix = missing.includes('jwks_uri')
    ? 'no id_token could be verified; for plain OAuth 2.1, leave openid out of OIDC_SCOPE'
    : 'see OIDC_ISSUER'
  throw signInUnavailable(`the authorization server's metadata ${what}: ${fix}`)
}

/**
 * @param scope OIDC_SCOPE @param seconds the limit of each request
 * @returns the metadata without what isn't used, and the names of that
 * @throws {Problem} sign_in_unavailable, when there is no metadata, it lacks what a sign-in needs, or it names an address
 * that is not safe
 */
export async function discoverMetadata(issuer: string, scope: string, seconds: number) {
  const discovery = await findMetadata(issuer, seconds)
  if (discovery.kind !== 'found') {
    const cause = discovery.attempts.map(({ error }) => error).find((error) => error !== undefined)
    throw signInUnavailable(whyMissing(issuer, discovery), cause)
  }
  assertUsableMetadata(discovery.metadata, scope)
  const unused = unsafeOptionalEndpoints(discovery.metadata)
  const used = Object.entries(discovery.metadata).filter(([name]) => !unused.includes(name))
  return { metadata: Object.fromEntries(used) as Metadata, unused }
}

/** RFC 8414 2. */
const DEFAULT_GRANTS = 'authorization_code,implicit'

/** True if the server lists its grants without refresh_token. Some send the default list but issue them anyway. */
export function lacksRefreshTokenGrant({ grant_types_supported: grants }: Partial<Metadata>): boolean {
  if (!Array.isArray(grants) || grants.includes('refresh_token')) return false
  return grants.toSorted().join(',') !== DEFAULT_GRANTS
}
