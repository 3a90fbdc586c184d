// Checks that PUBLIC_URL leads to onramp, and that a proxy keeps pages and redirects. An unreachable address is no
// fault, because onramp may not have started yet, and a cluster may not reach its public name.
import type { ServerMetadata as Metadata } from 'openid-client'
import { describeNetworkError, isCertificateError, type NetworkError } from '../http/network-error.ts'
import { HEALTH_SAMPLE } from '../web/health.ts'
import { fetchOnce, redirectTarget, type FetchResult } from './fetch-once.ts'
import { createCheck, fail, ok, skip, warn } from './findings.ts'

async function collect(url: string, discovery: Promise<Metadata | undefined>) {
  const [page, signIn, metadata] = await Promise.all([
    // This page has known bytes. An earlier onramp answers with JSON.
    fetchOnce(`${url}/healthz`, { headers: { accept: 'text/html' } }),
    fetchOnce(`${url}/sign-in`),
    discovery,
  ])
  return { url, page, signIn, server: URL.parse(metadata?.authorization_endpoint ?? '')?.origin }
}

type OwnAddressFacts = Awaited<ReturnType<typeof collect>>

const isOnramp = (result: FetchResult) =>
  result.kind === 'response' && result.headers[HEALTH_SAMPLE.header] === HEALTH_SAMPLE.value

function networkFailure(url: string, error: NetworkError) {
  if (error === 'unknown-name')
    return warn(
      `The host name in PUBLIC_URL doesn't resolve from here (${new URL(url).hostname}).`,
      'PUBLIC_URL: check its spelling and DNS; only if people resolve it elsewhere, ignore this',
    )
  const why = describeNetworkError(error)
  return isCertificateError(error) || error === 'no-tls'
    ? warn(
        `PUBLIC_URL can't be used: ${why}.`,
        "PUBLIC_URL: check the reverse proxy's certificate; browsers may reject it too",
      )
    : skip(`${url} is not reachable from here: ${why}. Check again when the server is running.`)
}

function reachability({ url, page }: OwnAddressFacts) {
  if (page.kind === 'no-response') return networkFailure(url, page.why)
  if (isOnramp(page)) return ok(`onramp is responding at ${url}.`)
  const { status } = page
  if ([502, 503, 504].includes(status))
    return skip(
      `The reverse proxy at ${url} can't reach onramp yet (${status}). Check again when onramp is running.`,
    )
  const target = redirectTarget(page, url)
  if (target && target.origin !== url && target.pathname === '/healthz')
    return fail(
      `PUBLIC_URL redirects to ${target.origin}: people would lose their cookie on the way back.`,
      `PUBLIC_URL: set it to ${target.origin}, and update the registered redirect URIs`,
    )
  return target !== undefined || [401, 403].includes(status)
    ? warn(
        `Something in front of ${url} responds instead of onramp (${status} at /healthz).`,
        'PUBLIC_URL: pass every path through to onramp; it handles sign-in itself',
      )
    : fail(
        `The server at ${url} is not onramp (${status} at /healthz).`,
        "PUBLIC_URL: set it to onramp's own URL, or configure the reverse proxy to pass every path to onramp",
      )
}

function redirects({ url, page, signIn, server: expected }: OwnAddressFacts) {
  const origin = redirectTarget(signIn, url)?.origin
  if (!isOnramp(page) || !expected || !origin || origin === expected) return undefined
  return fail(
    `Something in front of onramp changes its redirects: /sign-in leads to ${origin} instead of ${expected}.`,
    `PUBLIC_URL: turn that off there (docs/proxies.md): in IIS it is reverseRewriteHostInResponseHeaders. If ${origin} is right, compare OIDC_ISSUER with that of the running onramp`,
  )
}

function pages({ page }: OwnAddressFacts) {
  const isPage = page.kind === 'response' && /html/.test(String(page.headers['content-type']))
  if (!isPage || !isOnramp(page) || page.text === HEALTH_SAMPLE.page) return undefined
  return warn(
    'Something in front of onramp changes its pages: a test page arrived modified.',
    'PUBLIC_URL: turn that off there (docs/proxies.md): in Cloudflare it is Email Address Obfuscation, or another setting that adds to pages',
  )
}

export const ownAddressCheck = createCheck(collect, {
  'settings.public-url-reached': reachability,
  'settings.public-url-redirects': redirects,
  'settings.public-url-pages': pages,
})
