// TRUST_PROXY: whose word counts about where a request came from.
import type { Check } from '../check.ts'
import { fail, ok, warn } from '../finding.ts'

const EVERYBODY = /^(0\.0\.0\.0|::)\/0$/
const wide = (range: string) => {
  const [address = '', prefix] = range.split('/')
  if (prefix === undefined) return false
  return Number(prefix) < (address.includes(':') ? 16 : 8)
}

export const proxyTrust: Check = {
  id: 'settings.proxy',
  about: 'Reverse proxies',
  group: 'Settings',
  look({ settings }) {
    const { TRUST_PROXY: trusted = [], PUBLIC_URL: url } = settings
    if (trusted.some((range) => EVERYBODY.test(range) || wide(range)))
      return [
        fail('TRUST_PROXY trusts nearly every address: anyone could claim any address.', {
          settings: ['TRUST_PROXY'],
          mend: "name your reverse proxies' own addresses",
        }),
      ]
    if (trusted.length === 0 && url?.startsWith('https:'))
      return [
        warn('PUBLIC_URL is https, so a reverse proxy stands in front, but TRUST_PROXY names none.', {
          settings: ['TRUST_PROXY'],
          mend: "name the proxy's address, or all people share one address in the log and in limits",
        }),
      ]
    return [
      ok(
        trusted.length === 0
          ? 'No reverse proxy is trusted; forwarded headers are ignored.'
          : `Forwarded headers count from ${trusted.length === 1 ? 'one address or range' : `${trusted.length} addresses or ranges`}.`,
      ),
    ]
  },
}
