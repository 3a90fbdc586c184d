// Log lines about a failing receiver, by a test clock.
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { ReceiverMonitor } from '../../src/webhooks/receiver-monitor.ts'

function setUpReceiver() {
  const clock = { now: Date.UTC(2026, 10, 2) }
  const lines: object[] = []
  const log = {
    info: () => void lines.push({ again: true }),
    warn: (fields: object) => void lines.push(fields),
  }
  const receiver = new ReceiverMonitor({ registry: new Registry(), log, now: () => clock.now }, () => [])
  return { clock, lines, receiver }
}

it('a failing receiver is logged at most once a minute, and its recovery once', () => {
  const { clock, lines, receiver } = setUpReceiver()
  const [delivered, rejected] = [
    { kind: 'delivered' },
    { kind: 'rejected', why: 'status 500', wait: 0 },
  ] as const
  const [recoveryLine, failureLine] = [{ again: true }, { why: 'status 500' }]

  for (const { passedMs, outcome, line } of [
    { passedMs: 0, outcome: rejected, line: failureLine },
    { passedMs: 59_999, outcome: rejected },
    { passedMs: 0, outcome: delivered, line: recoveryLine },
    { passedMs: 0, outcome: delivered },
    { passedMs: 0, outcome: rejected },
    { passedMs: 1, outcome: rejected, line: failureLine },
    { passedMs: 60_000, outcome: rejected },
    { passedMs: 0, outcome: delivered, line: recoveryLine },
  ]) {
    clock.now += passedMs
    receiver.recordOutcome(outcome)
    expect(lines.splice(0)).toEqual(line === undefined ? [] : [line])
  }
})

it('the log has the number of dropped events, at most once a minute', () => {
  const { clock, lines, receiver } = setUpReceiver()

  for (const { passedMs, count } of [
    { passedMs: 0, count: 0 },
    { passedMs: 0, count: 2 },
    { passedMs: 59_999, count: 3 },
    { passedMs: 1, count: 0 },
    { passedMs: 60_000, count: 0 },
  ]) {
    clock.now += passedMs
    receiver.recordDropped(count)
  }

  expect(lines).toEqual([{ dropped: 2 }, { dropped: 3 }])
})
