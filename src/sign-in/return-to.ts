// Allowed destinations after the sign-in or the walk: a path of onramp, or an origin that the operator allows. Others
// are dropped (RFC 9700 4.11, open redirection). Pure.
import { Problem } from '../problem.ts'

const MAX_CHARACTERS = 1024

export type ReturnToRules = { publicOrigin: string; allowedOrigins: readonly string[] }

const isTooLong = (value: unknown) => typeof value === 'string' && value.length > MAX_CHARACTERS

/** @throws {Problem} return_to_too_long */
export function assertReturnToLength(value: unknown): void {
  const detail = `return_to has more than ${MAX_CHARACTERS} characters`
  if (isTooLong(value)) throw new Problem(400, 'return_to_too_long', { detail })
}

/** @param value untrusted @returns a path or URL, normalized; undefined if it isn't allowed */
export function safeReturnTo(value: unknown, rules: ReturnToRules): string | undefined {
  const url = allowedUrl(value, rules)
  return isTooLong(url) ? undefined : url
}

/** Like safeReturnTo, for a query parameter. @throws {Problem} return_to_too_long */
export function parseReturnTo(value: unknown, rules: ReturnToRules): string | undefined {
  assertReturnToLength(value)
  const url = allowedUrl(value, rules)
  assertReturnToLength(url)
  return url
}

function allowedUrl(value: unknown, rules: ReturnToRules): string | undefined {
  if (typeof value !== 'string' || isTooLong(value)) return undefined
  const url = parseUrl(value, rules.publicOrigin)
  if (url === undefined) return undefined
  if (url.origin !== rules.publicOrigin)
    return rules.allowedOrigins.includes(url.origin) ? url.href : undefined
  // These pages would cause a loop.
  if (/^\/(sign-in|sign-out|signed-out)(\/|$)/i.test(url.pathname)) return undefined
  const path = safePathOf(url)
  return path === undefined ? undefined : encodeReturnTo(path)
}

/** The normalized path for "Try again". @param value untrusted; may be a whole URL (RFC 9112 3.2.2) */
export function tryAgainPath(
  value: string,
  publicOrigin: string,
  returnToOf: (callback: URL) => string | undefined,
) {
  const url = parseUrl(value, publicOrigin)
  if (url === undefined || url.origin !== publicOrigin) return undefined
  // The code in a callback is valid once, and must not be in a page.
  return /^\/sign-in\//i.test(url.pathname) ? signInPath(returnToOf(url) ?? '/onboarding') : safePathOf(url)
}

/** Resolves a path or URL as a browser does; undefined if browsers could read it in different ways. */
function parseUrl(value: string, base: string): URL | undefined {
  // Browsers drop spaces and control characters, and turn backslashes into slashes.
  if (!/^[\x21-\x7e]*$/.test(value) || value.includes('\\')) return undefined
  const isPath = value.startsWith('/') && !value.startsWith('//')
  if (!isPath && !/^https?:\/\/[^/]/i.test(value)) return undefined
  const url = URL.parse(value, base)
  return url === null || url.username || url.password ? undefined : url
}

/** `/onboarding/?x=`: firewalls take `/onboarding?x=` in a parameter for an event handler (OWASP CRS 941100). */
const encodeReturnTo = (path: string): string => path.replace(/^(\/(?:[^?#]*\/)?on[^/?#]*)\?/i, '$1/?')

/** `/onboarding?x=` again, for redirects. */
export const decodeReturnTo = (parameter: string): string => parameter.replace(/^(\/on[^/?#]*)\/\?/i, '$1?')

function safePathOf(url: URL): string | undefined {
  const path = url.pathname + url.search + url.hash
  // "/..//elsewhere" becomes "//elsewhere".
  return path.startsWith('//') ? undefined : path
}

export const signInPath = (returnTo: string): string =>
  `/sign-in?return_to=${encodeURIComponent(encodeReturnTo(returnTo))}`
