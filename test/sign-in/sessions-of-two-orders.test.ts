// While SESSION_SECRET rotates, some processes seal with the old secret and some with the new one, and each has a list of
// its own for a person. Whatever happens in both at the same time, no sign-in slips between the lists.
import { describe, expect, it } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { createSealer } from '../../src/records/seal.ts'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)]
const issuer = 'https://as.example'
const ada = { issuer, subject: 'ada' }
const SCHEDULES = Array.from({ length: 200 }, (_, seed) => seed + 1)

/** Numbers from 0 to `limit` - 1, the same ones for a seed. */
function numbers(seed: number) {
  let state = seed
  return (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
}

/** Records in memory whose every operation takes a while, so that a seed is an order of events. */
function sharedRecords(seed: number): Records {
  const next = numbers(seed)
  const values = new Map<string, string>()
  const later = async <T>(work: () => T): Promise<T> => {
    for (let turns = next(12); turns > 0; turns--) await Promise.resolve()
    return work()
  }
  return {
    get: (key) => later(() => values.get(key)),
    put: (key, value) => later(() => void values.set(key, value)),
    compareAndSet: (key, expected, value) =>
      later(() => {
        const isSame = values.get(key) === expected
        if (isSame) values.set(key, value)
        return isSame
      }),
    takeMark: () => Promise.reject(new Error('not needed here')),
    async *keys() {},
    remove: (key) => later(() => void values.delete(key)),
    compareAndRemove: (key, expected) =>
      later(() => {
        if (values.get(key) === expected) values.delete(key)
      }),
  }
}

function twoProcesses(seed: number) {
  const records = sharedRecords(seed)
  const ended = new Set<string>()
  const signIns = {
    async end(name: string) {
      ended.add(name)
    },
    isKept: async (name: string) => !ended.has(name),
  }
  const withSecrets = (...secrets: string[]) => {
    const sealer = createSealer(secrets)
    const log = { warn: (_: object, message: string) => expect.fail(message) }
    return createSignedInSessions({ records, sealer, signIns, log, maxSeconds: 3600, now: () => 1_000 })
  }
  return { ended, one: withSecrets(NEW, OLD), other: withSecrets(OLD, NEW) }
}

const session = (number: number) => ({ name: `n${number}`, sid: 's', signedInAt: 1_000 + number, device: '' })

describe('with the secrets in two orders', () => {
  it.each([
    ['a subject', { sub: 'ada' }],
    ['a session', { sid: 's' }],
    ['both', { sub: 'ada', sid: 's' }],
  ])('a logout that names %s ends a sign-in that the other process lists meanwhile', async (_what, named) => {
    const missed: number[] = []
    for (const seed of SCHEDULES) {
      const { ended, one, other } = twoProcesses(seed)
      const [isListed] = await Promise.all([one.add(ada, session(1), 900), other.endThere(issuer, named)])
      if (isListed && !ended.has('n1')) missed.push(seed)
    }
    expect(missed).toEqual([])
  })

  it('a logout of a session that no one is known to have ends the sign-in on its way at the other process', async () => {
    const { one, other } = twoProcesses(1)
    expect(await other.endThere(issuer, { sid: 's' })).toBe(0)
    // The clock says 1,000: what began by then is part of it.
    expect([await one.add(ada, session(1), 900), await one.add(ada, session(2), 1_000)]).toEqual([
      false,
      false,
    ])
    expect(await one.add(ada, session(3), 1_001)).toBe(true)
  })

  it('a logout counts although the same session was ended before, at a process that knew no one of it', async () => {
    const { ended, one, other } = twoProcesses(1)
    await other.endThere(issuer, { sid: 's' })
    expect(await one.add(ada, session(1), 1_001)).toBe(true)
    expect(await other.endThere(issuer, { sid: 's' })).toBe(1)
    expect(ended).toContain('n1')
  })

  it('a person keeps 100 sign-ins, however many both processes list at once', async () => {
    for (const seed of SCHEDULES.slice(0, 5)) {
      const { ended, one, other } = twoProcesses(seed)
      const added = Array.from({ length: 120 }, (_, index) =>
        (index % 2 === 0 ? one : other).add(ada, session(index), 900),
      )
      await Promise.all(added)
      const listed = await one.list(ada)
      expect(listed).toHaveLength(120 - ended.size)
      expect(listed.length).toBeLessThanOrEqual(100)
    }
  })
})
