// The end of the process: the events that begin it, the drain, and the exit code.
import { afterEach, expect, it, vi } from 'vitest'
import { endOnEvents } from '../src/server.ts'

const DRAIN_SECONDS = 7
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

/** A process that npm started. @returns a function that makes an event happen, and the mocks */
function setUpProcess() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  vi.stubEnv('npm_lifecycle_event', 'start')
  const listeners = new Map<string | symbol, (event: unknown) => void>()
  vi.spyOn(process, 'on').mockImplementation((event, listener: (event: unknown) => void) => {
    listeners.set(event, listener)
    return process
  })
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as () => never)
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>()
  const stop = vi.fn((_seconds?: number) => drained)
  endOnEvents({ stop }, { DRAIN_SECONDS }, { info() {}, fatal() {} })
  function happen(event: string) {
    if (event !== 'the end of npm') return listeners.get(event)?.(event)
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw new Error('ESRCH')
    })
    vi.advanceTimersByTime(1_000)
  }
  return { happen, stop, exit, drain }
}

it.each([
  ['SIGTERM', DRAIN_SECONDS, 0],
  ['SIGINT', 0, 0],
  ['the end of npm', DRAIN_SECONDS, 0],
  ['uncaughtException', 0, 1],
])('after %s, the process drains for %i seconds and exits with %i', async (...row) => {
  const [event, seconds, code] = row
  const { happen, stop, exit, drain } = setUpProcess()
  happen(event)
  expect(stop.mock.calls.map(([drainSeconds = 0]) => drainSeconds)).toEqual([seconds])
  await new Promise(setImmediate)
  expect(exit.mock.calls).toEqual([])

  drain()
  await new Promise(setImmediate)
  expect(exit.mock.calls).toEqual([[code]])
})

it.each([
  ['SIGTERM', 'SIGINT', 'ends it at once', [[130]]],
  ['SIGINT', 'SIGTERM', 'ends it at once', [[130]]],
  // A supervisor may signal both processes.
  ['SIGTERM', 'the end of npm', 'changes nothing', []],
  ['uncaughtException', 'uncaughtException', 'changes nothing', []],
])('during the drain after %s, the event %s %s', (first, second, _title, exits) => {
  const { happen, exit, stop } = setUpProcess()
  for (const event of [first, second]) happen(event)
  // The mock of exit returns, so the second signal stops again.
  expect([exit.mock.calls, stop.mock.calls.length]).toEqual([exits, 1 + exits.length])
})
