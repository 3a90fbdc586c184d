// Who signed in, and which of ADMIN_GROUPS they are in, as the claims of the id_token and of userinfo say it. The rest of
// a person's groups is kept nowhere. Pure; identify.ts gets the claims.
import { omitUndefined } from '../omit-undefined.ts'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'

/** Which claims count, and how. */
export type ClaimSettings = Pick<
  Settings,
  'OIDC_EMAIL_CLAIM' | 'OIDC_EMAIL_TRUST' | 'OIDC_GROUPS_CLAIM' | 'ADMIN_GROUPS'
>

export type Claims = { sub: string; [claim: string]: unknown }

const MAX_CHARACTERS = 200
/** The longest tags in use have some twenty characters (RFC 5646 4.4.1). */
const MAX_LOCALE = 35
/** RFC 5321 4.5.3.1, as erratum 1690 of RFC 3696 counts it. */
const MAX_ADDRESS = 254
/** Without what would turn around the words beside it (UAX 9), or is no letter at all. */
const text = (value: unknown) => {
  const plain = typeof value === 'string' ? value.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '').trim() : ''
  return plain === '' ? undefined : plain.slice(0, MAX_CHARACTERS)
}

/** Some servers write the boolean as a text. */
const isYes = (value: unknown) => value === true || value === 'true'

/** A denial of an address counts for every spelling of it. */
const folded = (address: unknown) => (typeof address === 'string' ? address.trim().toLowerCase() : undefined)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A claim by its name, or by the path to one inside another: `realm_access.roles`. */
function claimIn(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined
  const inside = (outer: unknown, part: string) =>
    isObject(outer) && Object.hasOwn(outer, part) ? outer[part] : undefined
  return name.split('.').reduce<unknown>(inside, claims) ?? undefined
}

/** Its JSON type, for the log; nothing of its content. */
function shapeOf(value: unknown): string {
  if (!Array.isArray(value)) return isObject(value) ? 'an object' : `a ${typeof value}`
  const types = [...new Set(value.map((one) => typeof one))].join(', ')
  return `a list of ${value.length === 1 ? 'one' : 'several'} (${types})`
}

type Said = { email: string; verified: unknown }

/** Some servers send the address as `emails`, a list. No claim says that it is verified. */
const addressClaim = (claims: Claims, claim: string): unknown =>
  oneOf(claimIn(claims, claim)) ?? (claim === 'email' ? oneOf(claims['emails']) : undefined)

const oneOf = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** Pure: why a claim that is there gave no address, for the operator. */
export function explainMissingEmail(
  sources: readonly Claims[],
  { OIDC_EMAIL_CLAIM: claim }: ClaimSettings,
): string | undefined {
  if (sources.some((claims) => addressIn(claims, claim) !== undefined)) return undefined
  const odd = sources.map((claims) => addressClaim(claims, claim)).find((value) => (value ?? '') !== '')
  return odd === undefined
    ? undefined
    : `the claim ${claim} came as ${shapeOf(odd)} that is no address, so the person has none here: let the authorization server send one address in it, or set OIDC_EMAIL_CLAIM`
}

/** The address as one source has it, with what that source says about it. Never cut: a part could be another's address. */
function addressIn(claims: Claims, claim: string): Said | undefined {
  const value = addressClaim(claims, claim)
  if (typeof value !== 'string' || value.length > MAX_ADDRESS) return undefined
  // Spaces alone: other invisible characters make it another address.
  const email = value.replaceAll(/^ +| +$/g, '')
  // No address has control characters (RFC 5321, 4.1.2); where one were trimmed later, it would become another's.
  if (email === '' || /\p{Cc}/u.test(email)) return undefined
  // `email_verified` is about the claim `email` (OpenID Connect Core 5.1) and about no other.
  return { email, verified: value === oneOf(claims['email']) ? claims['email_verified'] : undefined }
}

/**
 * The address and whether it counts, both from one source: `email` of the id_token beside `email_verified` of userinfo
 * would vouch for an address that no one verified. A source that says whether it is verified goes first. OIDC_EMAIL_TRUST:
 * `always` also takes an address without a word on it, but none that is denied.
 */
function addressOf(
  sources: readonly Claims[],
  { OIDC_EMAIL_CLAIM: claim, OIDC_EMAIL_TRUST: trust }: ClaimSettings,
): Pick<User, 'email' | 'emailVerified'> {
  const said = sources.map((claims) => addressIn(claims, claim)).filter((one) => one !== undefined)
  const chosen = said.find(({ verified }) => verified !== undefined) ?? said[0]
  if (chosen === undefined) return {}
  const { email, verified } = chosen
  // A denial counts in any of the sources.
  const isDenied = sources.some((claims) => {
    const denied = claims['email_verified']
    return denied !== undefined && !isYes(denied) && folded(oneOf(claims['email']) ?? email) === folded(email)
  })
  const emailVerified = !isDenied && (isYes(verified) || trust === 'always')
  return { email, emailVerified }
}

