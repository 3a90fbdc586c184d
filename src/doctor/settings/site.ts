// Which site a host belongs to, as far as it can be told without the public suffix list: browsers send a SameSite=Lax
// cookie with a request from another page only within one site. Pure.
import { isIP } from 'node:net'

/** Second levels under which countries register names: acme.co.uk, acme.com.au. */
const REGISTRIES = new Set(['ac', 'co', 'com', 'edu', 'gob', 'gov', 'go', 'net', 'ne', 'nom', 'or', 'org'])
/** Hosts that give each customer a site of its own. */
const SHARED =
  /(^|\.)([\w-]+\.)?(github\.io|gitlab\.io|pages\.dev|workers\.dev|web\.app|run\.app|vercel\.app|netlify\.app|herokuapp\.com|azurewebsites\.net|cloudfront\.net|onrender\.com|fly\.dev)$/

/** The registrable domain of a host, or the host itself where it has none. */
export function siteOf(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  if (isIP(host.replaceAll(/[[\]]/g, '')) !== 0 || labels.length < 3) return host
  const [second = '', top = ''] = labels.slice(-2)
  const isLonger = (top.length === 2 && REGISTRIES.has(second)) || SHARED.test(host)
  return labels.slice(isLonger ? -3 : -2).join('.')
}

/** Do both origins belong to one site? Another scheme is another site. */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  return a.protocol === b.protocol && siteOf(a.hostname) === siteOf(b.hostname)
}
