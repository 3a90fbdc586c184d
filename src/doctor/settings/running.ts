// How the server will run: on which Node, where it listens, behind which proxies, and how long sessions last.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Subject } from '../check.ts'
import { fail, missing, ok, warn, type Finding } from '../finding.ts'

/** The same as in require-node.mjs and package.json: it says why 24.2 is too old. */
const MIN_NODE = { major: 24, minor: 3 }

export function runtime({ node }: Subject): Finding {
  const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)/.exec(node) ?? []).map(Number)
  const isNewEnough = major > MIN_NODE.major || (major === MIN_NODE.major && minor >= MIN_NODE.minor)
  return isNewEnough
    ? ok(`Node ${node} is supported.`)
    : fail(`Node ${node} is too old.`, {
        fix: `run onramp with Node ${MIN_NODE.major}.${MIN_NODE.minor} or newer`,
      })
}

/** Tried on a port that the system chooses, so that a running server is no obstacle. */
export async function host({ settings: { HOST: name } }: Subject): Promise<Finding> {
  if (name === undefined) return ok("onramp listens on all of this machine's addresses (HOST is not set).")
  const server = createServer()
  try {
    server.listen(0, name)
    await once(server, 'listening')
    return ok(`onramp can listen on ${name}.`)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return fail(`HOST isn't one of this machine's addresses, so the server can't listen there (${reason}).`, {
      settings: ['HOST'],
      fix: 'use one of its addresses, such as 127.0.0.1, or remove HOST to listen on all of them',
    })
  } finally {
    server.close()
  }
}

/** Nearly every address: up to 2^24 of IPv4 may be a company's own network. */
function isWide(range: string): boolean {
  const [address = '', prefix] = range.split('/')
  return prefix !== undefined && Number(prefix) < (address.includes(':') ? 16 : 8)
}

/** TRUST_PROXY: whose word counts about where a request came from. */
export function proxyTrust({ settings: { TRUST_PROXY: trusted = [], PUBLIC_URL: url } }: Subject): Finding {
  if (trusted.some(isWide))
    return fail('TRUST_PROXY trusts almost every address, so anyone can spoof their IP.', {
      settings: ['TRUST_PROXY'],
      fix: "list your reverse proxies' own addresses",
    })
  if (trusted.length > 0)
    return ok(
      `Forwarded headers are trusted from ${trusted.length === 1 ? 'one address or range' : `${trusted.length} addresses or ranges`}.`,
    )
  if (!url?.startsWith('https:')) return ok('No reverse proxy is trusted; forwarded headers are ignored.')
  return warn('PUBLIC_URL is https, so a reverse proxy is in front, but TRUST_PROXY lists none.', {
    settings: ['TRUST_PROXY'],
    fix: "set the proxy's address; otherwise everyone shares one IP in logs and rate limits",
  })
}

/** Who can read /metrics. That METRICS_PORT is taken by PORT is a fault of the settings. */
export function metrics({ settings: { METRICS_PORT: port, METRICS_TOKEN: token } }: Subject): Finding {
  const place = port === undefined ? '' : ` on port ${port}, and nowhere else`
  if (token !== undefined) return ok(`Reading /metrics takes METRICS_TOKEN${place}.`)
  if (port === undefined) return ok('No one can read /metrics: METRICS_PORT and METRICS_TOKEN are not set.')
  return ok(`Anyone who reaches port ${port} can read /metrics; keep it inside your network.`)
}

export function sessionLifetimes({ settings }: Subject): Finding {
  const { SESSION_IDLE_MINUTES: idle, SESSION_MAX_HOURS: max } = settings
  if (idle === undefined || max === undefined) return missing('SESSION_IDLE_MINUTES and SESSION_MAX_HOURS')
  if (idle <= max * 60) return ok(`People are signed out after ${idle} minutes idle, or after ${max} hours.`)
  return warn('The idle limit is longer than the session limit, so SESSION_IDLE_MINUTES has no effect.', {
    settings: ['SESSION_IDLE_MINUTES', 'SESSION_MAX_HOURS'],
    fix: 'make SESSION_IDLE_MINUTES shorter than SESSION_MAX_HOURS',
  })
}
