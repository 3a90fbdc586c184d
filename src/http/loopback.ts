// Recognizes safe addresses. Only loopback may use plain http, because elsewhere others could read codes and tokens
// (RFC 9700 2.6). Pure.

/** @param hostname of a URL, where an IPv6 address is in brackets */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** True for a URL with https, or with http to this machine. */
export function isSafeUrl(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}
