// Where walks are kept: nothing is lost between many writers, and nobody is kept out by a damaged record.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { next, progress } from '../../src/onboarding/course.ts'
import { skip } from '../../src/onboarding/skipping.ts'
import { observe } from '../../src/onboarding/walk.ts'
import { createWalks } from '../../src/onboarding/walks.ts'

/** A store that takes its time; two processes are two Walks on one of these. */
function slowRecords() {
  const kept = new Map<string, string>()
  let writes = 0
  return {
    kept,
    writes: () => writes,
    async get(key: string) {
      await sleep(2)
      return kept.get(key)
    },
    async compareAndSet(key: string, expected: string | undefined, value: string) {
      await sleep(2)
      if (kept.get(key) !== expected) return false
      writes++
      kept.set(key, value)
      return true
    },
  }
}

const ada = { issuer: 'https://as.example', subject: 'ada' }
const apps = Array.from({ length: 40 }, (_, index) => ({
  instance: `wiki_${index}`,
  name: `Wiki ${index}`,
  status: 'awaiting' as const,
}))

describe('a walk', () => {
  it('loses nothing of forty changes at once by two processes', async () => {
    const records = slowRecords()
    const [one, other] = [createWalks(records, () => 1), createWalks(records, () => 1)]
    await one.update(ada, (walk) => observe(walk, apps, 1, 30))
    const changes = apps.map(({ instance }, index) =>
      (index % 2 === 0 ? one : other).update(ada, (walk) => skip(walk, instance, 2)),
    )
    await Promise.all(changes)
    const walk = await other.load(ada)
    expect(walk.known.filter((entry) => entry.skippedAt === 2)).toHaveLength(40)
  })

  it('that did not change is not written', async () => {
    const records = slowRecords()
    const walks = createWalks(records, () => 1)
    const walk = await walks.update(ada, (before) => observe(before, apps, 1, 30))
    await walks.update(ada, (before) => observe(before, apps, 2, 30), walk)
    await walks.update(ada, (before) => observe(before, apps, 3, 30))
    expect(records.writes()).toBe(1)
  })

  it('is one person’s: the same subject of another issuer has another', async () => {
    const records = slowRecords()
    const walks = createWalks(records, () => 1)
    await walks.update(ada, (walk) => observe(walk, apps, 1, 30))
    expect((await walks.load({ ...ada, issuer: 'https://other.example' })).known).toEqual([])
    expect([...records.kept.keys()].join()).not.toContain('ada')
  })

  const known = { instance: 'a', name: 'A', status: 'awaiting', firstSeen: 1, departures: 0 }
  const attempt = { step: 's', instance: 'a', departedAt: 1, looks: 0 }
  const whole = { version: 1, startedAt: 1, known: [known], attempts: [attempt], visit: { only: [] } }
  it.each([
    'not json',
    'null',
    '[]',
    '7',
    '{}',
    { ...whole, version: 2 },
    { ...whole, known: null },
    { ...whole, known: [null] },
    { ...whole, known: ['a'] },
    { ...whole, known: [{ ...known, instance: 7 }] },
    { ...whole, known: [{ ...known, name: undefined }] },
    { ...whole, known: [{ ...known, departures: 'x' }] },
    { ...whole, known: [{ ...known, status: 'odd' }] },
    { ...whole, attempts: {} },
    { ...whole, attempts: [null] },
    { ...whole, attempts: [{ step: 7 }] },
    { ...whole, visit: undefined },
    { ...whole, visit: { only: null } },
    { ...whole, visit: { only: [7] } },
    { ...whole, visit: { only: [], returnTo: 7 } },
  ])('whose record is damaged (%j) starts afresh', async (damaged) => {
    const records = slowRecords()
    const walks = createWalks(records, () => 1)
    await walks.update(ada, (walk) => observe(walk, apps, 1, 30))
    const [key = ''] = records.kept.keys()
    records.kept.set(key, typeof damaged === 'string' ? damaged : JSON.stringify(damaged))
    const walk = await walks.update(ada, (before) => observe(before, apps, 2, 30))
    expect(progress(walk, 2)).toEqual({ connected: 0, total: 40 })
    expect(next(walk, 2)).toEqual({ kind: 'connect', instance: 'wiki_0' })
  })

  it('whose record is whole is read as it is', async () => {
    const records = slowRecords()
    const walks = createWalks(records, () => 1)
    await walks.update(ada, (walk) => observe(walk, apps, 1, 30))
    const [key = ''] = records.kept.keys()
    const full = {
      ...whole,
      known: [
        { ...known, status: 'connected', connectedAt: 1, skippedAt: 1, unconfirmedAt: 1, departedIn: 1 },
      ],
      attempts: [{ ...attempt, returnedAt: 1, done: true }],
      visit: { only: ['a'], returnTo: '/x' },
      clicks: 3,
    }
    records.kept.set(key, JSON.stringify(full))
    expect(await walks.load(ada)).toEqual(full)
  })
})
