// PUBLIC_URL: does it lead to onramp, and do its pages and redirects arrive as they were sent? Before the first start
// nothing answers there, and inside a cluster the public name may not be reachable: neither is a fault.
import type { ServerMetadata as Metadata } from 'openid-client'
import { isOfCertificate, silenceInWords } from '../client-api/silence.ts'
import { RECOGNISED_BY, SAMPLE_PAGE } from '../web/health.ts'
import { ask, type Reply } from './ask.ts'
import type { Table } from './rule.ts'

type OwnAddress = {
  url: string
  reply: Reply
  /** A page of which every byte is known. */
  page: Reply
  /** By path: what answers there, and the origin that it has to lead to, where that is known. */
  redirects: Record<string, { reply: Reply; expected: string | undefined }>
}

async function look(url: string, discovering: Promise<Metadata | undefined>): Promise<OwnAddress> {
  const [reply, page, home, signIn] = await Promise.all([
    ask(`${url}/healthz`),
    ask(`${url}/healthz`, { headers: { accept: 'text/html' } }),
    ask(`${url}/`),
    ask(`${url}/sign-in`),
  ])
  const server = URL.parse((await discovering)?.authorization_endpoint ?? '')?.origin
  const redirects = { '/': { reply: home, expected: url }, '/sign-in': { reply: signIn, expected: server } }
  return { url, reply, page, redirects }
}

const isOnramp = (reply: Reply) =>
  reply.kind === 'answer' && reply.header(RECOGNISED_BY.name) === RECOGNISED_BY.value

/** Where a redirect leads: the origin; undefined where it is none. */
function originIn(reply: Reply, base: string): string | undefined {
  const isRedirect = reply.kind === 'answer' && reply.status >= 300 && reply.status < 400
  return isRedirect ? URL.parse(reply.header('location') ?? '', base)?.origin : undefined
}

const table: Table<OwnAddress> = {
  'settings.public-url-reached': [
    ({ url, reply }) => {
      if (reply.kind === 'answer') return undefined
      if (reply.why === 'unknown-name') return { is: 'unknown', host: new URL(url).hostname }
      const isOfTls = isOfCertificate(reply.why) || reply.why === 'no-tls'
      return { is: isOfTls ? 'certificate' : 'not-yet', url, why: silenceInWords(reply.why) }
    },
    ({ url, reply }) => {
      if (reply.kind === 'silent') return undefined
      const { status } = reply
      if (isOnramp(reply)) return { is: 'reached', url }
      if ([502, 503, 504].includes(status)) return { is: 'behind', url, status }
      const isRedirect = status >= 300 && status < 400
      const target = isRedirect ? URL.parse(reply.header('location') ?? '', url) : null
      if (target && target.origin !== url && target.pathname === '/healthz')
        return { is: 'moved', origin: target.origin }
      return { is: isRedirect || [401, 403].includes(status) ? 'gated' : 'other', url, status }
    },
  ],
  'settings.public-url-redirects': [
    ({ url, reply, redirects }) => {
      if (!isOnramp(reply)) return undefined
      for (const [path, { reply: answer, expected }] of Object.entries(redirects)) {
        const origin = originIn(answer, url)
        if (expected !== undefined && origin !== undefined && origin !== expected)
          return { is: 'rewritten', path, origin, expected }
      }
      return undefined
    },
  ],
  'settings.public-url-pages': [
    ({ page }) => {
      // An onramp of before answers JSON.
      const isPage = page.kind === 'answer' && /html/.test(page.header('content-type') ?? '')
      return isPage && isOnramp(page) && page.text !== SAMPLE_PAGE && 'changed'
    },
  ],
}

export const ownAddress = { look, table }
