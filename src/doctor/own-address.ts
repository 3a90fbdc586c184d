// PUBLIC_URL: does it lead to onramp? Before the first start nothing answers there, and inside a cluster the public name
// may not be reachable: neither is a fault.
import { silenceInWords } from '../client-api/silence.ts'
import { RECOGNISED_BY } from '../web/health.ts'
import { ask, type Reply } from './ask.ts'
import type { Table } from './rule.ts'

type OwnAddress = { url: string; reply: Reply }

const look = async (url: string): Promise<OwnAddress> => ({ url, reply: await ask(`${url}/healthz`) })

const table: Table<OwnAddress> = {
  'settings.public-url-reached': [
    ({ url, reply }) => {
      if (reply.kind === 'answer') return undefined
      if (reply.why === 'unknown-name') return { is: 'unknown', host: new URL(url).hostname }
      const isOfTls = reply.why === 'certificate' || reply.why === 'no-tls'
      return { is: isOfTls ? 'certificate' : 'not-yet', url, why: silenceInWords(reply.why) }
    },
    ({ url, reply }) => {
      if (reply.kind === 'silent') return undefined
      const { status } = reply
      if (reply.header(RECOGNISED_BY.name) === RECOGNISED_BY.value) return { is: 'reached', url }
      if ([502, 503, 504].includes(status)) return { is: 'behind', url, status }
      const isRedirect = status >= 300 && status < 400
      const target = isRedirect ? URL.parse(reply.header('location') ?? '', url) : null
      if (target && target.origin !== url && target.pathname === '/healthz')
        return { is: 'moved', origin: target.origin }
      return { is: isRedirect || [401, 403].includes(status) ? 'gated' : 'other', url, status }
    },
  ],
}

export const ownAddress = { look, table }
