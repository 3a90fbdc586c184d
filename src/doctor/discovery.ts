// Finds the authorization server's metadata by the product's own discovery, and the server's clock.
import type { ServerMetadata as Metadata } from 'openid-client'
import { findMetadata, isMultiTenantIssuer } from '../sign-in/server/discovery.ts'
import { createCheck, fail, ok, unreachable, warn } from './findings.ts'

type Discovery = Awaited<ReturnType<typeof findMetadata>>

async function discover(issuer: string, now: () => number) {
  const discovery = await findMetadata(issuer)
  const members = discovery.kind === 'found' ? Object.entries(discovery.metadata) : undefined
  const metadata = members && (Object.fromEntries(members.filter(isUsable)) as Metadata)
  return { issuer, discovery, metadata, receivedAt: now() }
}

/** False for a value of the wrong type. */
function isUsable([name, value]: [string, unknown]): boolean {
  if (name.endsWith('s_supported'))
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
  return typeof value === 'string' || !/_(endpoint|uri)$/.test(name)
}

/** OpenID Connect Discovery 1.0 4.3: the issuers have to be identical, so that no server can impersonate another. */
function issuerMismatch(issuer: string, { issuer: theirs, expected }: Discovery & { kind: 'other-issuer' }) {
  if (isMultiTenantIssuer(theirs))
    return fail(
      `The authorization server at ${issuer} is for all tenants.`,
      "OIDC_ISSUER: set it to your tenant's own issuer, https://login.microsoftonline.com/TENANT_ID/v2.0: people of other tenants must not sign in",
    )
  const namedIssuer = /^https?:\/\/[\w.:/~-]{1,300}$/.test(theirs) ? theirs : 'another one'
  const isSlash = theirs.replace(/\/$/, '') === expected.replace(/\/$/, '')
  return fail(
    `Issuer mismatch: ${issuer} identifies itself as ${namedIssuer}${isSlash ? ', which differs in the trailing slash' : ''}.`,
    `OIDC_ISSUER: set it to exactly ${namedIssuer} if that's the server you want`,
  )
}

function missingMetadata(issuer: string, { attempts }: Discovery & { kind: 'missing' }) {
  const why = attempts.find(({ networkError }) => networkError)?.networkError
  if (why !== undefined)
    return unreachable(why, 'OIDC_ISSUER', `The authorization server at ${issuer} cannot be reached`)
  const explanations = attempts.map(({ explanation }) => explanation).join('; ')
  const hasStatus = (...codes: number[]) => attempts.some(({ status = 0 }) => codes.includes(status))
  if (hasStatus(429))
    return warn(
      `The authorization server at ${issuer} is limiting requests (${explanations}).`,
      'OIDC_ISSUER: try again in a few minutes',
    )
  if ((attempts[0]?.status ?? 0) >= 500)
    return fail(
      `The authorization server at ${issuer} returned an error (${explanations}).`,
      'OIDC_ISSUER: try again later, or check the URL',
    )
  if (hasStatus(401, 403, 407))
    return fail(
      `The server at ${issuer} is blocking this machine (${explanations}).`,
      'OIDC_ISSUER: allow this machine in the firewall or gateway in front of it, and check the URL',
    )
  return fail(
    `No authorization server metadata at ${issuer} (${explanations}).`,
    'OIDC_ISSUER: check the URL, including its path, like /oauth2/default, /realms/NAME or /TENANT/v2.0',
  )
}

const MAX_SECONDS = 30
const NOTED_SECONDS = 10

function clockSkew({ discovery, receivedAt }: Awaited<ReturnType<typeof discover>>) {
  const serverTime = discovery.kind === 'found' ? Date.parse(discovery.date ?? '') : NaN
  if (Number.isNaN(serverTime)) return undefined
  const seconds = Math.round((receivedAt - serverTime) / 1000)
  const far = Math.abs(seconds)
  if (far <= NOTED_SECONDS) return ok("This machine's clock matches the authorization server.")
  const amount = far < 120 ? `${far} seconds` : `${Math.round(far / 60)} minutes`
  const message = `This machine's clock is ${amount} ${seconds > 0 ? 'ahead of' : 'behind'} the authorization server`
  const fix = "sync this machine's clock (NTP)"
  return far > MAX_SECONDS
    ? fail(`${message}; onramp rejects sign-ins if they differ by more than 30 seconds.`, fix)
    : warn(`${message}.`, fix)
}

export const discoveryCheck = createCheck(discover, {
  'authorization-server.discovery': ({ issuer, discovery: found }) => {
    if (found.kind === 'other-issuer') return issuerMismatch(issuer, found)
    if (found.kind === 'missing') return missingMetadata(issuer, found)
    return ok(
      `${issuer} is reachable (${found.specification === 'oidc' ? 'OpenID Connect' : 'OAuth 2.1 (RFC 8414)'}).`,
    )
  },
  'authorization-server.clock': clockSkew,
})
