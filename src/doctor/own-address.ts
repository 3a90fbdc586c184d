// PUBLIC_URL: does it lead to onramp, and do its pages and redirects arrive as they were sent? Before the first start
// nothing answers there, and inside a cluster the public name may not be reachable: neither is a fault.
import type { ServerMetadata as Metadata } from 'openid-client'
import { isCertificateError, describeNetworkError } from '../http/network-error.ts'
import { HEALTH_HEADER, SAMPLE_PAGE } from '../web/health.ts'
import { fetchOnce, type HttpReply } from './ask.ts'
import type { Table } from './rule.ts'

type OwnAddress = {
  url: string
  /** /healthz as a page of which every byte is known. An earlier onramp answers with JSON. */
  page: HttpReply
  signIn: HttpReply
  /** The origin that /sign-in redirects to, where the authorization server is known. */
  server: string | undefined
}

async function look(url: string, discovering: Promise<Metadata | undefined>): Promise<OwnAddress> {
  const [page, signIn, metadata] = await Promise.all([
    fetchOnce(`${url}/healthz`, { headers: { accept: 'text/html' } }),
    fetchOnce(`${url}/sign-in`),
    discovering,
  ])
  return { url, page, signIn, server: URL.parse(metadata?.authorization_endpoint ?? '')?.origin }
}

const isOnramp = (reply: HttpReply) =>
  reply.kind === 'answer' && reply.header(HEALTH_HEADER.name) === HEALTH_HEADER.value

const isRedirect = (reply: HttpReply) => reply.kind === 'answer' && reply.status >= 300 && reply.status < 400

const targetOf = (reply: HttpReply, base: string) =>
  reply.kind === 'answer' && isRedirect(reply) ? URL.parse(reply.header('location') ?? '', base) : null

const table: Table<OwnAddress> = {
  'settings.public-url-reached': [
    ({ url, page }) => {
      if (page.kind === 'answer') return undefined
      if (page.why === 'unknown-name') return { is: 'unknown', host: new URL(url).hostname }
      const isOfTls = isCertificateError(page.why) || page.why === 'no-tls'
      return { is: isOfTls ? 'certificate' : 'not-yet', url, why: describeNetworkError(page.why) }
    },
    ({ url, page }) => {
      if (page.kind === 'silent') return undefined
      const { status } = page
      if (isOnramp(page)) return { is: 'reached', url }
      if ([502, 503, 504].includes(status)) return { is: 'behind', url, status }
      const target = targetOf(page, url)
      if (target && target.origin !== url && target.pathname === '/healthz')
        return { is: 'moved', origin: target.origin }
      return { is: isRedirect(page) || [401, 403].includes(status) ? 'gated' : 'other', url, status }
    },
  ],
  'settings.public-url-redirects': [
    ({ url, page, signIn, server: expected }) => {
      const origin = targetOf(signIn, url)?.origin
      if (!isOnramp(page) || !expected || !origin || origin === expected) return undefined
      return { is: 'rewritten', origin, expected }
    },
  ],
  'settings.public-url-pages': [
    ({ page }) => {
      const isPage = page.kind === 'answer' && /html/.test(page.header('content-type') ?? '')
      return isPage && isOnramp(page) && page.text !== SAMPLE_PAGE && 'changed'
    },
  ],
}

export const ownAddress = { look, table }
