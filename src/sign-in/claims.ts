// Reads the person, and their groups of ADMIN_GROUPS, from the claims of the id_token and userinfo. Other groups are
// dropped. Pure; user-lookup.ts gets the claims.
import { isJsonObject } from '../http/body.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'

export type Claims = { sub: string; [claim: string]: unknown }

const MAX_CHARACTERS = 200
/** The longest tags in use have some twenty characters (RFC 5646 4.4.1). */
const MAX_LOCALE = 35
/** Characters of an address (RFC 5321 4.5.3.1, and erratum 1690 of RFC 3696). */
const MAX_EMAIL = 254

/** Removes control characters, and characters that reverse the text around them (UAX 9). */
const text = (value: unknown) => {
  const plain = typeof value === 'string' ? value.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '').trim() : ''
  return plain === '' ? undefined : plain.slice(0, MAX_CHARACTERS)
}

/** Accepts a boolean sent as a string. */
const isTrue = (value: unknown) => value === true || value === 'true'

function claimIn(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined
  const inside = (outer: unknown, part: string) =>
    isJsonObject(outer) && Object.hasOwn(outer, part) ? outer[part] : undefined
  return name.split('.').reduce<unknown>(inside, claims) ?? undefined
}

/** The JSON type, for the log, which must not get the content. */
function typeName(value: unknown): string {
  if (!Array.isArray(value)) return isJsonObject(value) ? 'an object' : `a ${typeof value}`
  const types = [...new Set(value.map((item) => typeof item))].join(', ')
  return `a list of ${value.length === 1 ? 'one' : 'several'} (${types})`
}

const unwrapOne = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** Reads also `emails`, a list that some servers send. */
const emailClaim = (claims: Claims, claim: string): unknown =>
  unwrapOne(claimIn(claims, claim)) ?? (claim === 'email' ? unwrapOne(claims['emails']) : undefined)

function explainMissingEmail(sources: readonly Claims[], { OIDC_EMAIL_CLAIM: claim }: Settings) {
  const odd = sources.map((claims) => emailClaim(claims, claim)).find((value) => (value ?? '') !== '')
  return odd === undefined || sources.some((claims) => emailIn(claims, claim) !== undefined)
    ? undefined
    : `the claim ${claim} is ${typeName(odd)}, not an email address, so the person has none here: have the authorization server send one address in it, or set OIDC_EMAIL_CLAIM`
}

/** Reads an address. It is never truncated, because a part of it could be another person's. */
function emailIn(claims: Claims, claim: string): { email: string; verified: unknown } | undefined {
  const value = emailClaim(claims, claim)
  if (typeof value !== 'string' || value.length > MAX_EMAIL) return undefined
  // Trims spaces only: without other invisible characters, it would be a different address.
  const email = value.replaceAll(/^ +| +$/g, '')
  // If a control character were trimmed later, it would become another person's address (RFC 5321 4.1.2).
  if (email === '' || /\p{Cc}/u.test(email)) return undefined
  // `email_verified` is about the claim `email` alone (OpenID Connect Core 5.1).
  return { email, verified: value === unwrapOne(claims['email']) ? claims['email_verified'] : undefined }
}

/** Reads address and verification from the same source: `email_verified` vouches for no other source's address. */
function readEmail(
  sources: readonly Claims[],
  { OIDC_EMAIL_CLAIM: claim, OIDC_EMAIL_TRUST: trust }: Settings,
): Pick<User, 'email' | 'emailVerified'> {
  const emails = sources.map((claims) => emailIn(claims, claim)).filter((email) => email !== undefined)
  const chosen = emails.find(({ verified }) => verified !== undefined) ?? emails[0]
  if (chosen === undefined) return {}
  const { email, verified } = chosen
  const isSame = (other: unknown) =>
    typeof other === 'string' && other.trim().toLowerCase() === email.trim().toLowerCase()
  // A denial in any source counts, for every spelling of the address.
  const isDenied = sources.some(
    ({ email_verified: value, email: other }) =>
      value !== undefined && !isTrue(value) && isSame(unwrapOne(other) ?? email),
  )
  return { email, emailVerified: !isDenied && (isTrue(verified) || trust === 'always') }
}

/** @throws {Problem} for an empty sub, or "not supported": everyone would be one person (OpenID Connect Core 2) */
function readSubject({ sub }: Claims): string {
  const isUnsupported = /^\s*not supported\b/i.test(sub)
  if (!isUnsupported && /[^\s\p{C}]/u.test(sub)) return sub
  const subjects = isUnsupported ? 'the same sub ("not supported") for everyone' : 'an empty sub'
  const detail = `the authorization server sends ${subjects}: have it send a unique sub for each person`
  throw new Problem(502, 'sign_in_misconfigured', { detail })
}

