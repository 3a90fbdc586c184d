// The list of a person's sign-ins: what a logout of theirs ends, what is shown of it, and what is never taken for nothing.
import { describe, expect, it } from 'vitest'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { createSealer } from '../../src/records/seal.ts'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'
import { memoryStore } from './memory-store.ts'

const issuer = 'https://as.example'
const ada = { issuer, subject: 'ada' }
const STARTED = 900

function open(own: Partial<Records> = {}) {
  const { values, lives, records: whole } = memoryStore()
  const records: Records = { ...whole, ...own }
  const clock = { now: 1_000 }
  const over = new Set<string>()
  const asked: string[] = []
  const signIns = {
    end: async (name: string) => void over.add(name),
    isKept: async (name: string) => {
      asked.push(name)
      return !over.has(name)
    },
  }
  const sealer = createSealer(['s'.repeat(32)])
  const logged: [object, string][] = []
  const log = { warn: (fields: object, words: string) => void logged.push([fields, words]) }
  const sessions = createSignedInSessions({
    records,
    sealer,
    signIns,
    log,
    maxSeconds: 3600,
    now: () => clock.now,
  })
  const add = (name: string, sid?: string) =>
    sessions.add(ada, { name, sid, signedInAt: 1_000, device: '' }, STARTED)
  return { values, lives, over, asked, sessions, logged, add, clock }
}

describe('a logout that names a person and a session', () => {
  it('ends the sign-ins of that session, and those whose session is not known', async () => {
    const { sessions, over, add } = open()
    for (const [name, sid] of [['its', 's1'], ['another', 's2'], ['unknown']] as const) await add(name, sid)
    expect(await sessions.endThere(issuer, { sub: 'ada', sid: 's1' })).toBe(2)
    expect([...over].toSorted()).toEqual(['its', 'unknown'])
  })

  it('ends a sign-in on its way whose session is not known, and not one of another session', async () => {
    const { sessions, add } = open()
    await sessions.endThere(issuer, { sub: 'ada', sid: 's1' })
    expect([await add('its', 's1'), await add('unknown'), await add('another', 's2')]).toEqual([
      false,
      false,
      true,
    ])
  })
})

describe('the list of sign-ins', () => {
  it('asks the store about each once, however many tabs look at the same moment', async () => {
    const { sessions, over, asked, add } = open()
    for (const name of ['one', 'two', 'three']) await add(name)
    over.add('two')
    const looks = await Promise.all(Array.from({ length: 20 }, () => sessions.list(ada)))
    for (const look of looks) expect(look.map(({ name }) => name).toSorted()).toEqual(['one', 'three'])
    expect(asked.toSorted()).toEqual(['one', 'three', 'two'])
    await sessions.list(ada)
    expect(asked).toHaveLength(5)
  })

  it('no longer has one that was idle for too long', async () => {
    const { sessions, over, add } = open()
    await add('idle')
    await add('used')
    over.add('idle')
    for (let look = 0; look < 2; look++)
      expect((await sessions.list(ada)).map(({ name }) => name)).toEqual(['used'])
  })

  it('is written anew only where one is over, and no longer has it then', async () => {
    const { sessions, over, add, values } = open()
    await add('idle')
    await add('used')
    const before = [...values]
    await sessions.list(ada)
    expect([...values]).toEqual(before)
    over.add('idle')
    await sessions.list(ada)
    over.clear()
    expect((await sessions.list(ada)).map(({ name }) => name)).toEqual(['used'])
  })

  it('is one person’s', async () => {
    const { sessions, over, add } = open()
    const bob = { issuer, subject: 'bob' }
    await add('hers')
    await sessions.add(bob, { name: 'his', signedInAt: 1_000, device: '' }, STARTED)
    expect((await sessions.list(bob)).map(({ name }) => name)).toEqual(['his'])
    expect(await sessions.end(bob, () => true)).toBe(1)
    expect([...over]).toEqual(['his'])
  })

  const damage = (values: Map<string, string>) => {
    for (const [key, text] of values) values.set(key, `${text.slice(0, -4)}AAAA`)
    return [...values]
  }

  it('is left as it is where it cannot be read, and nothing is said to have ended', async () => {
    const { sessions, values, add } = open()
    await add('one', 's1')
    const damaged = damage(values)
    const unreadable = { status: 503, code: 'store_unavailable' }
    await expect(sessions.end(ada, () => true)).rejects.toMatchObject(unreadable)
    for (const named of [{ sub: 'ada' }, { sid: 's1' }])
      await expect(sessions.endThere(issuer, named)).rejects.toMatchObject(unreadable)
    expect([...values]).toEqual(damaged)
  })

  it('begins anew with a sign-in where it cannot be read, and the log names it', async () => {
    const { sessions, values, logged, add } = open()
    await add('one')
    const [[key] = []] = damage(values)
    expect(await add('two', 's2')).toBe(true)
    expect(logged).toEqual([
      [
        { key },
        "the list of a person's sign-ins can't be read and begins anew: earlier sign-ins work until they run out, and no logout elsewhere ends them",
      ],
    ])
    expect((await sessions.list(ada)).map(({ name }) => name)).toEqual(['two'])
    expect(await sessions.endThere(issuer, { sid: 's2' })).toBe(1)
  })
})

