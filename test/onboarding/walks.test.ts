// Where walks are kept: nothing is lost between many writers, and nobody is kept out by a damaged record.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { next } from '../../src/onboarding/course.ts'
import { skip } from '../../src/onboarding/set-aside.ts'
import { observe } from '../../src/onboarding/walk.ts'
import { createWalks } from '../../src/onboarding/walks.ts'
import { createSealer } from '../../src/records/seal.ts'
import { safeReturnTo } from '../../src/sign-in/return-to.ts'
import { progress } from './progress.ts'

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

const secret = 'a secret of thirty-two characters'
const rules = { publicOrigin: 'https://onramp.example', allowedOrigins: ['https://intranet.example'] }

/** @param secrets as in SESSION_SECRET */
function walksOn(records: ReturnType<typeof slowRecords>, secrets = [secret], warnings: object[] = []) {
  return createWalks({
    records,
    sealer: createSealer(secrets),
    checkReturnTo: (value) => safeReturnTo(value, rules),
    log: { warn: (fields) => void warnings.push(fields) },
    now: () => 1,
  })
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
    const [one, other] = [walksOn(records), walksOn(records)]
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
    const walks = walksOn(records)
    const walk = await walks.update(ada, (before) => observe(before, apps, 1, 30))
    await walks.update(ada, (before) => observe(before, apps, 2, 30), { from: walk })
    await walks.update(ada, (before) => observe(before, apps, 3, 30))
    expect(records.writes()).toBe(1)
  })

  it('is one person’s: the same subject of another issuer has another', async () => {
    const records = slowRecords()
    const walks = walksOn(records)
    await walks.update(ada, (walk) => observe(walk, apps, 1, 30))
    expect((await walks.load({ ...ada, issuer: 'https://other.example' })).known).toEqual([])
    expect([...records.kept.keys()].join()).not.toContain('ada')
  })

  it('shows who it is and what they connect to nobody who has only the store', async () => {
    const records = slowRecords()
    await walksOn(records).update(ada, (walk) => ({
      ...observe(walk, apps, 1, 30),
      visit: { only: [], returnTo: 'https://intranet.example/ada' },
    }))
    // Random letters may spell a short word: so what is looked for has characters that sealed text has not.
    expect([...records.kept.values()].join('')).toMatch(/^[\w-]+$/)
    expect([...records.kept.keys()].join()).not.toMatch(/ada@|wiki_|intranet\.|as\.example/i)
    expect((await walksOn(records).load(ada)).visit.returnTo).toBe('https://intranet.example/ada')
  })

  it('cannot be put in another person’s place', async () => {
    const records = slowRecords()
    const walks = walksOn(records)
    const bob = { ...ada, subject: 'bob' }
    await walks.update(ada, (walk) => observe(walk, apps, 1, 30))
    await walks.update(bob, (walk) => observe(walk, apps.slice(0, 1), 1, 30))
    const [adas = '', bobs = ''] = records.kept.keys()
    records.kept.set(bobs, records.kept.get(adas) ?? '')
    expect((await walksOn(records).load(bob)).known).toEqual([])
  })

  const known = { instance: 'a', name: 'A', status: 'awaiting', firstSeen: 1, departures: 0 }
  const attempt = { step: 's', instance: 'a', departedAt: 1, looks: 0 }
  const whole = { version: 1, startedAt: 1, known: [known], attempts: [attempt], visit: { only: [] } }
  const full = {
    ...whole,
    known: [{ ...known, status: 'connected', connectedAt: 1, skippedAt: 1, unconfirmedAt: 1, departedIn: 1 }],
    attempts: [{ ...attempt, returnedAt: 1, done: true }],
    visit: { only: ['a'], returnTo: '/x' },
    clicks: 3,
  }

  /** A store in which Ada's walk is this text, or this under our seal. */
  async function keeping(record: string | object, isSealed: boolean) {
    const records = slowRecords()
    await walksOn(records).update(ada, (walk) => observe(walk, apps, 1, 30))
    const [key = ''] = records.kept.keys()
    const text = typeof record === 'string' ? record : JSON.stringify(record)
    records.kept.set(key, isSealed ? createSealer([secret]).seal(text, key) : text)
    return { records, key, kept: records.kept.get(key) }
  }

  it.each(['not json', 'null', '[]', '7', '{}', { ...whole, version: 'x' }, { ...whole, known: null }])(
    'whose record is damaged (%j) starts afresh, and the record stays as it is',
    async (damaged) => {
      for (const isSealed of [true, false]) {
        const { records, key, kept } = await keeping(damaged, isSealed)
        const warnings: object[] = []
        const walks = walksOn(records, [secret], warnings)
        const walk = await walks.update(ada, (before) => observe(before, apps, 2, 30))
        expect(progress(walk, 2)).toEqual({ connected: 0, total: 40 })
        expect(next(walk, 2)).toEqual({ kind: 'connect', instance: 'wiki_0' })
        expect(records.kept.get(key)).toBe(kept)
        expect(warnings).toHaveLength(1)
        expect((await walksOn(records).load(ada)).known).toHaveLength(40)
      }
    },
  )

  it('starts afresh too where the one that is kept beside it is damaged', async () => {
    const { records, kept, key } = await keeping('damaged', true)
    await walksOn(records).update(ada, (before) => observe(before, apps, 2, 30))
    const [beside = ''] = [...records.kept.keys()].filter((other) => other !== key)
    records.kept.set(beside, 'damaged too')
    await walksOn(records).update(ada, (before) => observe(before, apps, 3, 30))
    expect((await walksOn(records).load(ada)).known).toHaveLength(40)
    expect(records.kept.get(key)).toBe(kept)
  })

  it.each([
    ['known', { ...full, known: [...full.known, null, 'a', { ...known, instance: 7 }, { instance: 'b' }] }],
    ['attempts', { ...full, attempts: [...full.attempts, null, { step: 7 }] }],
    ['visit', { ...full, visit: { only: ['a', 7], returnTo: '/x' } }],
  ])('goes on with all of it that is valid (%s)', async (_name, partly) => {
    const { records } = await keeping(partly, true)
    expect(await walksOn(records).load(ada)).toEqual(full)
  })

  it('keeps what the visit was narrowed to, with a way back and without', async () => {
    for (const visit of [{ only: ['a'] }, { only: ['a', 'b'], returnTo: '/x' }]) {
      const { records } = await keeping({ ...full, visit }, true)
      expect((await walksOn(records).load(ada)).visit).toEqual(visit)
    }
  })

  it('goes on where a part of it is of no use at all', async () => {
    const { records } = await keeping({ ...whole, attempts: {}, visit: null }, true)
    expect(await walksOn(records).load(ada)).toEqual({ ...whole, attempts: [], visit: { only: [] } })
  })

  it('that is not sealed is believed in nothing, however right it looks', async () => {
    const { records, key, kept } = await keeping(full, false)
    const warnings: object[] = []
    const walk = await walksOn(records, [secret], warnings).update(ada, (before) => before)
    expect(walk.known).toEqual([])
    expect(warnings).toHaveLength(1)
    expect(records.kept.get(key)).toBe(kept)
  })

  it.each([0, 2])(
    'of the version next to ours (%i) is read, and keeps what only that one knows',
    async (version) => {
      const beside = { ...full, version, mood: 'good', known: [{ ...known, skippedAt: 7, colour: 'red' }] }
      const { records } = await keeping({ ...beside, known: [{ ...beside.known[0], status: 'odd' }] }, true)
      const walks = walksOn(records)
      expect(await walks.load(ada)).toEqual(beside)
      await walks.update(ada, (walk) => skip(walk, 'a', 9))
      expect(await walksOn(records).load(ada)).toMatchObject({
        version,
        mood: 'good',
        known: [{ colour: 'red' }],
      })
    },
  )

  it('of a much newer version is not overwritten; both versions keep their own', async () => {
    const { records, key, kept } = await keeping({ ...full, version: 3 }, true)
    const warnings: object[] = []
    const walks = walksOn(records, [secret], warnings)
    await walks.update(ada, (walk) => skip(observe(walk, apps, 1, 30), 'wiki_1', 2))
    await walks.update(ada, (walk) => skip(walk, 'wiki_2', 2))
    expect((await walks.load(ada)).known.filter((entry) => entry.skippedAt === 2)).toHaveLength(2)
    expect(records.kept.get(key)).toBe(kept)
    expect(warnings).toEqual([{ why: 'newer' }])
  })

  it('of a server with another secret on the same store is not touched', async () => {
    const records = slowRecords()
    const [production, staging] = [
      walksOn(records),
      walksOn(records, ['the secret of the staging server, 32']),
    ]
    await production.update(ada, (walk) => skip(observe(walk, apps, 1, 30), 'wiki_1', 2))
    await staging.update(ada, (walk) => observe(walk, apps.slice(0, 2), 3, 30))
    expect((await staging.load(ada)).known).toHaveLength(2)
    expect((await walksOn(records).load(ada)).known.filter((entry) => entry.skippedAt === 2)).toHaveLength(1)
  })

  it('is sealed anew under the new secret, which then does alone', async () => {
    const records = slowRecords()
    const newer = 'another secret, longer than before'
    await walksOn(records).update(ada, (walk) => observe(walk, apps, 1, 30))
    await walksOn(records, [newer, secret]).update(ada, (walk) => walk)
    expect((await walksOn(records, [newer]).load(ada)).known).toHaveLength(40)
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/sign-out',
    7,
  ])('leads nowhere that the rules do not allow (%j), whatever was kept', async (returnTo) => {
    const { records } = await keeping({ ...full, visit: { only: ['a'], returnTo } }, true)
    expect((await walksOn(records).load(ada)).visit).toEqual({ only: ['a'] })
  })
})
