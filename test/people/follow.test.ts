// Who signs in and how their walks stand, counted for the report; later, where the store is away.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { newPerson, type Person } from '../../src/people/person.ts'
import { createFollow } from '../../src/people/follow.ts'
import { currentRequest, duringRequest } from '../../src/trace/current-request.ts'

const at = Date.parse('2026-11-02T09:00:00Z')
const user = { issuer: 'https://login.acme.example', subject: 'ada', email: 'ada@acme.example' }

const slack = { instance: 'slack_1', name: 'Slack', state: 'skipped', at } as const
const walk = { sources: [slack], at, startedAt: at, revisedAt: at, isAsked: true }

/** @param away at how many changes in a row the store is away, or at which @param isKnown is the person still known then? */
function office(away: number | readonly number[] = 0, isKnown = true) {
  const isAway = (number: number) => (typeof away === 'number' ? number < away : away.includes(number))
  let asked = 0
  let known = newPerson(user.email, at)
  const changed: Person[] = []
  const warned: string[] = []
  let clock = at
  const follow = createFollow({
    people: {
      change(_email, change) {
        clock += 1_000
        if (isAway(asked++)) return Promise.reject(new Error('away'))
        const before = known
        known = change(before, isKnown)
        if (known !== before) changed.push(known)
        return Promise.resolve(known)
      },
    },
    log: {
      warn(fields, message) {
        expect(fields).toEqual({ err: new Error('away') })
        warned.push(message)
      },
    },
    now: () => clock,
    waits: [1, 2, 3],
  })
  return { follow, changed, warned, asked: () => asked }
}

