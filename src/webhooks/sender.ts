// Posts one event to WEBHOOK_URL: JSON with a signature (Standard Webhooks 1.0). Redirects are never followed.
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { exchange } from '../http/exchange.ts'
import { requestedWait } from '../http/retry-after.ts'
import { connectOptions } from '../http/proxy.ts'
import { networkErrorOf, type NetworkError } from '../http/network-error.ts'
import type { OutboxEvent, Person } from '../people/person.ts'
import type { MassDisconnect } from '../people/keep-state.ts'
import type { Settings } from '../settings/settings.ts'

export type WebhookOutcome =
  | { kind: 'delivered' }
  /** `wait`: seconds of Retry-After. */
  | { kind: 'rejected'; why: string; wait: number | undefined }
  | { kind: 'unreachable'; why: NetworkError }

export class WebhookSender {
  /** Standard Webhooks recommends 15 to 30 seconds. A receiver should answer first and work afterwards. */
  static readonly timeLimitMs = 15_000
  readonly #url: URL
  readonly #secrets: readonly string[]
  readonly #dispatcher: Pool

  /** @param secrets WEBHOOK_SECRET. Each makes a signature, so that the receiver needs only one of them */
  constructor(url: string, secrets: readonly string[]) {
    this.#url = new URL(url)
    this.#secrets = secrets
    this.#dispatcher = new Pool(this.#url.origin, connectOptions(WebhookSender.timeLimitMs))
  }

  /** Never rejects. @param id the same at every try @param now milliseconds since 1970 */
  async send(id: string, body: string, now: number): Promise<WebhookOutcome> {
    const { origin, pathname, search } = this.#url
    const content = { 'content-type': 'application/json', 'user-agent': 'onramp' }
    const headers = { ...this.#signatureHeaders(id, body, now), ...content }
    const options = { origin, path: pathname + search, method: 'POST', headers, body } as const
    try {
      const { status, ...response } = await exchange(this.#dispatcher, options, WebhookSender.timeLimitMs)
      if (status >= 200 && status < 300) return { kind: 'delivered' }
      const wait = requestedWait(response.headers['retry-after']?.toString())
      return { kind: 'rejected', why: `status ${status}`, wait }
    } catch (error) {
      return { kind: 'unreachable', why: networkErrorOf(error) }
    }
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy()
  }

  #signatureHeaders(id: string, body: string, now: number) {
    const timestamp = String(Math.floor(now / 1000))
    const signatures = this.#secrets.map((secret) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
  }
}

export const eventBody = ({ type, at, app }: OutboxEvent, { email, group }: Person): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { email, group, app } })

export const massDisconnectEvent = ({ instance, name, noticedAt, lapsed, had }: MassDisconnect) => ({
  id: `msg_${instance}_${noticedAt}`.replaceAll('.', '_'),
  type: 'app.disconnected_for_many',
  at: noticedAt,
  data: { app: { instance, name }, people: lapsed, of: had },
})

/** Sends an event about no person, which is in no outbox and is tried once. @returns undefined without WEBHOOK_URL */
export async function sendEventOnce(
  { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets }: Partial<Settings>,
  { id, type, at, data = {} }: { id: string; type: string; at: number; data?: object },
  now: number,
): Promise<WebhookOutcome | undefined> {
  if (url === undefined || secrets === undefined) return undefined
  const sender = new WebhookSender(url, secrets)
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
  return await sender.send(id, body, now).finally(() => sender.close())
}