describe('sign-ins that end', () => {
  it('are counted, and taken off the list once they have ended', async () => {
    const { sessions, over, add, values, lives } = open()
    for (const name of ['one', 'two', 'three']) await add(name)
    expect(await sessions.end(ada, ({ name }) => name !== 'two')).toBe(2)
    expect([...over].toSorted()).toEqual(['one', 'three'])
    over.clear()
    expect((await sessions.list(ada)).map(({ name }) => name)).toEqual(['two'])
    const before = [...values]
    expect(await sessions.end(ada, () => false)).toBe(0)
    expect([...values]).toEqual(before)
    expect([...lives.values()]).toEqual([3600])
  })

  it('are those of a session whose person is known, also while the list takes no marks', async () => {
    let isFull = false
    const { records } = memoryStore()
    const full = () => Promise.reject(new StoreUnavailable(new Error('OOM command not allowed')))
    const { sessions, over, add } = open({
      ...records,
      compareAndSet: (...args) => (isFull ? full() : records.compareAndSet(...args)),
    })
    await add('its', 's1')
    await add('another', 's2')
    isFull = true
    await expect(sessions.endThere(issuer, { sid: 's1' })).rejects.toMatchObject({ status: 503 })
    expect([...over]).toEqual(['its'])
  })

  it('are none while the store is away', async () => {
    let isAway = false
    const { records } = memoryStore()
    const { sessions, over, add } = open({
      ...records,
      compareAndSet: (...args) =>
        isAway ? Promise.reject(new StoreUnavailable(new Error('gone'))) : records.compareAndSet(...args),
    })
    await add('one')
    isAway = true
    await expect(sessions.end(ada, () => true)).rejects.toMatchObject({ status: 503 })
    expect([...over]).toEqual([])
  })

  it('make room for new ones: a hundred are kept', async () => {
    const { sessions, over, add } = open()
    for (let count = 0; count <= 100; count++) await add(`n${count}`)
    expect([...over]).toEqual(['n0'])
    expect(await sessions.list(ada)).toHaveLength(100)
  })
})

describe('a list that can’t be tidied up', () => {
  it('is told all the same', async () => {
    let isFull = false
    const { records } = memoryStore()
    const { sessions, over, add } = open({
      ...records,
      compareAndSet: (...args) =>
        isFull ? Promise.reject(new Error('full')) : records.compareAndSet(...args),
    })
    await add('idle')
    over.add('idle')
    isFull = true
    expect(await sessions.list(ada)).toEqual([])
  })
})

describe('a session of the authorization server', () => {
  it('that is unknown counts as ended for an hour, and for sign-ins that began before', async () => {
    const { sessions, lives, add, clock } = open()
    expect(await sessions.endThere(issuer, { sid: 's1' })).toBe(0)
    expect([...lives.values()]).toEqual([3600])
    expect(await add('late', 's1')).toBe(false)
    expect((await sessions.list(ada)).map(({ name }) => name)).toEqual([])
    clock.now = STARTED - 1
    await sessions.endThere(issuer, { sid: 's2' })
    expect(await add('next', 's2')).toBe(true)
    expect(await sessions.endThere(issuer, { sid: 's2' })).toBe(1)
  })

  it('belongs to the person of its issuer, and to that one alone', async () => {
    const { sessions, add, over } = open()
    await add('one', 's1')
    expect(await sessions.endThere('https://other.example', { sid: 's1' })).toBe(0)
    expect(await sessions.endThere(issuer, {})).toBe(0)
    expect([...over]).toEqual([])
    expect(await sessions.endThere(issuer, { sid: 's1' })).toBe(1)
  })
})
