// The guard against personal tokens: only a rejection by the service shows that the token is global.
import { expect, it } from 'vitest'
import { requireGlobalToken } from '../../src/campaigns/person-check.ts'
import { checkProblem, type Fault } from '../client-api/problem-for.ts'

const status = (responseStatus: number, more: Fault = {}): Fault => ({ responseStatus, ...more })

/** @param responses in order; the last one repeats */
async function check(responses: ('apps' | Fault | Error)[], signal = new AbortController().signal) {
  let calls = 0
  const checkWithoutPerson = () => {
    calls++
    const response = (responses.length > 1 ? responses.shift() : responses[0]) ?? 'apps'
    if (response === 'apps') return Promise.resolve([])
    return Promise.reject(response instanceof Error ? response : checkProblem(response))
  }
  const outcome = await requireGlobalToken(checkWithoutPerson, { setting: 'TOKEN', signal, pauseMs: 0 }).then(
    () => 'global',
    (error: Error) =>
      /personal|couldn't|abort|no bearer/.exec(error.message)?.[0].replace("couldn't", 'unverified'),
  )
  return [outcome, calls]
}

it.each<[string, number, ...Parameters<typeof check>[0]]>([
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
])('the token is %s after %i calls: %j', async (outcome, calls, ...responses) => {
  expect(await check(responses)).toEqual([outcome, calls])
})

it('Ctrl-C ends the pause before a retry', async () => {
  expect(await check([status(503, { requestedWait: 60 })], AbortSignal.abort())).toEqual(['abort', 1])
})
