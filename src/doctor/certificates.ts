// Reports certificates of other servers that expire soon. The check that connects reports expired and untrusted ones.
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { connectOptions } from '../http/proxy.ts'
import type { Settings } from '../settings/settings.ts'
import { withTimeout } from '../with-timeout.ts'
import { createCheck, warn } from './findings.ts'

/** Schemes with TLS from the first byte, because STARTTLS needs a dialogue. */
const PORTS: Record<string, number> = { 'https:': 443, 'smtps:': 465, 'rediss:': 6379 }
const LIMIT_MS = 4_000
const DAY_MS = 86_400_000
const NEAR_DAYS = 14

/** Nothing is sent, so trust isn't checked. */
const ANY = { rejectUnauthorized: false }

/** Connects with https through the forward proxy, if there is one. */
async function openTls({ protocol, hostname, host, port }: URL, usualPort: number): Promise<TLSSocket> {
  const name = hostname.replaceAll(/[[\]]/g, '')
  const servername = isIP(name) === 0 ? name : ''
  if (protocol === 'https:') {
    const open = promisify(connectOptions(LIMIT_MS, ANY).connect)
    return (await open({ protocol, hostname, host, port, servername })) as TLSSocket
  }
  const socket = connect({ ...ANY, host: name, port: Number(port) || usualPort, servername })
  try {
    await withTimeout(LIMIT_MS, once(socket, 'secureConnect'))
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** @returns undefined without a connection */
async function certificateOf(setting: string, value: string) {
  const url = new URL(value)
  const usualPort = PORTS[url.protocol]
  if (usualPort === undefined) return undefined
  try {
    const socket = await openTls(url, usualPort)
    const endsAt = Date.parse(socket.getPeerCertificate().valid_to)
    socket.destroy()
    return { setting, host: url.host, endsAt }
  } catch {
    return undefined
  }
}

async function collect(settings: Partial<Settings>) {
  const { PUBLIC_URL, SERVICE_BASE_URL, OIDC_ISSUER, SMTP_URL, REDIS_URL, WEBHOOK_URL } = settings
  const urls = { PUBLIC_URL, SERVICE_BASE_URL, OIDC_ISSUER, SMTP_URL, REDIS_URL, WEBHOOK_URL }
  const readings = Object.entries(urls).flatMap(([name, value]) =>
    value ? [certificateOf(name, value)] : [],
  )
  return (await Promise.all(readings)).filter((certificate) => certificate !== undefined)
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
