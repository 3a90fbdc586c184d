// How often a client may be made, and until when the next one has to wait.
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../src/problem.ts'
import { createSealer } from '../../src/session/seal.ts'
import { createRegistrationHistory, notRegistered } from '../../src/sign-in/registration/history.ts'
import { memoryStore } from './memory-store.ts'

const START = Date.UTC(2026, 10, 1, 12, 0, 30)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BY_HAND = 'register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'

function historyAt() {
  const store = memoryStore()
  const clock = { now: START }
  const sealer = createSealer(['s'.repeat(32)])
  const history = createRegistrationHistory({ ...store, sealer, name: 'one', now: () => clock.now })
  const begun = () =>
    history.begin().then(
      () => undefined,
      (error: unknown) => error as Problem,
    )
  /** Begins, and ends so. @returns the problem, as status, code, seconds to wait, and detail */
  async function came(outcome: Parameters<typeof history.end>[0]) {
    await history.begin()
    const { status, code, retryAfter, detail } = await history.end(outcome)
    return [status, code, retryAfter, detail]
  }
  return { ...store, clock, history, begun, came }
}

const heldFor = (why: string, seconds: number, until: string) => [
  503,
  'sign_in_misconfigured',
  seconds,
  `${why}; not asked again before ${until}, or until "onramp registration forget" was called: ${BY_HAND}`,
]
const free = (why: string, instead = '') => [503, 'sign_in_misconfigured', 30, `${why}: ${instead}${BY_HAND}`]

describe('a registration', () => {
  it('is noted for two hours, under the name of the client', async () => {
    const { history, lives } = historyAt()
    await history.begin()
    expect([history.key, [...lives]]).toEqual(['client-history:one', [['client-history:one', 7200]]])
  })

  it('comes about ten times in an hour at most', async () => {
    const { begun, clock } = historyAt()
    for (let count = 0; count < 10; count++) {
      expect(await begun()).toBeUndefined()
      clock.now += MINUTE
    }
    const problem = await begun()
    expect([problem?.status, problem?.code, problem?.retryAfter, problem?.detail]).toEqual(
      heldFor('10 clients were registered within an hour', 3000, '2026-11-01T13:00Z'),
    )
    clock.now = START + HOUR - 1
    expect((await begun())?.retryAfter).toBe(1)
    clock.now += 1
    expect(await begun()).toMatchObject({ status: 503 })
    clock.now += 1
    expect(await begun()).toBeUndefined()
  })

  it('that asked for nothing is taken back', async () => {
    const { history, begun } = historyAt()
    for (let count = 0; count < 10; count++) await history.begin()
    await history.undo()
    expect(await begun()).toBeUndefined()
    expect(await begun()).toBeDefined()
  })
})

describe('the next one', () => {
  it('waits an hour after one that can’t be used', async () => {
    const { came, begun, clock } = historyAt()
    const held = heldFor('odd', 3600, '2026-11-01T13:00Z')
    expect(await came({ kind: 'unusable', why: 'odd' })).toEqual(held)
    clock.now += 1500
    expect((await begun())?.retryAfter).toBe(3599)
    clock.now = START + HOUR
    expect(await begun()).toBeUndefined()
  })

  it.each([
    ['unanswered', [60, 120, 240, 480]],
    ['failed', [30, 30, 60, 120]],
  ] as const)('waits longer and longer while requests are %s', async (kind, waits) => {
    const { came, clock } = historyAt()
    const why = 'away (a client may have been made all the same)'
    const seen: unknown[] = []
    for (const [index, wait] of waits.entries()) {
      const [, , seconds, detail] = await came(
        kind === 'failed' ? { kind, status: 500, why: 'away' } : { kind, sent: true, why: 'away' },
      )
      seen.push(seconds)
      expect(detail).toContain(
        kind === 'failed' && index < 2 ? `${why}: ${BY_HAND}` : `${why}; not asked again before`,
      )
      clock.now += wait * 1000
    }
    expect(seen).toEqual(waits)
  })

  it('waits for an hour at most', async () => {
    const { came, clock, begun } = historyAt()
    for (let count = 0; count < 6; count++) {
      const [, , seconds] = await came({ kind: 'failed', status: 500, why: 'x' })
      clock.now += Number(seconds) * 1000
    }
    expect((await came({ kind: 'unanswered', sent: true, why: 'x' }))[2]).toBeLessThanOrEqual(3600)
    expect(await begun()).toBeDefined()
    const { came: refused } = historyAt()
    expect((await refused({ kind: 'refused', status: 503, why: 'x', wait: 86_400 }))[2]).toBe(3600)
  })

  it('is free at once where nothing was sent', async () => {
    const { came, begun } = historyAt()
    const away = await came({ kind: 'unanswered', sent: false, why: 'refused' })
    expect(away).toEqual([503, 'sign_in_unavailable', 5, 'refused'])
    for (let count = 0; count < 10; count++) expect(await begun()).toBeUndefined()
  })

  it('waits as the refusal has it', async () => {
    const refused = { kind: 'refused', status: 400, why: 'no' } as const
    expect(await historyAt().came({ ...refused, wait: 120 })).toEqual(heldFor('no', 120, '2026-11-01T12:02Z'))
    expect(await historyAt().came({ ...refused, isFinal: true })).toEqual(
      heldFor('no', 300, '2026-11-01T12:05Z'),
    )
    for (const status of [401, 403])
      expect(await historyAt().came({ ...refused, status, isFinal: false })).toEqual(
        free('no', 'set OIDC_INITIAL_ACCESS_TOKEN if it asks for one, or '),
      )
    const { came, begun } = historyAt()
    expect(await came(refused)).toEqual(free('no'))
    for (let count = 0; count < 10; count++) expect(await begun()).toBeUndefined()
  })
})

it('a registration that does not come about is for the operator', () => {
  expect(notRegistered('x', 7)).toMatchObject({
    status: 503,
    code: 'sign_in_misconfigured',
    detail: `x: ${BY_HAND}`,
    retryAfter: 7,
  })
})
