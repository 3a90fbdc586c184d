// PUBLIC_URL, the address that people use: every callback is built from it, and the cookie depends on it.
import type { Check } from '../check.ts'
import { fail, ok, skip, warn } from '../finding.ts'

export const publicUrl: Check = {
  id: 'settings.public-url',
  about: 'The public address',
  group: 'Settings',
  look({ settings }) {
    const { PUBLIC_URL: url, SERVICE_BASE_URL: service, OIDC_ISSUER: issuer } = settings
    if (url === undefined) return [skip('PUBLIC_URL cannot be read.')]
    for (const [name, other] of Object.entries({ SERVICE_BASE_URL: service, OIDC_ISSUER: issuer }))
      if (other !== undefined && new URL(other).origin === url)
        return [
          fail(`PUBLIC_URL is the same origin as ${name}, so people would never come back to onramp.`, {
            settings: ['PUBLIC_URL'],
            mend: "set it to onramp's own address, as people type it",
          }),
        ]
    if (/(^|\.)example(\.(com|net|org))?$/.test(new URL(url).hostname))
      return [
        warn('PUBLIC_URL is an address that exists in examples only.', {
          settings: ['PUBLIC_URL'],
          mend: "set it to onramp's own address",
        }),
      ]
    return url.startsWith('https:')
      ? [ok(`People use ${url}; the cookie is __Host-onramp, Secure.`)]
      : [
          warn(`People use ${url}: this machine only, and the cookie (onramp) is not Secure.`, {
            settings: ['PUBLIC_URL'],
            mend: 'for other people set the https address',
          }),
        ]
  },
}
