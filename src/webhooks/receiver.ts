// Metrics and log lines about the webhook receiver. Never its URL, which may hold a token.
import { Counter, Gauge, type Registry } from 'prom-client'
import { describeNetworkError } from '../http/network-error.ts'
import type { DeliveryOutcome } from './sender.ts'

export type WebhookLog = Record<'info' | 'warn', (fields: object, message: string) => void>

export const MAX_AGE_MS = 3 * 86_400_000
const LOGGED_EVERY_MS = 60_000
const DAYS = MAX_AGE_MS / 86_400_000

export type Receiver = {
  answered(outcome: DeliveryOutcome): void
  dropped(count: number): void
}

/** @param sinceOf each waiting person's oldest event, in milliseconds since 1970 like `now` */
export function watchReceiver(
  registry: Registry,
  log: WebhookLog,
  sinceOf: () => number[],
  now: () => number,
): Receiver {
  const sent = new Counter({
    name: 'onramp_webhooks_total',
    help: 'Events for WEBHOOK_URL: delivered, failed (a try that is repeated) or dropped',
    labelNames: ['result'] as const,
    registers: [registry],
  })
  // Prometheus can't see a counter begin.
  for (const result of ['delivered', 'failed', 'dropped']) sent.inc({ result }, 0)
  const gauge = (name: string, help: string, value: () => number) => {
    const made: Gauge = new Gauge({ name, help, registers: [registry], collect: () => made.set(value()) })
  }
  gauge(
    'onramp_webhooks_waiting',
    'People of whom this process has events to send, now or later',
    () => sinceOf().length,
  )
  gauge('onramp_webhooks_oldest_seconds', 'Age of the oldest event that waits in this process; 0: none', () =>
    Math.max(0, ...sinceOf().map((at) => (now() - at) / 1000)),
  )

  let isFailing = false
  let failedAt = -Infinity
  let dropped = 0
  let droppedAt = -Infinity
  return {
    answered(outcome: DeliveryOutcome): void {
      sent.inc({ result: outcome.kind === 'delivered' ? 'delivered' : 'failed' })
      if (outcome.kind === 'delivered') {
        if (isFailing) log.info({}, 'the receiver of WEBHOOK_URL takes events again')
        isFailing = false
        return
      }
      // A receiver that rejects some events would fill the log.
      if (isFailing || now() - failedAt < LOGGED_EVERY_MS) return
      const why = outcome.kind === 'unreachable' ? describeNetworkError(outcome.why) : outcome.why
      log.warn(
        { why },
        `an event could not be delivered to WEBHOOK_URL (${why}): events are kept, and tried again for ${DAYS} days`,
      )
      isFailing = true
      failedAt = now()
    },
    dropped(count: number): void {
      if (count > 0) sent.inc({ result: 'dropped' }, count)
      dropped += count
      if (dropped === 0 || now() - droppedAt < LOGGED_EVERY_MS) return
      log.warn(
        { dropped },
        `events for WEBHOOK_URL were dropped, the oldest first: the receiver took none of them for ${DAYS} days, or there were too many of one person`,
      )
      dropped = 0
      droppedAt = now()
    },
  }
}