describe('following who arrives', () => {
  it('counts whoever signs in with a verified address, and nobody else', async () => {
    const { follow, changed, warned } = office()
    await follow.signedIn({ ...user, emailVerified: false })
    await follow.signedIn({ issuer: user.issuer, subject: user.subject })
    await follow.signedIn({ issuer: user.issuer, subject: user.subject, emailVerified: true })
    expect([changed, warned]).toEqual([[], []])
    await follow.signedIn({ ...user, emailVerified: true })
    expect(changed).toMatchObject([{ email: user.email, signedInAt: at }])
  })

  it('keeps how each datasource of a walk stands, and no path', async () => {
    const { follow, changed } = office()
    const entry = { name: 'Slack', at, authUrlRelativePath: '/auth/datasource/slack_1?token=x' }
    await follow.walked(
      { ...user, emailVerified: true },
      {
        ...walk,
        sources: [
          { ...entry, instance: 'slack_1', state: 'waiting', unconfirmed: true },
          { ...entry, instance: 'slack_2', state: 'connected' },
          { ...entry, instance: 'slack_3', state: 'skipped' },
          { ...entry, instance: 'slack_4', state: 'blocked' },
          { ...entry, instance: 'slack_5', state: 'off', word: { state: 'skipped', at: 5 } },
        ],
      },
    )
    const states = changed[0]?.sources.map(({ state }) => state)
    expect(states).toEqual(['waiting', 'connected', 'skipped', 'blocked', 'off'])
    expect(changed[0]?.sources[0]?.unconfirmed).toBe(true)
    expect(changed[0]?.sources[1]).not.toHaveProperty('unconfirmed')
    expect(changed[0]?.sources[4]?.word).toEqual({ state: 'skipped', at: 5 })
    expect(JSON.stringify(changed)).not.toContain('token')
  })

  it('keeps nobody out when the store is away', async () => {
    const { follow, changed, warned } = office(Infinity)
    const verified = { ...user, emailVerified: true }
    await follow.signedIn(verified)
    expect(await follow.walked(verified, walk)).toBe(false)
    await vi.waitFor(() => expect(warned).toHaveLength(4))
    const later = 'an arrival, or a step of a walk, is counted for the report later'
    const never = 'an arrival, or a step of a walk, was not counted for the report'
    expect(warned).toEqual([later, later, never, never])
    expect(changed).toEqual([])
  })

  it('counts what it could not count when the store is back, as of when it was', async () => {
    const { follow, changed, warned } = office(4)
    const verified = { ...user, emailVerified: true }
    await follow.signedIn(verified)
    await follow.walked(verified, walk)
    await vi.waitFor(() => expect(changed).toHaveLength(2))
    expect(changed[1]).toMatchObject({ signedInAt: at, asOf: at, sources: [slack] })
    expect(warned).toHaveLength(2)
  })

  it('says at once what need not be counted, and what is', async () => {
    const { follow } = office()
    expect(await follow.walked({ ...user, emailVerified: false }, walk)).toBe(true)
    expect(await follow.walked({ ...user, emailVerified: true }, walk)).toBe(true)
  })

  const verified = { ...user, emailVerified: true }
  const older = { ...walk, sources: [{ ...slack, state: 'waiting' as const }] }
  const newer = { ...walk, revisedAt: at + 1 }

  it.each([
    ['that failed last', [older, newer], [0, 1]],
    ['that failed first', [newer, older], [0, 1]],
    ['where it was counted meanwhile', [older, newer], [0]],
    ['where it failed after another was counted', [older, older, newer], [0, 2, 3]],
    ['where it failed when all tries but one were gone', [older, newer], [0, 1, 2, 3]],
  ] as const)('tries again what is newest of a person, %s', async (_when, walks, away) => {
    const { follow, changed, warned, asked } = office(away)
    for (const told of walks) await follow.walked(verified, told)
    await vi.waitFor(() => expect(asked()).toBe(Math.max(...away, walks.length - 1) + 2))
    expect(changed.at(-1)?.sources[0]?.state).toBe('skipped')
    expect(warned).toHaveLength(1)
  })

  it('counts too what fails while another is counted', async () => {
    const answers = [Promise.withResolvers<Person>(), Promise.withResolvers<Person>()]
    let asked = 0
    const change = () =>
      asked++ % 2 === 0 ? Promise.reject(new Error('away')) : answers[asked / 2 - 1]!.promise
    const follow = createFollow({ people: { change }, log: { warn() {} }, now: () => at, waits: [1] })
    await follow.walked(verified, older)
    await vi.waitFor(() => expect(asked).toBe(2))
    await follow.walked(verified, newer)
    for (const { resolve } of answers) resolve(newPerson(user.email, at))
    await vi.waitFor(() => expect(asked).toBe(4))
  })

  it('tries as often as it waits, and then it is for the next failure to begin anew', async () => {
    const { follow, warned } = office(Infinity)
    for (const failures of [2, 4]) {
      await follow.walked(verified, walk)
      await vi.waitFor(() => expect(warned).toHaveLength(failures))
    }
  })

  it('brings back no one who was forgotten meanwhile', async () => {
    const { follow, changed, asked } = office(2, false)
    const verified = { ...user, emailVerified: true }
    await follow.signedIn(verified)
    await follow.walked(verified, walk)
    await vi.waitFor(() => expect(asked()).toBe(4))
    expect(changed).toEqual([])
  })

  it('counts the sign-in of someone with a walk, where it could not be counted itself', async () => {
    const { follow, changed } = office()
    await follow.walked({ ...user, emailVerified: true }, walk)
    expect(changed[0]?.signedInAt).toBe(at)
  })

  it('holds no more than a thousand that could not be counted', async () => {
    const { follow, warned } = office(Infinity)
    const told = []
    for (let number = 0; number < 1_100; number++)
      told.push(follow.signedIn({ ...user, subject: `${number}`, emailVerified: true }))
    await Promise.all(told)
    expect(warned.filter((line) => line.endsWith('is counted for the report later'))).toHaveLength(1_000)
    expect(warned.filter((line) => line.endsWith('was not counted for the report'))).toHaveLength(100)
  })

  it('says when the process ends how many are left', async () => {
    const warn = vi.fn()
    const change = () => Promise.reject(new Error('away'))
    const follow = createFollow({ people: { change }, log: { warn }, now: () => at })
    follow.close()
    expect(warn).not.toHaveBeenCalled()
    await follow.walked(verified, walk)
    follow.close()
    expect(warn).toHaveBeenLastCalledWith({ missed: 1 }, expect.stringContaining('was not counted'))
  })

  it('tries nothing more when the process has ended, and says nothing more', async () => {
    const warn = vi.fn()
    const change = vi.fn(() => Promise.reject(new Error('away')))
    const follow = createFollow({ people: { change }, log: { warn }, now: () => at, waits: [1] })
    await follow.walked(verified, walk)
    follow.close()
    const said = warn.mock.calls.length
    await sleep(30)
    expect([change.mock.calls.length, warn.mock.calls.length - said]).toEqual([1, 0])
  })

  it('tries again outside of the request that failed', async () => {
    const requests: unknown[] = []
    const change = () => {
      requests.push(currentRequest()?.id)
      return Promise.reject(new Error('away'))
    }
    const follow = createFollow({ people: { change }, log: { warn() {} }, now: () => at, waits: [1] })
    duringRequest(
      { id: 'one', traceId: undefined, trace: undefined },
      () => void follow.walked(verified, walk),
    )
    await vi.waitFor(() => expect(requests).toEqual(['one', undefined]))
  })

  it('counts the first of two sign-ins that could not be counted', async () => {
    const { follow, changed, asked } = office(2)
    await follow.signedIn(verified)
    await follow.signedIn(verified)
    await vi.waitFor(() => expect(asked()).toBe(3))
    expect(changed).toMatchObject([{ signedInAt: at }])
  })
})
