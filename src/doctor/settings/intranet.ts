// RETURN_TO_ORIGINS: pages there may lead back and forth, but <onramp-status> works only within one site, because browsers
// send a SameSite=Lax cookie with a request from another page only there.
import { isIP } from 'node:net'
import type { Subject } from '../check.ts'
import { ok, skip, warn, type Finding } from '../finding.ts'

/** Second levels under which countries register names: acme.co.uk, acme.com.au. */
const REGISTRIES = new Set(['ac', 'co', 'com', 'edu', 'gob', 'gov', 'go', 'net', 'ne', 'nom', 'or', 'org'])
/** Hosts that give each customer a site of its own. */
const SHARED =
  /(^|\.)([\w-]+\.)?(github\.io|gitlab\.io|pages\.dev|workers\.dev|web\.app|run\.app|vercel\.app|netlify\.app|herokuapp\.com|azurewebsites\.net|cloudfront\.net|onrender\.com|fly\.dev)$/

/** The registrable domain of a host, as far as it can be known without the public suffix list. Pure. */
export function siteOf(hostname: string): string {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  if (isIP(host.replaceAll(/[[\]]/g, '')) !== 0 || labels.length < 3) return host
  const [second = '', top = ''] = labels.slice(-2)
  const isLonger = (top.length === 2 && REGISTRIES.has(second)) || SHARED.test(host)
  return labels.slice(isLonger ? -3 : -2).join('.')
}

/** Do both origins belong to one site? Another scheme is another site. Pure. */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  return a.protocol === b.protocol && siteOf(a.hostname) === siteOf(b.hostname)
}

export function intranet({
  settings: { PUBLIC_URL: url, RETURN_TO_ORIGINS: origins = [] },
}: Subject): Finding {
  if (url === undefined) return skip('PUBLIC_URL cannot be read.')
  if (origins.length === 0) return skip('RETURN_TO_ORIGINS is not set.')
  const elsewhere = origins.filter((origin) => !isSameSite(origin, url))
  const [first] = elsewhere
  if (first === undefined) return ok('<onramp-status> works on every page of RETURN_TO_ORIGINS.')
  return warn(
    `${elsewhere.join(', ')}: another site than PUBLIC_URL, so browsers send no cookie from there (SameSite=Lax), and <onramp-status> always says signed out.`,
    {
      settings: ['PUBLIC_URL', 'RETURN_TO_ORIGINS'],
      fix: `give onramp a name on the same site, like onramp.${siteOf(new URL(first).hostname)}; links there and back work as they are`,
    },
  )
}
