// PUBLIC_URL, the address that people use: every callback is built from it, and the cookie depends on it. Does it lead to
// onramp? Before the first start nothing answers there, and inside a cluster the public name may not be reachable:
// neither is a fault.
import { isIP } from 'node:net'
import { silenceInWords } from '../../client-api/silence.ts'
import { RECOGNISED_BY } from '../../web/health.ts'
import { ask, type Asked } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, missing, ok, publicAddress, skip, warn, type Finding } from '../finding.ts'

const settings = ['PUBLIC_URL']

export function publicUrl({ settings: read }: Subject): Finding {
  const { PUBLIC_URL: url, SERVICE_BASE_URL, OIDC_ISSUER } = read
  if (url === undefined) return missing('PUBLIC_URL')
  for (const [name, other] of Object.entries({ SERVICE_BASE_URL, OIDC_ISSUER }))
    if (other !== undefined && new URL(other).origin === url)
      return fail(`PUBLIC_URL has the same origin as ${name}, so people would never come back to onramp.`, {
        settings,
        fix: "set it to onramp's own URL",
      })
  if (/(^|\.)example(\.(com|net|org))?$/.test(new URL(url).hostname))
    return warn('PUBLIC_URL is an example domain.', {
      settings,
      fix: "set it to onramp's own URL",
    })
  if (url.startsWith('https:')) return ok(`People use ${url}; the session cookie (__Host-onramp) is Secure.`)
  return warn(`${url} only works on this machine, and the session cookie isn't Secure.`, {
    settings,
    fix: 'use an https URL in production',
  })
}

const LET_THROUGH = 'pass every path through to onramp; it handles sign-in itself'

function redirected(location: string | undefined, url: string): Finding {
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined
  if (target !== undefined && target.origin !== url && target.pathname === '/healthz')
    return fail(`PUBLIC_URL redirects to ${target.origin}: people would lose their cookie on the way back.`, {
      settings,
      fix: `set it to ${target.origin}, and update the registered redirect URIs`,
    })
  const where = publicAddress(target?.href) ?? 'somewhere else'
  return warn(`PUBLIC_URL/healthz redirects to ${where}: something in front of onramp responds instead.`, {
    settings,
    fix: LET_THROUGH,
  })
}

function reachedFinding(asked: Asked, url: string): Finding {
  if (asked.kind === 'silent') {
    const why = silenceInWords(asked.why)
    if (asked.why === 'unknown-name')
      return warn(`The host name in PUBLIC_URL doesn't resolve from here (${new URL(url).hostname}).`, {
        settings,
        fix: 'check its spelling and DNS; only if people resolve it elsewhere, ignore this',
      })
    if (asked.why !== 'certificate' && asked.why !== 'no-tls')
      return skip(`${url} is not reachable from here: ${why}. Check again when the server is running.`)
    return warn(`PUBLIC_URL can't be used: ${why}.`, {
      settings,
      fix: "check the reverse proxy's certificate; browsers may reject it too",
    })
  }
  if (asked.header(RECOGNISED_BY.name) === RECOGNISED_BY.value) return ok(`onramp is responding at ${url}.`)
  const { status } = asked
  if (status === 502 || status === 503 || status === 504)
    return skip(
      `the reverse proxy at ${url} can't reach onramp yet (${status}). Check again when onramp is running.`,
    )
  if (status >= 300 && status < 400) return redirected(asked.header('location'), url)
  if (status === 401 || status === 403)
    return warn(`Something in front of ${url} requires its own sign-in (${status}).`, {
      settings,
      fix: LET_THROUGH,
    })
  return fail(`The server at ${url} is not onramp (${status} at /healthz).`, {
    settings,
    fix: "set it to onramp's own URL, or configure the reverse proxy to pass every path to onramp",
  })
}

export async function publicReached({ settings: { PUBLIC_URL: url } }: Subject): Promise<Finding> {
  if (url === undefined) return missing('PUBLIC_URL')
  return reachedFinding(await ask(`${url}/healthz`), url)
}

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

/**
 * RETURN_TO_ORIGINS: pages there may lead back and forth, but <onramp-status> works only within one site, because browsers
 * send a SameSite=Lax cookie with a request from another page only there.
 */
export function intranet({
  settings: { PUBLIC_URL: url, RETURN_TO_ORIGINS: origins = [] },
}: Subject): Finding {
  if (url === undefined) return missing('PUBLIC_URL')
  if (origins.length === 0) return skip('RETURN_TO_ORIGINS is not set.')
  const elsewhere = origins.filter((origin) => !isSameSite(origin, url))
  const [first] = elsewhere
  if (first === undefined) return ok('<onramp-status> works on every page of RETURN_TO_ORIGINS.')
  return warn(
    `${elsewhere.join(', ')}: not the same site as PUBLIC_URL, so browsers send no cookie from there (SameSite=Lax), and <onramp-status> always shows people as signed out.`,
    {
      settings: ['PUBLIC_URL', 'RETURN_TO_ORIGINS'],
      fix: `if ${siteOf(new URL(first).hostname)} is yours, give onramp a host name there; links in both directions already work`,
    },
  )
}
