// Does PUBLIC_URL lead to onramp? Its /healthz is fetched and recognised. Before the first start nothing answers there,
// and from inside a cluster the public name may not be reached: neither is a fault.
import { silenceInWords } from '../../client-api/silence.ts'
import { RECOGNISED_BY } from '../../web/health.ts'
import { ask, type Asked } from '../ask.ts'
import type { Check } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import { publicAddress } from './public-address.ts'

const settings = ['PUBLIC_URL']

function redirected(location: string | undefined, url: string): Finding {
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined
  if (target !== undefined && target.origin !== url && target.pathname === '/healthz')
    return fail(`PUBLIC_URL leads on to ${target.origin}: people would lose their cookie on the way back.`, {
      settings,
      mend: `set it to ${target.origin}, and change the registered redirect addresses with it`,
    })
  const where = publicAddress(target?.href) ?? 'somewhere else'
  return warn(`PUBLIC_URL/healthz is redirected to ${where}: something in front answers in onramp's place.`, {
    settings,
    mend: 'let every path through to onramp; it signs people in itself',
  })
}

/** Pure. @param url PUBLIC_URL */
function reachedFinding(asked: Asked, url: string): Finding {
  if (asked.kind === 'silent') {
    const why = silenceInWords[asked.why]
    return asked.why === 'certificate' || asked.why === 'no-tls'
      ? warn(`PUBLIC_URL cannot be used: ${why}.`, {
          settings,
          mend: 'look at the certificate of the reverse proxy; browsers may refuse it too',
        })
      : skip(`nothing to be seen at ${url} from here: ${why}. Ask again when the server runs.`)
  }
  if (asked.recognised) return ok(`What answers at ${url} is onramp.`)
  const { status } = asked
  if (status === 502 || status === 503 || status === 504)
    return skip(
      `the reverse proxy at ${url} has no onramp behind it yet (${status}). Ask again when it runs.`,
    )
  if (status >= 300 && status < 400) return redirected(asked.location, url)
  if (status === 401 || status === 403)
    return warn(`Something in front of ${url} asks for a sign-in of its own (${status}).`, {
      settings,
      mend: 'let every path through to onramp; it signs people in itself',
    })
  return fail(`What answers at ${url} is not onramp (${status} at /healthz).`, {
    settings,
    mend: "set it to onramp's own address, or let the reverse proxy hand every path to onramp",
  })
}

export const publicReached: Check = {
  id: 'settings.public-url-reached',
  about: 'The public address',
  group: 'Settings',
  network: true,
  async look({ settings: { PUBLIC_URL: url }, now }) {
    if (url === undefined) return [skip('PUBLIC_URL cannot be read.')]
    return [reachedFinding(await ask(`${url}/healthz`, now, { recognise: RECOGNISED_BY }), url)]
  },
}
