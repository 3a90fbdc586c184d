// Recognizes loopback addresses. Only they may use plain http, because elsewhere others could read codes and tokens
// (RFC 9700 2.6). Pure.

/** @param hostname of a URL, where an IPv6 address is in brackets */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

export const isHttpsOrLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
