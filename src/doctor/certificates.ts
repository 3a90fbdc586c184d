// Reports certificates of other servers that expire soon. The check that connects reports expired and untrusted ones.
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { proxyFor } from '../http/proxy.ts'
import type { Settings } from '../settings/settings.ts'
import { withTimeout } from '../with-timeout.ts'
import { createCheck, warn } from './findings.ts'

/** Schemes with TLS from the first byte, because STARTTLS needs a dialogue. */
const PORTS: Record<string, number> = { 'https:': 443, 'smtps:': 465, 'rediss:': 6379 }
const LIMIT_MS = 4_000
const DAY_MS = 86_400_000
const NEAR_DAYS = 14

/** @returns undefined without a connection, or behind a forward proxy */
async function certificateOf(setting: string, value: string) {
  const url = new URL(value)
  const usualPort = PORTS[url.protocol]
  if (usualPort === undefined || (url.protocol === 'https:' && proxyFor(url) !== undefined)) return undefined
  const host = url.hostname.replaceAll(/[[\]]/g, '')
  const port = Number(url.port) || usualPort
  // Nothing is sent, so trust isn't checked.
  const socket = connect({ host, port, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: false })
  try {
    await withTimeout(LIMIT_MS, once(socket, 'secureConnect'))
    return { setting, host: url.host, endsAt: Date.parse(socket.getPeerCertificate().valid_to) }
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

async function collect(settings: Partial<Settings>) {
  const { PUBLIC_URL, SERVICE_BASE_URL, OIDC_ISSUER, SMTP_URL, REDIS_URL, WEBHOOK_URL } = settings
  const all = { PUBLIC_URL, SERVICE_BASE_URL, OIDC_ISSUER, SMTP_URL, REDIS_URL, WEBHOOK_URL }
  const found = Object.entries(all).flatMap(([name, value]) => (value ? [certificateOf(name, value)] : []))
  return (await Promise.all(found)).filter((certificate) => certificate !== undefined)
}

export const certificatesCheck = createCheck(collect, {
  'settings.certificates': (certificates, { now }) =>
    certificates.map(({ setting, host, endsAt }) => {
      const days = (endsAt - now) / DAY_MS
      // Without a certificate, this is NaN.
      if (!(days >= 0 && days < NEAR_DAYS)) return undefined
      return warn(
        `The certificate of ${host} expires on ${new Date(endsAt).toISOString().slice(0, 10)}, in less than ${NEAR_DAYS} days.`,
        `${setting}: renew it; once it expires, no one can connect`,
      )
    }),
})
