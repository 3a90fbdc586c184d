// PUBLIC_URL: does it lead to onramp? Before the first start nothing answers there, and inside a cluster the public name
// may not be reachable: neither is a fault.
import { silenceInWords } from '../client-api/silence.ts'
import { RECOGNISED_BY } from '../web/health.ts'
import type { Settings } from '../settings/settings.ts'
import { ask, publicAddress, type Reply } from './ask.ts'
import type { Table } from './rule.ts'

type OwnAddress = { url: string; reply: Reply }

/** The setting whose server PUBLIC_URL names in place of onramp. */
export const sharedOrigin = ({ PUBLIC_URL: url, SERVICE_BASE_URL, OIDC_ISSUER }: Partial<Settings>) =>
  Object.entries({ SERVICE_BASE_URL, OIDC_ISSUER }).find(
    ([, other]) => other !== undefined && new URL(other).origin === url,
  )?.[0]

export const isExample = ({ PUBLIC_URL: url }: Partial<Settings>): boolean =>
  url !== undefined && /(^|\.)example(\.(com|net|org))?$/.test(new URL(url).hostname)

/** @returns undefined where PUBLIC_URL is wrong at first sight */
export async function askOwnAddress(
  url: string,
  settings: Partial<Settings>,
): Promise<OwnAddress | undefined> {
  if (sharedOrigin(settings) !== undefined || isExample(settings)) return undefined
  return { url, reply: await ask(`${url}/healthz`) }
}

/** Where /healthz leads, if it does. */
function redirectOf(url: string, reply: Extract<Reply, { kind: 'answer' }>): URL | undefined {
  if (reply.status < 300 || reply.status >= 400) return undefined
  const location = reply.header('location') ?? ''
  return URL.canParse(location, url) ? new URL(location, url) : new URL(url)
}

export const ownAddressTable: Table<OwnAddress> = {
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
      const target = redirectOf(url, reply)
      if (target === undefined) return { is: [401, 403].includes(status) ? 'gated' : 'other', url, status }
      return target.origin !== url && target.pathname === '/healthz'
        ? { is: 'moved', origin: target.origin }
        : { is: 'redirected', target: publicAddress(target.href) ?? 'somewhere else' }
    },
  ],
}
