// Builds the headers of a call (contract section 5). Pure; imports nothing.

export type Credentials =
  /** A person's access token. `isExternalIdp`: the service's authorization server didn't issue it. */
  | { kind: 'oauth'; accessToken: string; isExternalIdp: boolean }
  /** `setting`: the name of its setting. */
  | { kind: 'user-token'; token: string; setting?: string }
  /** A service token for everyone, which requires the person for whom it acts. */
  | { kind: 'global-token'; token: string; actAs: string; setting?: string }

/** True for a token of RFC 6750 2.1. The HTTP client would quote any other one in its error. */
const isToken = (token: string) => /^[A-Za-z0-9\-._~+/]+=*$/.test(token)

/** A single email address, safe in a header (contract section 5, X-Service-ActAs). */
export const isActAsAddress = (email: string): boolean =>
  email.length <= 254 && /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(email)

/** The headers of some tenants begin with the name of their product. */
export const STANDARD_HEADER_PREFIX = 'X-Service'

/** @throws {TypeError} for a token or address with forbidden characters, which it doesn't quote */
export function credentialHeaders(
  credentials: Credentials,
  prefix = STANDARD_HEADER_PREFIX,
): Record<string, string> {
  const token = credentials.kind === 'oauth' ? credentials.accessToken : credentials.token
  if (!isToken(token)) throw new TypeError('the access token is not a valid bearer token')
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (credentials.kind === 'oauth' && credentials.isExternalIdp)
    headers[`${prefix}-Auth-Type`.toLowerCase()] = 'OAUTH'
  if (credentials.kind === 'global-token') {
    if (!isActAsAddress(credentials.actAs)) throw new TypeError(`${prefix}-ActAs requires one email address`)
    headers[`${prefix}-ActAs`.toLowerCase()] = credentials.actAs
  }
  return headers
}
