// An event as it leaves: its JSON and the signature over it (Standard Webhooks 1.0). Pure.
import { createHmac } from 'node:crypto'
import type { OutboxEvent, Person } from '../people/person.ts'

/** The text that is signed and sent. */
export const bodyOf = ({ type, at, app }: OutboxEvent, { email, group }: Person): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { email, group, app } })

/** What the doctor sends: it is about no one. @param at milliseconds since 1970 */
export const testBody = (at: number): string =>
  JSON.stringify({ type: 'webhook.test', timestamp: new Date(at).toISOString(), data: {} })

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
