// Log lines about a failing receiver, by a test clock.
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { Receiver } from '../../src/webhooks/receiver.ts'

function watched() {
  const clock = { now: Date.UTC(2026, 10, 2) }
  const lines: object[] = []
  const log = {
    info: () => void lines.push({ again: true }),
    warn: (fields: object) => void lines.push(fields),
  }
  const receiver = new Receiver({ registry: new Registry(), log, now: () => clock.now }, () => [])
  return { clock, lines, receiver }
}

it('a failing receiver is logged at most once a minute, and its recovery once', () => {
  const { clock, lines, receiver } = watched()
  const [taken, failed] = [{ kind: 'delivered' }, { kind: 'rejected', why: 'status 500', wait: 0 }] as const
  const [again, why] = [{ again: true }, { why: 'status 500' }]
  for (const [later, outcome, line] of [
    [0, failed, why],
    [59_999, failed],
    [0, taken, again],
    [0, taken],
    [0, failed],
    [1, failed, why],
    [60_000, failed],
    [0, taken, again],
  ] as const) {
    clock.now += later
    receiver.answered(outcome)
    expect(lines.splice(0)).toEqual(line === undefined ? [] : [line])
  }
})

it('the log has the number of dropped events, at most once a minute', () => {
  const { clock, lines, receiver } = watched()
  for (const [later, count] of [
    [0, 0],
    [0, 2],
    [59_999, 3],
    [1, 0],
    [60_000, 0],
  ] as const) {
    clock.now += later
    receiver.dropped(count)
  }
  expect(lines).toEqual([{ dropped: 2 }, { dropped: 3 }])
})
