// How walks are kept: for how long, under which keys, written no more than needed, and told of in the log where one
// cannot be read.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { skip } from '../../src/onboarding/set-aside.ts'
import { createWalks, eraseWalk } from '../../src/onboarding/walks.ts'
import { createSealer } from '../../src/records/seal.ts'
import { personKey } from '../../src/session/signed-in.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { github, NOW, seen, slack } from './seen.ts'

const ada = { issuer: 'https://as.example', subject: 'ada' }
const KEY = `walk:${personKey(ada)}`
const sealer = createSealer(['a secret of thirty-two characters'])

/** A store, and how to open one process's walks on it. */
function store() {
  const { records, values } = memoryRecords()
  const lines: string[] = []
  /** Every write, with what it was to replace and for how long. */
  const writes: { key: string; expected: string | undefined; seconds: number }[] = []
  let reads = 0
  /** What another process does between a read and the next write. */
  let meanwhile = async () => {}
  const watched: typeof records = {
    async get(key) {
      reads++
      return await records.get(key)
    },
    async compareAndSet(key, expected, value, seconds) {
      const first = meanwhile
      meanwhile = async () => {}
      await first()
      writes.push({ key, expected, seconds })
      return await records.compareAndSet(key, expected, value, seconds)
    },
  }
  const walks = (as = sealer) =>
    createWalks({
      records: watched,
      sealer: as,
      checkReturnTo: () => undefined,
      log: { warn: (fields, message) => void lines.push(`${JSON.stringify(fields)} ${message}`) },
      now: () => NOW,
    })
  return {
    values,
    writes,
    lines,
    walks,
    reads: () => reads,
    between: (act: () => Promise<unknown>) => void (meanwhile = async () => void (await act())),
  }
}

