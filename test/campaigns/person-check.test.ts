// What the service is asked about a person, how often, and what its answers come to.
import { describe, expect, it, vi } from 'vitest'
import { ServiceProblem } from '../../src/client-api/errors.ts'
import { refused } from '../client-api/error-of.ts'
import { createPersonCheck } from '../../src/campaigns/person-check.ts'

type Fault = Partial<
  Pick<ServiceProblem, 'responseStatus' | 'requestedWait' | 'affectsEveryone' | 'isFromIntermediary'>
>
type Answer = Fault | TypeError | 'left'

/** A problem as the client makes it of this status; none: no answer. */
function problem(fault: Fault): ServiceProblem {
  const { status: code, detail } = refused(fault.responseStatus ?? 500)
  return Object.assign(new ServiceProblem(code, 'service_unavailable', { detail }), fault)
}

/** A service that answers like this, one time after the other, and then goes on with the last of it. */
function service(answers: Answer[], { signal = new AbortController().signal, pauseMs = 0 } = {}) {
  const done: string[] = []
  const pauses: number[] = []
  let isPaused = false
  const ask = createPersonCheck({
    throttle: {
      next: () => Promise.resolve(),
      slowDown(seconds) {
        done.push(`wait ${seconds}`)
        const isNew = !isPaused
        isPaused = true
        return isNew
      },
    },
    unconnectedApps() {
      done.push('asked')
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer === 'left' || answer === undefined) return Promise.resolve([])
      return Promise.reject(answer instanceof Error ? answer : problem(answer))
    },
    onPause: (seconds) => pauses.push(seconds),
    signal,
    pauseMs,
  })
  return { ask: () => ask('ada@acme.example'), done, pauses }
}

const times = (count: number) => Array.from({ length: count }, () => 'asked')

describe('the service', () => {
  it.each<['unknown' | 'refused' | 'no-response', Fault[]]>([
    ['unknown', [400, 404, 422].map((responseStatus) => ({ responseStatus }))],
    // Contract 7: both are about the token.
    ['refused', [401, 403].map((responseStatus) => ({ responseStatus }))],
    ['refused', [{ responseStatus: 403, isFromIntermediary: true }]],
    ['no-response', [302, 402, 405, 407].map((responseStatus) => ({ responseStatus }))],
    [
      'no-response',
      [
        { responseStatus: 400, affectsEveryone: true },
        { responseStatus: 422, isFromIntermediary: true },
      ],
    ],
  ])(
    'that does not know the person, or says nothing about them (%s), is asked once: %j',
    async (kind, faults) => {
      for (const fault of faults) {
        const { ask, done } = service([fault])
        const detail = expect.stringContaining(`${fault.responseStatus}`) as string
        expect(await ask()).toMatchObject({ kind, detail })
        expect(done).toEqual(['asked'])
      }
    },
  )

  it('that fails for a moment is asked again, four times in all', async () => {
    expect(await service([{ responseStatus: 500 }, { responseStatus: 503 }, 'left']).ask()).toEqual({
      kind: 'checked',
      unconnected: [],
    })
    const { ask, done } = service([{ responseStatus: 500 }])
    expect(await ask()).toMatchObject({ kind: 'no-response', detail: 'checkdatasourceauth answered 500' })
    expect(done).toEqual(times(4))
  })

  it('that says "too many requests" is left alone as it asks, and asked twenty times', async () => {
    const { ask, done, pauses } = service([
      { responseStatus: 429, requestedWait: 7 },
      { responseStatus: 429 },
      'left',
    ])
    expect(await ask()).toMatchObject({ kind: 'checked' })
    expect(done).toEqual(['asked', 'wait 7', 'asked', 'wait 1', 'asked'])
    expect(pauses).toEqual([7])
    const busy = service([{ responseStatus: 429 }])
    expect(await busy.ask()).toMatchObject({ kind: 'no-response' })
    expect(busy.done.filter((what) => what === 'asked')).toHaveLength(20)
  })

  it('that is away and says for how long is left alone, too', async () => {
    const { ask, done } = service([{ responseStatus: 503, requestedWait: 120 }, 'left'])
    expect(await ask()).toMatchObject({ kind: 'checked' })
    expect(done).toEqual(['asked', 'wait 120', 'asked'])
  })

  it('is waited for twice as long each time', async () => {
    const longest = vi.spyOn(Math, 'random').mockReturnValue(1)
    const began = performance.now()
    await service([{ responseStatus: 500 }], { pauseMs: 5 }).ask()
    longest.mockRestore()
    expect(performance.now() - began).toBeGreaterThan(65)
  })

  it('holds up no one who ends the run, and hides no mistake of ours', async () => {
    const stop = new AbortController()
    const asked = service([{ responseStatus: 500 }], { signal: stop.signal, pauseMs: 60_000 }).ask()
    setTimeout(() => stop.abort(), 5)
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    await expect(service([new TypeError('mistake')]).ask()).rejects.toThrow(TypeError)
  })
})
