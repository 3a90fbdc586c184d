// What Prometheus is told of events: how they went, of how many people some wait, and for how long.
import { Counter, Gauge, type Registry } from 'prom-client'

/** @param now milliseconds since 1970 */
export function createFigures(registry: Registry, now: () => number) {
  const sent = new Counter({
    name: 'onramp_webhooks_total',
    help: 'Events for WEBHOOK_URL: delivered, failed (a try that is repeated) or dropped',
    labelNames: ['result'] as const,
    registers: [registry],
  })
  // Prometheus can't see a counter begin.
  for (const result of ['delivered', 'failed', 'dropped']) sent.inc({ result }, 0)

  /** Everyone of whom there is something to send, and when the oldest of it came to be. */
  const waiting = new Map<string, number>()
  const gauge = (name: string, help: string, value: () => number) => {
    const made: Gauge = new Gauge({ name, help, registers: [registry], collect: () => made.set(value()) })
  }
  gauge(
    'onramp_webhooks_waiting',
    'People of whom this process has events to send, now or later',
    () => waiting.size,
  )
  gauge('onramp_webhooks_oldest_seconds', 'Age of the oldest event that waits in this process; 0: none', () =>
    Math.max(0, ...Array.from(waiting.values(), (at) => (now() - at) / 1000)),
  )
  return { sent, waiting }
}
