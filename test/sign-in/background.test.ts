// Work in the background: when it is tried again, and what those who wait for it are told.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Problem } from '../../src/problem.ts'
import { createBackground } from '../../src/sign-in/server/background.ts'

const issuer = 'https://as.example'
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const turn = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)
const misconfigured = (retryAfter?: number) =>
  new Problem(503, 'sign_in_misconfigured', {
    detail: 'wrong',
    ...(retryAfter !== undefined && { retryAfter }),
  })

function working() {
  const logged: unknown[][] = []
  const line = (level: string) => (fields: object, words: string) => void logged.push([level, words, fields])
  const work = {
    attempts: [] as number[],
    looks: 0,
    next: async (): Promise<string | undefined> => 'found',
    look: async (): Promise<string | undefined> => undefined,
    every: 60_000,
  }
  const background = createBackground<string>({
    async find(mayChange) {
      if (!mayChange) work.looks++
      else work.attempts.push(Date.now())
      return mayChange ? await work.next() : await work.look()
    },
    nextAfter: () => work.every,
    issuer,
    log: { info: line('info'), warn: line('warn') } as never,
  })
  const start = Date.now()
  const outcome = () =>
    background.result().then(
      (result) => result,
      (error: unknown) => (error as Problem).detail ?? String(error),
    )
  return { background, work, logged, outcome, seconds: () => work.attempts.map((at) => (at - start) / 1000) }
}

describe('an attempt', () => {
  it('is made once at a time, and again from time to time', async () => {
    const { background, seconds, outcome } = working()
    background.tryNow()
    background.tryNow()
    expect(await outcome()).toBe('found')
    expect(background.isFailing()).toBe(false)
    await turn(59_999)
    expect(seconds()).toEqual([0])
    await turn(1)
    expect(seconds()).toEqual([0, 60])
    background.close()
    await turn(600_000)
    background.tryNow()
    expect(seconds()).toEqual([0, 60])
  })

  it('never comes at once after another', async () => {
    const { background, seconds, work } = working()
    work.every = -5
    background.tryNow()
    await turn(99)
    expect(seconds()).toEqual([0])
    await turn(1)
    expect(seconds()).toEqual([0, 0.1])
  })

  it.each([
    ['is away', new Error('x'), [0, 1, 3, 7, 15, 30, 45]],
    ['can’t be used', new Problem(503, 'sign_in_unavailable'), [0, 1, 3, 7, 15, 30, 45]],
    ['refuses', misconfigured(), [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811]],
  ])('is made again later and later while the server %s', async (_what, error, expected) => {
    const { background, seconds, work } = working()
    work.next = () => Promise.reject(error)
    background.tryNow()
    await turn((expected.at(-1) ?? 0) * 1000)
    expect(seconds()).toEqual(expected)
    expect([background.isFailing(), background.failure()]).toEqual([true, error])
  })

  it('that fails is told once for each reason, and when it is over', async () => {
    const { background, logged, work } = working()
    const away = new Error('x')
    work.next = () => Promise.reject(away)
    background.tryNow()
    await turn(3_000)
    work.next = () => Promise.reject(misconfigured())
    await turn(4_000)
    work.next = async () => 'found'
    await turn(8_000)
    expect(logged).toEqual([
      ['warn', `${issuer} cannot be used: see OIDC_ISSUER`, { err: away, issuer }],
      ['warn', 'wrong', { err: misconfigured(), issuer }],
      ['info', 'the authorization server is reached again', { issuer }],
    ])
    expect([background.isFailing(), background.failure()]).toEqual([false, undefined])
    work.next = () => Promise.reject(misconfigured())
    await turn(60_000)
    expect(logged).toHaveLength(4)
  })

  it('without a result has failed', async () => {
    const { background, work } = working()
    work.next = async () => undefined
    background.tryNow()
    await turn()
    expect(background.isFailing()).toBe(true)
  })
})

describe('who waits for a result', () => {
  it('gets that of a look, which is shared', async () => {
    const { work, outcome } = working()
    work.look = async () => 'seen'
    expect(await Promise.all([outcome(), outcome()])).toEqual(['seen', 'seen'])
    expect([work.looks, work.attempts]).toEqual([1, []])
  })

  it('is told that there is none before the first attempt', async () => {
    expect(await working().outcome()).toBe('the client is not registered yet')
  })

  it('gets that of the next attempt where it is soon, and otherwise the last failure', async () => {
    const { background, work, outcome } = working()
    work.next = () => Promise.reject(misconfigured(45))
    background.tryNow()
    await turn(1_000)
    const waiting = outcome()
    work.next = async () => 'found'
    await turn(2_000)
    expect(await waiting).toBe('found')
    work.next = () => Promise.reject(misconfigured())
    await turn(60_000 + 1_000 + 2_000)
    expect(await outcome()).toBe('wrong')
    await turn(1_000)
    const soon = outcome()
    work.next = async () => 'found'
    await turn(3_000)
    expect(await soon).toBe('found')
  })

  it('is told a problem that is held at once, for the next attempt changes nothing', async () => {
    const { background, work, outcome } = working()
    work.next = () => Promise.reject(misconfigured(46))
    background.tryNow()
    await turn()
    expect(await outcome()).toBe('wrong')
  })

  it('is told that onramp is ending', async () => {
    const { background, work, outcome } = working()
    work.next = () =>
      Promise.reject(new Problem(503, 'sign_in_unavailable', { detail: 'away', retryAfter: 5 }))
    background.tryNow()
    await turn()
    const waiting = outcome()
    await turn()
    background.close()
    expect(await waiting).toBe('onramp is ending')
    expect(await outcome()).toBe('away')
    await turn(600_000)
    expect(work.attempts).toHaveLength(1)
  })

  it('no timer keeps the process alive', async () => {
    const { background } = working()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    background.tryNow()
    await turn()
    expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false])
  })
})
