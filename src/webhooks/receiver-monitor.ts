// Metrics and log lines about the webhook receiver. They omit its URL, which may contain a token.
import { Counter, Gauge, type Registry } from 'prom-client'
import { describeNetworkError } from '../http/network-error.ts'
import type { WebhookOutcome } from './sender.ts'

const MAX_AGE_DAYS = 3
const LOGGED_EVERY_MS = 60_000

export class ReceiverMonitor {
  /** Older events are dropped. */
  static readonly maxAgeMs = MAX_AGE_DAYS * 86_400_000
  readonly #watch
  readonly #sent: Counter<'result'>
  #isFailing = false
  #failedAt = -Infinity
  #droppedCount = 0
  #droppedAt = -Infinity

  /** @param sinceOf returns the time of each person's oldest undelivered event, in milliseconds since 1970 */
  constructor(
    watch: {
      registry: Registry
      log: Record<'info' | 'warn', (fields: object, message: string) => void>
      now: () => number
    },
    sinceOf: () => number[],
  ) {
    const registers = [watch.registry]
    this.#watch = watch
    this.#sent = new Counter({
      name: 'onramp_webhooks_total',
      help: 'Events for WEBHOOK_URL, by result: delivered, failed (to be retried) or dropped',
      labelNames: ['result'],
      registers,
    })
    // The counters begin at 0, because Prometheus can't see a counter begin.
    for (const result of ['delivered', 'failed', 'dropped']) this.#sent.inc({ result }, 0)
    const gauge = (name: string, help: string, value: () => number) => {
      const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(value()) })
    }
    const oldest = () => Math.max(0, ...sinceOf().map((at) => (watch.now() - at) / 1000))
    const help = 'People with events that this process has yet to send'
    gauge('onramp_webhooks_waiting', help, () => sinceOf().length)
    const age = 'Age of the oldest unsent event of this process; 0: none'
    gauge('onramp_webhooks_oldest_seconds', age, oldest)
  }

  recordOutcome(outcome: WebhookOutcome): void {
    const { log, now } = this.#watch
    this.#sent.inc({ result: outcome.kind === 'delivered' ? 'delivered' : 'failed' })
    if (outcome.kind === 'delivered') {
      if (this.#isFailing) log.info({}, 'the receiver of WEBHOOK_URL accepts events again')
      this.#isFailing = false
      return
    }
    // A receiver that rejects some events would fill the log.
    if (this.#isFailing || now() - this.#failedAt < LOGGED_EVERY_MS) return
    const why = outcome.kind === 'unreachable' ? describeNetworkError(outcome.why) : outcome.why
    log.warn(
      { why },
      `could not deliver an event to WEBHOOK_URL (${why}): events are retried for ${MAX_AGE_DAYS} days`,
    )
    this.#isFailing = true
    this.#failedAt = now()
  }

  recordDropped(count: number): void {
    const { log, now } = this.#watch
    if (count > 0) this.#sent.inc({ result: 'dropped' }, count)
    this.#droppedCount += count
    if (this.#droppedCount === 0 || now() - this.#droppedAt < LOGGED_EVERY_MS) return
    log.warn(
      { dropped: this.#droppedCount },
      `events for WEBHOOK_URL were dropped, oldest first: the receiver accepted none for ${MAX_AGE_DAYS} days, or one person had too many`,
    )
    this.#droppedCount = 0
    this.#droppedAt = now()
  }
}
