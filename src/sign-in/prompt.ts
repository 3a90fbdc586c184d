// What `prompt` says at sign-in (OpenID Connect Core 3.1.2.1): what the operator set, and what the person wishes who
// asked for another account, or was signed out. Pure.

/**
 * `select_account`: "Not you?". `login`: the same for a server that does not know it, or does nothing about it; and for a
 * browser that was signed out.
 */
export type Wish = 'select_account' | 'login'

const WISHES: readonly Wish[] = ['select_account', 'login']

/** @param value untrusted: a query parameter */
export const wishOf = (value: unknown): Wish | undefined => WISHES.find((known) => known === value)

/** Google's metadata says nothing of it; its documentation has these, and no `login`. */
const GOOGLE = { issuer: 'https://accounts.google.com', supported: ['none', 'consent', 'select_account'] }

/** The wish that the server knows, or the other one in its place; where nothing is known, the wish itself. */
export function possibleWish(
  wish: Wish,
  // Of Initiating User Registration 1.0.
  { issuer, prompt_values_supported: said }: { issuer: string; prompt_values_supported?: unknown },
): Wish {
  const supported = issuer === GOOGLE.issuer ? GOOGLE.supported : said
  if (!Array.isArray(supported) || supported.includes(wish)) return wish
  return wish === 'login' && supported.includes('select_account') ? 'select_account' : 'login'
}

/** @param always OIDC_PROMPT */
export function promptFor(always: string | undefined, wish: Wish | undefined): string | undefined {
  const values = new Set(always?.split(' '))
  if (wish !== undefined) values.add(wish)
  // It was tried, and did not help.
  if (wish === 'login') values.delete('select_account')
  return values.size === 0 ? undefined : [...values].join(' ')
}

/**
 * Errors after which asking again with `prompt=login` makes sense: the server knows the person and the client, and
 * could not do what `select_account` asks for. Those that the person, an outage or the configuration caused are left out.
 */
const OTHER_CAUSES = new Set([
  'access_denied',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'invalid_client',
  'invalid_scope',
  'invalid_target',
  'invalid_grant',
])

export const isWishRefused = (wish: Wish | undefined, error: string): boolean =>
  wish === 'select_account' && !OTHER_CAUSES.has(error)

/** A server that does not take `prompt=login` (RFC 6749 4.1.2.1). Other errors may be a person's who cancelled. */
export const isLoginRefused = (error: string): boolean => error === 'invalid_request'
