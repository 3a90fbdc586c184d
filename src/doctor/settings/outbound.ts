// How calls leave this machine: through the forward proxy or past it, and which certificate authorities they trust.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { proxyTo } from '../../client-api/proxy.ts'
import { isLoopback } from '../../loopback.ts'
import type { Subject } from '../check.ts'
import { ok, skip, warn, type Finding } from '../finding.ts'

/** The settings were put to use before the checks began. */
export function outboundProxy({ settings }: Subject): Finding | Finding[] {
  const { HTTPS_PROXY, HTTP_PROXY, SERVICE_BASE_URL, OIDC_ISSUER } = settings
  const setting = HTTPS_PROXY === undefined ? 'HTTP_PROXY' : 'HTTPS_PROXY'
  if (HTTPS_PROXY === undefined && HTTP_PROXY === undefined)
    return skip('HTTPS_PROXY is not set, so connections are direct.')
  const targets = [
    ['The service', SERVICE_BASE_URL],
    ['The authorization server', OIDC_ISSUER],
  ] as const
  return targets.flatMap(([who, address]) => {
    if (address === undefined) return []
    const url = new URL(address)
    const name = proxyTo(url)
    if (name !== undefined) return ok(`${who} is reached through the proxy ${name} (${setting}).`)
    const why = isLoopback(url.hostname) ? "it's on this machine" : 'NO_PROXY has its host'
    return ok(`${who} is reached without the proxy: ${why}.`)
  })
}

const settings = ['NODE_EXTRA_CA_CERTS']

/** Of a file that it cannot read Node only warns. What it trusts at last it does not tell reliably. */
export function authorities({ env, now }: Subject): Finding {
  const file = env['NODE_EXTRA_CA_CERTS']
  if (!file) return skip('NODE_EXTRA_CA_CERTS is not set; only public authorities are trusted.')
  try {
    const { validTo } = new X509Certificate(readFileSync(file))
    if (Date.parse(validTo) < now())
      return warn('The certificate authority in NODE_EXTRA_CA_CERTS has expired.', {
        settings,
        fix: 'add the new one to the file, and start onramp again',
      })
    return ok(
      'NODE_EXTRA_CA_CERTS is set. It must be in the environment at start; --env-file is read too late.',
    )
  } catch (error) {
    const isUnread = error instanceof Error && 'syscall' in error
    const why = isUnread ? "can't be read" : 'has no PEM certificate'
    return warn(`The file in NODE_EXTRA_CA_CERTS ${why}, and Node goes on without it.`, {
      settings,
      fix: 'name a file with the PEM certificates of your certificate authority that onramp may read',
    })
  }
}
