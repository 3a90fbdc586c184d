// The list of a person's sign-ins: what a logout of theirs ends, what is shown of it, and what is never taken for nothing.
import { describe, expect, it } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { createSealer } from '../../src/session/seal.ts'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'

const issuer = 'https://as.example'
const ada = { issuer, subject: 'ada' }
const STARTED = 900

function open() {
  const values = new Map<string, string>()
  const records: Records = {
    get: async (key) => values.get(key),
    put: async (key, value) => void values.set(key, value),
    async compareAndSet(key, expected, value) {
      const isSame = values.get(key) === expected
      if (isSame) values.set(key, value)
      return isSame
    },
    takeMark: () => Promise.reject(new Error('not needed here')),
    remove: async (key) => void values.delete(key),
    compareAndRemove: async (key) => void values.delete(key),
  }
  const over = new Set<string>()
  const signIns = {
    end: async (name: string) => void over.add(name),
    isKept: async (name: string) => !over.has(name),
  }
  const sealer = createSealer(['s'.repeat(32)])
  const logged: object[] = []
  const log = { warn: (fields: object) => void logged.push(fields) }
  const sessions = createSignedInSessions({
    records,
    sealer,
    signIns,
    log,
    maxSeconds: 3600,
    now: () => 1_000,
  })
  const add = (name: string, sid?: string) =>
    sessions.add(ada, { name, sid, signedInAt: 1_000, device: '' }, STARTED)
  return { values, over, sessions, logged, add }
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
  it('no longer has one that was idle for too long', async () => {
    const { sessions, over, add } = open()
    await add('idle')
    await add('used')
    over.add('idle')
    for (let look = 0; look < 2; look++)
      expect((await sessions.list(ada)).map(({ name }) => name)).toEqual(['used'])
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
    expect(logged).toEqual([{ key }])
    expect((await sessions.list(ada)).map(({ name }) => name)).toEqual(['two'])
    expect(await sessions.endThere(issuer, { sid: 's2' })).toBe(1)
  })
})
