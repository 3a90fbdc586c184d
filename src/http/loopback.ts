// Loopback addresses. Plain http is for them only, as codes and tokens would be readable elsewhere (RFC 9700 2.6). Pure.

/** @param hostname as in a URL, where an IPv6 address is in brackets */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

export const isHttpsOrLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
