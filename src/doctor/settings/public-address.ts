// Addresses in findings: without query, fragment or user name, and nothing that could act on a terminal.

/** Undefined for what is no web address. */
export function publicAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 300 || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return /^https?:$/.test(url.protocol)
    ? `${url.origin}${url.pathname === '/' ? '' : url.pathname}`
    : undefined
}

/** https, or this machine (RFC 9700 2.6). */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  if (protocol === 'https:') return true
  return protocol === 'http:' && /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname)
}
