// Who signed in, as the claims of the id_token and of userinfo say it. Pure; identify.ts gets the claims.
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'

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

export type EmailRule = {
  /** OIDC_EMAIL_CLAIM. */
  claim: string
  /** OIDC_EMAIL_TRUST: `always` also takes an address without a word on whether it is verified, but none that is denied. */
  trust: 'verified' | 'always'
}

/** Some servers write the boolean as a text. */
const isYes = (value: unknown) => value === true || value === 'true'

/** A denial of an address counts for every spelling of it. */
const folded = (address: unknown) => (typeof address === 'string' ? address.trim().toLowerCase() : undefined)

type Said = { email: string; verified: unknown }

/** The address as one source has it, with what that source says about it. Never cut: a part could be another's address. */
function addressIn(claims: Claims, claim: string): Said | undefined {
  const value = claims[claim]
  if (typeof value !== 'string' || value.length > MAX_ADDRESS) return undefined
  // Spaces alone: other invisible characters make it another address.
  const email = value.replaceAll(/^ +| +$/g, '')
  // No address has control characters (RFC 5321, 4.1.2); where one were trimmed later, it would become another's.
  if (email === '' || /\p{Cc}/u.test(email)) return undefined
  // `email_verified` is about the claim `email` (OpenID Connect Core 5.1) and about no other.
  return { email, verified: value === claims['email'] ? claims['email_verified'] : undefined }
}

/**
 * The address and whether it counts, both from one source: `email` of the id_token beside `email_verified` of userinfo
 * would vouch for an address that no one verified. A source that says whether it is verified goes first.
 */
function addressOf(
  sources: readonly Claims[],
  { claim, trust }: EmailRule,
): Pick<User, 'email' | 'emailVerified'> {
  const said = sources.map((claims) => addressIn(claims, claim)).filter((one) => one !== undefined)
  const chosen = said.find(({ verified }) => verified !== undefined) ?? said[0]
  if (chosen === undefined) return {}
  const { email, verified } = chosen
  // A denial counts in any of the sources.
  const isDenied = sources.some((claims) => {
    const denied = claims['email_verified']
    return denied !== undefined && !isYes(denied) && folded(claims['email'] ?? email) === folded(email)
  })
  const emailVerified = !isDenied && (isYes(verified) || trust === 'always')
  return { email, emailVerified }
}

/** A subject that shows nothing would make one person of everyone (OpenID Connect Core 2). */
function subjectIn({ sub }: Claims): string {
  if (/[^\s\p{C}]/u.test(sub)) return sub
  const detail = 'the authorization server gives people an empty sub: let it name each by one of their own'
  throw new Problem(502, 'sign_in_misconfigured', { detail })
}

/**
 * Pure: the user that claims name. @param sources of the id_token, of userinfo: the first has the subject
 * @throws {Problem} sign_in_misconfigured where it names no one
 */
export function userOf(issuer: string, sources: readonly [Claims, ...Claims[]], rule: EmailRule): User {
  const first = (claim: string) =>
    sources.map((claims) => text(claims[claim])).find((value) => value !== undefined)
  const name = first('name') ?? first('preferred_username')
  return {
    issuer,
    subject: subjectIn(sources[0]),
    name,
    locale: first('locale')?.slice(0, MAX_LOCALE),
    ...addressOf(sources, rule),
  }
}

/** Pure: does the id_token leave nothing to ask? An address counts only with a word about whether it is verified. */
export function saysEverything(claims: Claims, rule: EmailRule): boolean {
  const hasName = text(claims['name']) !== undefined || text(claims['preferred_username']) !== undefined
  return hasName && addressIn(claims, rule.claim)?.verified !== undefined
}
