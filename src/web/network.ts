// Finds the network of an IP address, for rate limits. Pure. IPv6 addresses have many spellings (2001:db8::1), and a
// dual-stack socket writes IPv4 as IPv6 (::ffff:192.0.2.7).
import { isIPv6 } from 'node:net'

/**
 * The /64 of an IPv6 address, because a household may use all of its addresses (RFC 6177); an IPv4 address itself, even
 * if mapped into IPv6 (RFC 4291 2.5.5.2); anything else unchanged. A port is dropped.
 */
export function networkOf(address: string): string {
  const [bare = ''] = withoutPort(address).split('%', 1)
  if (!isIPv6(bare)) return bare
  const groups = groupsOf(bare)
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  return isMapped ? dotted(groups.slice(6)) : groups.slice(0, 4).join(':')
}

/** Some proxies forward the port (`192.0.2.7:51234`, `[2001:db8::1]:443`), so each connection would be a network. */
export const withoutPort = (address: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(address)?.[1] ?? address

/** The eight groups in lower case, without leading zeros, because the URL parser normalizes every spelling. */
function groupsOf(address: string): string[] {
  const [start = [], end = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  return [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end]
}

const dotted = (groups: string[]): string =>
  groups
    .map((group) => parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 0xff])
    .join('.')
