// Which network an address belongs to: what is counted together. Pure. What surprises: one address has many spellings
// (2001:db8::1), and a dual-stack socket writes IPv4 as IPv6 (::ffff:192.0.2.7).
import { isIPv6 } from 'node:net'

/**
 * The /64 of an IPv6 address, because a household has one and may use any address of it (RFC 6177); an IPv4 address as
 * it is, also when it came mapped into IPv6 (RFC 4291 2.5.5.2); anything else unchanged. Some proxies forward the port too.
 */
export function networkOf(address: string): string {
  const [bare = ''] = withoutPort(address).split('%', 1)
  if (!isIPv6(bare)) return bare
  const groups = groupsOf(bare)
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  return isMapped ? dotted(groups.slice(6)) : groups.slice(0, 4).join(':')
}

/** Of `192.0.2.7:51234` and `[2001:db8::1]:443`: otherwise each connection would count as a network. */
export const withoutPort = (address: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(address)?.[1] ?? address

/** All eight, in lower case and without leading zeros: the URL parser writes every spelling in one way. */
function groupsOf(address: string): string[] {
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [start, end] = [before, after ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(8 - (start?.length ?? 0) - (end?.length ?? 0)).fill('0')
  return [...(start ?? []), ...zeros, ...(end ?? [])]
}

const dotted = (groups: string[]): string =>
  groups
    .map((group) => parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 0xff])
    .join('.')
