// PUBLIC_URL, the address that people use: every callback is built from it, and the cookie depends on it. Does it lead to
// onramp? Before the first start nothing answers there, and inside a cluster the public name may not be reachable:
// neither is a fault.
import { silenceInWords } from '../../client-api/silence.ts'
import { RECOGNISED_BY } from '../../web/health.ts'
import { ask, type Asked } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, ok, publicAddress, skip, warn, type Finding } from '../finding.ts'

const settings = ['PUBLIC_URL']

export function publicUrl({ settings: read }: Subject): Finding {
  const { PUBLIC_URL: url, SERVICE_BASE_URL, OIDC_ISSUER } = read
  if (url === undefined) return skip('PUBLIC_URL cannot be read.')
  for (const [name, other] of Object.entries({ SERVICE_BASE_URL, OIDC_ISSUER }))
    if (other !== undefined && new URL(other).origin === url)
      return fail(`PUBLIC_URL is the same origin as ${name}, so people would never come back to onramp.`, {
        settings,
        fix: "set it to onramp's own address, as people type it",
      })
  if (/(^|\.)example(\.(com|net|org))?$/.test(new URL(url).hostname))
    return warn('PUBLIC_URL is an address that exists in examples only.', {
      settings,
      fix: "set it to onramp's own address",
    })
  if (url.startsWith('https:')) return ok(`People use ${url}; the cookie is __Host-onramp, Secure.`)
  return warn(`${url} works on this machine only, and the cookie (onramp) is not Secure.`, {
    settings,
    fix: 'set the https address that other people use',
  })
}

const LET_THROUGH = 'let every path through to onramp; it signs people in itself'

function redirected(location: string | undefined, url: string): Finding {
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined
  if (target !== undefined && target.origin !== url && target.pathname === '/healthz')
    return fail(`PUBLIC_URL redirects to ${target.origin}: people would lose their cookie on the way back.`, {
      settings,
      fix: `set it to ${target.origin}, and change the registered redirect addresses with it`,
    })
  const where = publicAddress(target?.href) ?? 'somewhere else'
  return warn(`PUBLIC_URL/healthz redirects to ${where}: something in front of onramp answers instead.`, {
    settings,
    fix: LET_THROUGH,
  })
}

function reachedFinding(asked: Asked, url: string): Finding {
  if (asked.kind === 'silent') {
    const why = silenceInWords[asked.why]
    if (asked.why !== 'certificate' && asked.why !== 'no-tls')
      return skip(`nothing can be seen at ${url} from here: ${why}. Check again when the server runs.`)
    return warn(`PUBLIC_URL cannot be used: ${why}.`, {
      settings,
      fix: 'look at the certificate of the reverse proxy; browsers may refuse it too',
    })
  }
  if (asked.header(RECOGNISED_BY.name) === RECOGNISED_BY.value) return ok(`What answers at ${url} is onramp.`)
  const { status } = asked
  if (status === 502 || status === 503 || status === 504)
    return skip(
      `the reverse proxy at ${url} has no onramp behind it yet (${status}). Check again when it runs.`,
    )
  if (status >= 300 && status < 400) return redirected(asked.header('location'), url)
  if (status === 401 || status === 403)
    return warn(`Something in front of ${url} asks for a sign-in of its own (${status}).`, {
      settings,
      fix: LET_THROUGH,
    })
  return fail(`What answers at ${url} is not onramp (${status} at /healthz).`, {
    settings,
    fix: "set it to onramp's own address, or let the reverse proxy pass every path to onramp",
  })
}

export async function publicReached({ settings: { PUBLIC_URL: url } }: Subject): Promise<Finding> {
  if (url === undefined) return skip('PUBLIC_URL cannot be read.')
  return reachedFinding(await ask(`${url}/healthz`), url)
}
