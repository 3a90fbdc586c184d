// Where a person may be sent after sign-in, or at the end of the walk. Pure. Everything that is not clearly ours, or an
// origin that the operator allowed, is dropped (RFC 9700 4.11, open redirection).
import { Problem } from '../problem.ts'

/** Where one enters, where it is kept, and what a sign-in comes back to. */
export const MAX_RETURN_TO_CHARACTERS = 1024

export const returnToTooLong = (): Problem =>
  new Problem(400, 'return_to_too_long', {
    detail: `return_to has more than ${MAX_RETURN_TO_CHARACTERS} characters`,
  })

/** Sign-in and sign-out would lead in circles. */
const isOwnLoop = (pathname: string) => /^\/(sign-in|sign-out|signed-out)(\/|$)/i.test(pathname)

/** Spaces, control characters and backslashes: browsers drop or turn them, so what was checked is not what is opened. */
const isPlain = (text: string) => /^[\x21-\x7e]*$/.test(text) && !text.includes('\\')

export type ReturnToRules = {
  /** The origin of PUBLIC_URL. */
  publicOrigin: string
  /** RETURN_TO_ORIGINS. */
  allowedOrigins: readonly string[]
}

/** A path of ours or an address of an allowed origin, normalized; else undefined. @param value untrusted */
export function safeReturnTo(value: unknown, rules: ReturnToRules): string | undefined {
  const address = allowedAddress(value, rules)
  return isTooLong(address) ? undefined : address
}

/** The same for a parameter that just came. @throws {Problem} return_to_too_long */
export function enteredReturnTo(value: unknown, rules: ReturnToRules): string | undefined {
  const address = allowedAddress(value, rules)
  if (isTooLong(value) || isTooLong(address)) throw returnToTooLong()
  return address
}

/** As a browser writes it, an address may be longer than it was given. */
const isTooLong = (address: unknown) =>
  typeof address === 'string' && address.length > MAX_RETURN_TO_CHARACTERS

function allowedAddress(value: unknown, rules: ReturnToRules): string | undefined {
  if (typeof value !== 'string' || isTooLong(value)) return undefined
  const url = readAddress(value, rules.publicOrigin)
  if (url === undefined) return undefined
  if (url.origin !== rules.publicOrigin)
    return rules.allowedOrigins.includes(url.origin) ? url.href : undefined
  const path = isOwnLoop(url.pathname) ? undefined : pathOf(url)
  return path === undefined ? undefined : asParameter(path)
}

/** The path of ours for "Try again", normalized. @param value untrusted: may be a whole address (RFC 9112 3.2.2) */
export function repeatablePath(value: string, publicOrigin: string): string | undefined {
  const url = readAddress(value, publicOrigin)
  if (url === undefined || url.origin !== publicOrigin) return undefined
  // A callback's code is good once, and belongs in no page.
  return /^\/sign-in\//i.test(url.pathname) ? '/sign-in' : pathOf(url)
}

/** A path, or an address of the web, as a browser at `base` reads it; undefined where browsers could read it otherwise. */
function readAddress(value: string, base: string): URL | undefined {
  if (!isPlain(value)) return undefined
  const isPath = value.startsWith('/') && !value.startsWith('//')
  if (!isPath && !/^https?:\/\/[^/]/i.test(value)) return undefined
  const url = URL.parse(value, base)
  return url === null || url.username || url.password ? undefined : url
}

/** Firewalls take `/onboarding?x=` in a parameter for an event handler (OWASP CRS 941100), but not `/onboarding/?x=`. */
export const asParameter = (path: string): string => path.replace(/^([^?#]*\/on[^/?#]*)\?/i, '$1/?')

/** The address again, as links to it are written. */
export const asAddress = (parameter: string): string => parameter.replace(/^(\/on[^/?#]*)\/\?/i, '$1?')

function pathOf(url: URL): string | undefined {
  const path = url.pathname + url.search + url.hash
  // "/..//elsewhere" is a path of ours until it is normalized.
  return path.startsWith('//') ? undefined : path
}

/** Where a person signs in and then comes back to `returnTo`. */
export const signInPath = (returnTo: string): string => `/sign-in?return_to=${encodeURIComponent(returnTo)}`