describe('the record of a walk', () => {
  it('lives ninety days from its last change, under a key that says nothing of the person', async () => {
    const { writes, walks } = store()
    await walks().update(ada, (walk) => seen([slack], walk))
    expect(writes).toEqual([{ key: KEY, expected: undefined, seconds: 7_776_000 }])
  })

  it('begins when the person first comes, and is written only when there is something in it', async () => {
    const { writes, walks } = store()
    const first = await walks().load(ada)
    expect(first).toEqual({ version: 1, startedAt: NOW, known: [], attempts: [], visit: { only: [] } })
    await walks().update(ada, (walk) => ({ ...walk }))
    expect(writes).toEqual([])
  })

  it('is neither read again nor written where a page changes nothing', async () => {
    const { writes, reads, walks } = store()
    const opened = walks()
    const walk = await opened.update(ada, (before) => seen([slack], before))
    const [read, written] = [reads(), writes.length]
    expect(await opened.update(ada, (before) => before, { from: walk })).toBe(walk)
    const copied = await opened.update(ada, (before) => ({ ...before }), { from: walk })
    expect(copied).toEqual(walk)
    expect(await opened.update(ada, (before) => before, { from: copied })).toBe(copied)
    expect([reads(), writes.length]).toEqual([read, written])
  })

  it('is shown at once while the store takes its time over a change of it', async () => {
    const { walks, between } = store()
    const opened = walks()
    const walk = await opened.update(ada, (before) => seen([slack], before))
    const ended: string[] = []
    between(() => sleep(20))
    await Promise.all([
      opened
        .update(ada, (before) => skip(before, 'slack_1', NOW), { from: walk })
        .then(() => ended.push('change')),
      opened.update(ada, (before) => before, { from: walk }).then(() => ended.push('page')),
    ])
    expect(ended).toEqual(['page', 'change'])
  })

  it('takes a change of what was loaded without reading again, and one of another’s walk with it', async () => {
    const { reads, walks } = store()
    const opened = walks()
    const walk = await opened.update(ada, (before) => seen([slack, github], before))
    const read = reads()
    const skipped = await opened.update(ada, (before) => skip(before, 'slack_1', NOW), { from: walk })
    expect(reads()).toBe(read)
    const stranger = seen([])
    const both = await opened.update(ada, (before) => skip(before, 'github_1', NOW), { from: stranger })
    expect(both.known.map(({ skippedAt }) => skippedAt)).toEqual([NOW, NOW])
    expect(await walks().load(ada)).toEqual(both)
    expect(skipped.known.map(({ skippedAt }) => skippedAt)).toEqual([NOW, undefined])
  })

  it('is not written where another process has just made the same change', async () => {
    const { writes, walks, between } = store()
    const walk = await walks().update(ada, (before) => seen([slack], before))
    const change = (before: typeof walk) => skip(before, 'slack_1', NOW)
    between(() => walks().update(ada, change))
    const after = await walks().update(ada, change)
    expect(after).toEqual(change(walk))
    // The first, the one in between, and the try that it beat.
    expect(writes).toHaveLength(3)
  })

  it('that another installation took meanwhile stays, and the walk is kept beside it', async () => {
    const { values, walks, between } = store()
    const other = createSealer(['the secret of another installation'])
    between(() => walks(other).update(ada, (walk) => seen([github], walk)))
    const mine = await walks().update(ada, (walk) => seen([slack], walk))
    expect(mine.known.map(({ instance }) => instance)).toEqual(['slack_1'])
    expect([...values.keys()]).toEqual([KEY, `${KEY}.${sealer.keyId}`])
    expect((await walks(other).load(ada)).known.map(({ instance }) => instance)).toEqual(['github_1'])
    expect(await walks().load(ada)).toEqual(mine)
  })

  it('is sealed anew once where the secret was replaced, though nothing else changes', async () => {
    const { writes, walks } = store()
    await walks().update(ada, (walk) => seen([slack], walk))
    const rotated = createSealer(['another secret, longer than before', 'a secret of thirty-two characters'])
    for (let time = 0; time < 3; time++) await walks(rotated).update(ada, (walk) => walk)
    expect(writes).toHaveLength(2)
  })

  it('is erased with what is kept beside it, under every secret', async () => {
    const removed: string[] = []
    const { keyIds } = createSealer([
      'one secret of thirty-two characters',
      'two secrets of 32 characters, all',
    ])
    await eraseWalk({ remove: async (key) => void removed.push(key) }, personKey(ada), { keyIds })
    expect(removed).toEqual([KEY, `${KEY}.${keyIds[0]}`, `${KEY}.${keyIds[1]}`])
  })
})

describe('the log of a walk that cannot be read', () => {
  const otherSecret = createSealer(['the secret of another installation']).seal('{}', KEY)
  const left = 'a walk cannot be read and is left as it is, the person starts afresh:'

  it.each([
    [
      'otherSecret',
      otherSecret,
      'it is sealed under another secret: see SESSION_SECRET, and REDIS_PREFIX where two share a Redis',
    ],
    ['damaged', sealer.seal('no json', KEY), 'it is damaged'],
    ['damaged', sealer.seal('{"version":1,"known":7}', KEY), 'it is damaged'],
    ['newer', sealer.seal('{"version":3}', KEY), 'a version more than one ahead wrote it'],
  ])('says why (%s), once', async (why, text, words) => {
    const { values, lines, walks } = store()
    values.set(KEY, text)
    const opened = walks()
    for (let time = 0; time < 2; time++) expect((await opened.load(ada)).known).toEqual([])
    expect(lines).toEqual([`{"why":"${why}"} ${left} ${words}`])
  })

  it('has a line for each record, and forgets after a thousand that it had one', async () => {
    const { values, lines, walks } = store()
    const opened = walks()
    const load = async (number: number) => {
      const user = { ...ada, subject: String(number) }
      values.set(`walk:${personKey(user)}`, 'damaged')
      await opened.load(user)
      return lines.length
    }
    for (let number = 1; number <= 1_000; number++) await load(number)
    expect([await load(1), await load(1_001), await load(1)]).toEqual([1_000, 1_001, 1_002])
  })
})