/** One that shows nothing, or says that there is none, would make one person of everyone (OpenID Connect Core 2). */
function subjectIn({ sub }: Claims): string {
  const isSaid = /^\s*not supported\b/i.test(sub)
  if (!isSaid && /[^\s\p{C}]/u.test(sub)) return sub
  const what = isSaid ? 'everyone the same sub, which says that it is not supported' : 'people an empty sub'
  const detail = `the authorization server gives ${what}: let it name each by one of their own`
  throw new Problem(502, 'sign_in_misconfigured', { detail })
}

/** Pure. @param sources id_token first, then userinfo @throws {Problem} sign_in_misconfigured for an unusable sub */
export function userFromClaims(
  issuer: string,
  sources: readonly [Claims, ...Claims[]],
  settings: ClaimSettings,
): User {
  const first = (claim: string) =>
    sources.map((claims) => text(claims[claim])).find((value) => value !== undefined)
  const name = first('name') ?? first('preferred_username')
  return {
    issuer,
    subject: subjectIn(sources[0]),
    name,
    locale: first('locale')?.slice(0, MAX_LOCALE),
    ...addressOf(sources, settings),
    ...omitUndefined({ givenName: first('given_name'), groups: adminGroupsIn(sources, settings) }),
  }
}

/** Pure: is userinfo unnecessary? Needs a name, an address with email_verified, and groups if ADMIN_GROUPS is set. */
export function isComplete(claims: Claims, settings: ClaimSettings): boolean {
  const { OIDC_EMAIL_CLAIM, OIDC_GROUPS_CLAIM, ADMIN_GROUPS = [] } = settings
  const hasName = text(claims['name']) !== undefined || text(claims['preferred_username']) !== undefined
  const hasGroups = ADMIN_GROUPS.length === 0 || claimIn(claims, OIDC_GROUPS_CLAIM) !== undefined
  return hasName && hasGroups && addressIn(claims, OIDC_EMAIL_CLAIM)?.verified !== undefined
}

const nameIn = (value: unknown): unknown => (isObject(value) ? value['name'] : value)

/** Pure: the names in a claim of groups, and whether it holds more than can be read without a guess. */
function namesIn(value: unknown): { names: string[]; isOdd: boolean } {
  // Keyed by name, as with {"admin":{"2199":"acme.example"}}; what is in it doesn't matter.
  if (isObject(value)) {
    const isKeyed = Object.values(value).every(isObject)
    return { names: isKeyed ? Object.keys(value) : [], isOdd: !isKeyed }
  }
  const all = [value].flat().map(nameIn)
  const names = all.filter((one) => typeof one === 'string')
  // One text may be one name, or several: a group whose name has a comma would count as two.
  const isJoined = typeof value === 'string' && /^\[|[,;|\n]/.test(value)
  return { names, isOdd: isJoined || names.length < all.length }
}

type GroupSettings = Pick<ClaimSettings, 'OIDC_GROUPS_CLAIM' | 'ADMIN_GROUPS'>

const groupClaims = (sources: readonly Claims[], { OIDC_GROUPS_CLAIM: claim }: GroupSettings) =>
  sources.map((claims) => claimIn(claims, claim)).filter((value) => value !== undefined)

/** Pure: those of ADMIN_GROUPS, of every source that has the claim; undefined: none has it, or none is wanted. */
export function adminGroupsIn(sources: readonly Claims[], settings: GroupSettings): string[] | undefined {
  const { ADMIN_GROUPS: wanted = [] } = settings
  const found = groupClaims(sources, settings)
  if (wanted.length === 0 || found.length === 0) return undefined
  const own = new Set(found.flatMap((value) => namesIn(value).names))
  return wanted.filter((group) => own.has(group))
}

/** Pure: why ADMIN_GROUPS did not count for a sign-in, for the operator; undefined where it did, or names none. */
export function explainMissingGroups(
  sources: readonly Claims[],
  settings: GroupSettings,
): string | undefined {
  const { OIDC_GROUPS_CLAIM: claim, ADMIN_GROUPS: wanted = [] } = settings
  if (wanted.length === 0 || adminGroupsIn(sources, settings)?.length) return undefined
  const found = groupClaims(sources, settings)
  const odd = found.find((value) => namesIn(value).isOdd)
  if (odd !== undefined)
    return `the claim ${claim} came as ${typeof odd === 'string' ? 'one text with commas, brackets or the like' : shapeOf(odd)}, which onramp can't read as groups without a guess, so ADMIN_GROUPS didn't count for it: let the authorization server send a list of names. A list inside an object is OIDC_GROUPS_CLAIM=${claim}.NAME`
  if (found.length > 0) return undefined
  // Microsoft Entra names the claim and leaves the groups out where a person is in more than 200.
  const isLeftOut = ({ hasgroups, _claim_names: names }: Claims) =>
    hasgroups === true || (typeof names === 'object' && names !== null && claim in names)
  return sources.some(isLeftOut)
    ? "a person is in more groups than Microsoft Entra puts into a token, so ADMIN_GROUPS can't tell whether they are an admin: limit the claim to groups assigned to the application there, or use app roles with OIDC_GROUPS_CLAIM=roles"
    : `a sign-in came without the claim ${claim}, so ADMIN_GROUPS didn't count for it: if this happens to admins too, have the authorization server add the claim for this client (some need a scope in OIDC_SCOPE), or set OIDC_GROUPS_CLAIM`
}
