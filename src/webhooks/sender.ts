// One event on its way to WEBHOOK_URL: its JSON, the signature over it (Standard Webhooks 1.0), and the call. Redirects
// are not followed: the signature would go where no one named.
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { exchange } from '../http/exchange.ts'
import { requestedWait } from '../http/retry-after.ts'
import { createConnector, HTTP1 } from '../http/proxy.ts'
import { networkErrorOf, type NetworkError } from '../http/network-error.ts'
import type { OutboxEvent, Person } from '../people/person.ts'
import type { MassDisconnect } from '../people/keep-state.ts'
import type { Settings } from '../settings/settings.ts'

export type DeliveryOutcome =
  | { kind: 'taken' }
  /** `wait`: seconds, where Retry-After says so. */
  | { kind: 'refused'; why: string; wait: number | undefined }
  /** There was no answer, so that another event would have none either. */
  | { kind: 'silent'; why: NetworkError }

export type WebhookSender = {
  /** Never rejects. */
  send(headers: Record<string, string>, body: string): Promise<DeliveryOutcome>
  close(): Promise<void>
}

/** Standard Webhooks asks for 15 to 30 seconds; a receiver answers first and works afterwards. */
export const TIME_LIMIT_MS = 15_000

export function createWebhookSender(url: string, connections: number): WebhookSender {
  const { origin, pathname, search } = new URL(url)
  const dispatcher = new Pool(origin, { ...HTTP1, connections, connect: createConnector(TIME_LIMIT_MS) })
  return {
    async send(headers, body) {
      const options = {
        origin,
        path: pathname + search,
        method: 'POST' as const,
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'onramp' },
        body,
      }
      try {
        const { status, headers: told } = await exchange(dispatcher, options, TIME_LIMIT_MS)
        if (status >= 200 && status < 300) return { kind: 'taken' }
        const wait = requestedWait(told['retry-after']?.toString())
        return { kind: 'refused', why: `status ${status}`, wait }
      } catch (error) {
        return { kind: 'silent', why: networkErrorOf(error) }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** The text that is signed and sent. */
export const eventBody = ({ type, at, app }: OutboxEvent, { email, group }: Person): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { email, group, app } })

/** That many people lost an app at once. It has the same id however often it is tried. */
export const massDisconnectEvent = ({ instance, name, noticedAt, lapsed, had }: MassDisconnect) => ({
  id: `msg_${instance}_${noticedAt}`.replaceAll('.', '_'),
  type: 'app.disconnected_for_many',
  at: noticedAt,
  data: { app: { instance, name }, people: lapsed, of: had },
})

/**
 * An event that is about no person, so it stands in no outbox and is tried once.
 * @param event.at milliseconds since 1970
 * @returns undefined: there is no receiver
 */
export async function sendEventOnce(
  { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets }: Partial<Settings>,
  { id, type, at, data = {} }: { id: string; type: string; at: number; data?: object },
  now: number,
): Promise<DeliveryOutcome | undefined> {
  if (url === undefined || secrets === undefined) return undefined
  const post = createWebhookSender(url, 1)
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
  return await post.send(signatureHeaders(secrets, id, now, body), body).finally(() => post.close())
}

const PREFIX = 'whsec_'

/**
 * @param secrets WEBHOOK_SECRET: one signature each, so that a receiver may have any of them
 * @param at when it leaves; milliseconds since 1970
 */
export function signatureHeaders(secrets: readonly string[], id: string, at: number, body: string) {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