export const adviceOn = (sources: readonly Claims[], settings: Settings): string[] =>
  [explainMissingGroups(sources, settings), explainMissingEmail(sources, settings)].filter(
    (advice) => advice !== undefined,
  )

/** @param sources id_token first, then userinfo @throws {Problem} sign_in_misconfigured for an unusable sub */
export function userFromClaims(
  issuer: string,
  sources: readonly [Claims, ...Claims[]],
  settings: Settings,
): User {
  const first = (claim: string) =>
    sources.map((claims) => text(claims[claim])).find((value) => value !== undefined)
  return {
    issuer,
    subject: readSubject(sources[0]),
    name: first('name') ?? first('preferred_username'),
    locale: first('locale')?.slice(0, MAX_LOCALE),
    ...readEmail(sources, settings),
    ...omitUndefined({ givenName: first('given_name'), groups: adminGroupsIn(sources, settings) }),
  }
}

/** True if the claims have a name, an address with email_verified, and groups if ADMIN_GROUPS is set. */
export function hasEnoughClaims(claims: Claims, settings: Settings): boolean {
  const { OIDC_EMAIL_CLAIM, OIDC_GROUPS_CLAIM, ADMIN_GROUPS = [] } = settings
  const hasName = text(claims['name']) !== undefined || text(claims['preferred_username']) !== undefined
  const hasGroups = ADMIN_GROUPS.length === 0 || claimIn(claims, OIDC_GROUPS_CLAIM) !== undefined
  return hasName && hasGroups && emailIn(claims, OIDC_EMAIL_CLAIM)?.verified !== undefined
}

/** @returns the group names in a claim; `isOdd` if a part of the claim is ambiguous */
function groupNames(value: unknown): { names: string[]; isOdd: boolean } {
  // Some servers send an object keyed by name: {"admin":{"2199":"acme.example"}}.
  if (isJsonObject(value)) {
    const isKeyed = Object.values(value).every(isJsonObject)
    return { names: isKeyed ? Object.keys(value) : [], isOdd: !isKeyed }
  }
  const members = [value].flat().map((group: unknown) => (isJsonObject(group) ? group['name'] : group))
  const names = members.filter((name) => typeof name === 'string')
  // A single string could be one name with a comma, or several names.
  const isJoined = typeof value === 'string' && /^\[|[,;|\n]/.test(value)
  return { names, isOdd: isJoined || names.length < members.length }
}

const groupClaims = (sources: readonly Claims[], { OIDC_GROUPS_CLAIM: claim }: Settings) =>
  sources.map((claims) => claimIn(claims, claim)).filter((value) => value !== undefined)

/** Groups of ADMIN_GROUPS in any source; undefined if no source has the claim, or ADMIN_GROUPS is empty. */
export function adminGroupsIn(sources: readonly Claims[], settings: Settings): string[] | undefined {
  const { ADMIN_GROUPS: adminGroups = [] } = settings
  const found = groupClaims(sources, settings)
  if (adminGroups.length === 0 || found.length === 0) return undefined
  const names = new Set(found.flatMap((value) => groupNames(value).names))
  return adminGroups.filter((group) => names.has(group))
}

function explainMissingGroups(sources: readonly Claims[], settings: Settings): string | undefined {
  const { OIDC_GROUPS_CLAIM: claim, ADMIN_GROUPS: adminGroups = [] } = settings
  if (adminGroups.length === 0 || adminGroupsIn(sources, settings)?.length) return undefined
  const found = groupClaims(sources, settings)
  const odd = found.find((value) => groupNames(value).isOdd)
  if (odd !== undefined)
    return `the claim ${claim} is ${typeof odd === 'string' ? 'text with commas or brackets' : typeName(odd)}, which onramp can't read as groups, so ADMIN_GROUPS was ignored: have the authorization server send a list of names. For a list inside an object, set OIDC_GROUPS_CLAIM=${claim}.NAME`
  if (found.length > 0) return undefined
  // For people in more than 200 groups, Microsoft Entra omits the groups and sends these claims instead.
  const isOmitted = ({ hasgroups, _claim_names: names }: Claims) =>
    hasgroups === true || (isJsonObject(names) && claim in names)
  return sources.some(isOmitted)
    ? "a person is in more groups than Microsoft Entra puts into a token, so ADMIN_GROUPS can't tell whether they are an admin: limit the claim to groups assigned to the application there, or use app roles with OIDC_GROUPS_CLAIM=roles"
    : `a sign-in lacked the claim ${claim}, so ADMIN_GROUPS was ignored: if this happens to admins too, have the authorization server add the claim for this client (some need a scope in OIDC_SCOPE), or set OIDC_GROUPS_CLAIM`
}
