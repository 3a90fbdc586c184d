// Checks of people, and the guard against personal tokens: retries and results.
import { expect, it, vi } from 'vitest'
import { createPersonCheck, requireGlobalToken } from '../../src/campaigns/person-check.ts'
import { checkProblem, type Fault } from '../client-api/problem-for.ts'

type CheckResult = Awaited<ReturnType<ReturnType<typeof createPersonCheck>>>

/** @param responses in order; the last one repeats */
function service(
  responses: (Fault | TypeError | 'fine')[],
  options: { signal?: AbortSignal; pauseMs?: number } = {},
) {
  const calls: string[] = []
  const pauses: number[] = []
  const check = createPersonCheck({
    throttle: {
      next: () => Promise.resolve(),
      slowDown: (seconds) => calls.push(`wait ${seconds}`) > 0 && pauses.length === 0,
    },
    shownApps: (apps) => apps,
    unconnectedAppsOf() {
      calls.push('call')
      const response = (responses.length > 1 ? responses.shift() : responses[0]) ?? 'fine'
      if (response === 'fine') return Promise.resolve([])
      return Promise.reject(response instanceof Error ? response : checkProblem(response))
    },
    onPause: (seconds) => pauses.push(seconds),
    signal: new AbortController().signal,
    pauseMs: 0,
    ...options,
  })
  return { check: () => check('ada@acme.example'), calls, pauses }
}

const calls = (count: number) => Array.from({ length: count }, () => 'call')
const status = (responseStatus: number, more: Fault = {}): Fault => ({ responseStatus, ...more })

it.each<[Fault, CheckResult['kind'], string[]]>([
  [status(404, { mayBeAboutPerson: true }), 'unknown', calls(1)],
  // Contract 7: both are about the token.
  ...[401, 403].map((code) => [status(code), 'refused', calls(1)] as const),
  ...[302, 402, 405, 407].map((code) => [status(code), 'no-response', calls(1)] as const),
  [status(400, { mayBeAboutPerson: true, affectsEveryone: true }), 'no-response', calls(1)],
  [status(404, { mayBeAboutPerson: false }), 'no-response', calls(1)],
  [status(500), 'no-response', calls(4)],
  [status(429), 'no-response', calls(20)],
] as [Fault, CheckResult['kind'], string[]][])(
  'a check that fails with %j ends as %s',
  async (fault, kind, expected) => {
    const { check, calls: made } = service([fault])
    const detail = expect.stringContaining(`${fault.responseStatus}`) as string
    expect(await check()).toMatchObject({ kind, detail })
    expect(made.filter((one) => one === 'call')).toEqual(expected)
  },
)

it.each<[Fault[], string[], number[]]>([
  [[status(500), status(503)], ['call', 'call', 'call'], []],
  [[status(429, { requestedWait: 7 }), status(429)], ['call', 'wait 7', 'call', 'wait 1', 'call'], [7]],
  [[status(503, { requestedWait: 120 })], ['call', 'wait 120', 'call'], [120]],
])(
  'a temporary failure of the service is retried after the requested pause: %j',
  async (faults, expected, announced) => {
    const { check, calls: made, pauses } = service([...faults, 'fine'])
    expect(await check()).toEqual({ kind: 'checked', unconnected: [] })
    expect(made).toEqual(expected)
    expect(pauses).toEqual(announced)
  },
)

it('the pause between retries doubles each time', async () => {
  const longest = vi.spyOn(Math, 'random').mockReturnValue(1)
  const began = performance.now()
  await service([status(500)], { pauseMs: 5 }).check()
  longest.mockRestore()
  expect(performance.now() - began).toBeGreaterThan(65)
})

it('a pause ends with the run, and a programming error isn’t caught', async () => {
  const stop = new AbortController()
  const checked = service([status(500)], { signal: stop.signal, pauseMs: 60_000 }).check()
  setTimeout(() => stop.abort(), 5)
  await expect(checked).rejects.toMatchObject({ name: 'AbortError' })
  await expect(service([new TypeError('mistake')]).check()).rejects.toThrow(TypeError)
})

/** @param responses in order; the last one repeats */
async function checkToken(responses: ('apps' | Fault | Error)[], signal = new AbortController().signal) {
  let count = 0
  const checkWithoutPerson = () => {
    count++
    const response = (responses.length > 1 ? responses.shift() : responses[0]) ?? 'apps'
    if (response === 'apps') return Promise.resolve([])
    return Promise.reject(response instanceof Error ? response : checkProblem(response))
  }
  const outcome = await requireGlobalToken(checkWithoutPerson, { setting: 'TOKEN', signal, pauseMs: 0 }).then(
    () => 'global',
    (error: Error) =>
      /personal|couldn't|abort|no bearer/.exec(error.message)?.[0].replace("couldn't", 'unverified'),
  )
  return [outcome, count]
}

// Only a rejection by the service shows that the token is global.
it.each<[string, number, ...Parameters<typeof checkToken>[0]]>([
  ['personal', 1, 'apps'],
  ...[400, 401, 403, 422].map((code) => ['global', 1, status(code)] as [string, number, Fault]),
  ['global', 1, status(404, { affectsEveryone: true })],
  ...[302, 404, 407].map((code) => ['unverified', 1, status(code)] as [string, number, Fault]),
  ...[429, 500, 502, 503].map((code) => ['unverified', 3, status(code)] as [string, number, Fault]),
  // No response: a timeout, or a broken connection.
  ['unverified', 3, {}],
  ['unverified', 1, status(429, { requestedWait: 61 })],
  ['global', 3, status(503), {}, status(401)],
  ['personal', 2, status(429), 'apps'],
  ['no bearer', 1, new TypeError('no bearer token')],
])('the token counts as %s after %i calls with the responses %j', async (outcome, count, ...responses) => {
  expect(await checkToken(responses)).toEqual([outcome, count])
})

it('Ctrl-C ends the pause before a retry', async () => {
  expect(await checkToken([status(503, { requestedWait: 60 })], AbortSignal.abort())).toEqual(['abort', 1])
})
