// The life of a client that registered itself: one over all processes, kept, made anew, given up.
import { describe, expect, it } from 'vitest'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { createSealer, nameOf } from '../../src/session/seal.ts'
import { createRegistration, isLasting, renewalOf } from '../../src/sign-in/registration/registration.ts'
import type { Outcome } from '../../src/sign-in/registration/request.ts'
import { memoryStore } from './memory-store.ts'

const NOW = 1_700_000_000_000
const HOUR = 3_600_000
const KEY = `client:${nameOf('identity')}`

function registration(own: (records: Records) => Partial<Records> = () => ({})) {
  const store = memoryStore()
  const records = { ...store.records, ...own(store.records) }
  const clock = { now: NOW }
  const parts = {
    records,
    sealer: createSealer(['s'.repeat(32)]),
    identity: 'identity',
    now: () => clock.now,
  }
  let made = 0
  const outcome = { next: undefined as Outcome | undefined, more: {}, fails: undefined as Error | undefined }
  const register = async (): Promise<Outcome> => {
    if (outcome.fails !== undefined) throw outcome.fails
    return (
      outcome.next ?? {
        kind: 'registered',
        client: { client_id: `c${++made}`, client_secret: 'hush', ...outcome.more },
      }
    )
  }
  const process = () => {
    const one = createRegistration(parts)
    return { ...one, current: () => one.current(register) }
  }
  return {
    ...store,
    clock,
    outcome,
    process,
    idOf: async () => (await process().stored())?.client_id,
    made: () => made,
  }
}

describe('a client', () => {
  it('is made once, for all processes, and kept for five years with when it was made', async () => {
    const { process, made, lives, values, named } = registration()
    const [one, other] = [process(), process()]
    expect(await one.stored()).toBeUndefined()
    const made1 = { client_id: 'c1', client_secret: 'hush', registered_at: NOW }
    const both = await Promise.all([one.current(), other.current()])
    expect(both).toEqual([made1, made1])
    expect([made(), await other.stored()]).toEqual([1, both[0]])
    expect(lives.get(KEY)).toBe(5 * 365 * 24 * 3600)
    expect(values.get(KEY)).not.toContain('hush')
    expect(named('lease:')).toEqual([])
  })

  it('is made anew shortly before its secret expires', async () => {
    const { process, clock, outcome, made } = registration()
    outcome.more = { client_secret_expires_at: (NOW + 24 * HOUR) / 1000 }
    await process().current()
    clock.now = NOW + 23 * HOUR - 1
    expect(await process().stored()).toBeDefined()
    clock.now += 1
    expect(await process().stored()).toBeUndefined()
    await process().current()
    expect(made()).toBe(2)
  })

  it.each<[string, object, number]>([
    ['for ever', { client_secret: 'x', client_secret_expires_at: 0 }, Infinity],
    ['for ever, as nothing is said', { client_secret: 'x' }, Infinity],
    ['for ever, as there is no secret', { client_secret_expires_at: 9 }, Infinity],
    [
      'until an hour before',
      { client_secret: 'x', client_secret_expires_at: 100_000, registered_at: 0 },
      96_400_000,
    ],
    [
      'until a tenth of its life before',
      { client_secret: 'x', client_secret_expires_at: 1000, registered_at: 500_000 },
      950_000,
    ],
    [
      'until six minutes before, of an unknown life',
      { client_secret: 'x', client_secret_expires_at: 1000 },
      640_000,
    ],
  ])('lasts %s', (_what, client, renewal) => {
    expect(renewalOf(client)).toBe(renewal)
    expect(isLasting(client, renewal)).toBe(false)
    expect(isLasting(client, Math.min(renewal, 1e15) - 1)).toBe(true)
  })

  it('that could not be written down is not made again', async () => {
    let isFull = true
    const full = () => Promise.reject(new StoreUnavailable(new Error('OOM')))
    const { process, made, clock, outcome } = registration((records) => ({
      put: (key, ...args) => (isFull && key === KEY ? full() : records.put(key, ...args)),
    }))
    outcome.more = { client_secret_expires_at: (NOW + 24 * HOUR) / 1000 }
    const one = process()
    await expect(one.current()).rejects.toMatchObject({ status: 503 })
    isFull = false
    expect((await one.current()).client_id).toBe('c1')
    expect(made()).toBe(1)
    clock.now += 24 * HOUR
    expect((await one.current()).client_id).toBe('c2')
  })

  it('that does not come about holds the next one back, and the lease is free', async () => {
    const { process, outcome, named } = registration()
    outcome.next = { kind: 'unusable', why: 'odd' }
    for (let count = 0; count < 2; count++)
      await expect(process().current()).rejects.toMatchObject({
        code: 'sign_in_misconfigured',
        retryAfter: 3600,
      })
    expect(named('lease:')).toEqual([])
  })

  it('that could not be asked for does not count', async () => {
    const { process, outcome } = registration()
    const broken = new Error('broken')
    outcome.fails = broken
    for (let count = 0; count < 11; count++) await expect(process().current()).rejects.toBe(broken)
  })

  it('that another process makes is waited for, ten seconds', async () => {
    const { process, values, clock, made } = registration()
    values.set(`lease:${KEY}`, 'another')
    const waiting = process().current()
    clock.now += 10_000
    await expect(waiting).rejects.toMatchObject({
      detail: 'another process holds the lease to register the client and does not finish',
    })
    expect(made()).toBe(0)
  })
})

describe('what was learned', () => {
  it('is written down, unless the client was replaced', async () => {
    const { process, lives } = registration()
    const one = process()
    await one.current()
    lives.clear()
    await one.note('c1', { mute: ['token'] })
    await one.note('c0', { refusal_of_unknown: 400 })
    expect(await one.stored()).toEqual({
      client_id: 'c1',
      client_secret: 'hush',
      registered_at: NOW,
      mute: ['token'],
    })
    expect([...lives]).toEqual([[KEY, 5 * 365 * 24 * 3600]])
  })
})

describe('a client that the server forgot', () => {
  it('is given up once in ten minutes', async () => {
    const { process, lives, idOf, outcome, named } = registration()
    const one = process()
    await one.current()
    expect(await one.wasGivenUp()).toBe(false)
    expect(await one.forget('c1')).toBe(true)
    expect([await one.wasGivenUp(), await idOf()]).toEqual([true, undefined])
    const [key = ''] = named('client-given-up:')
    expect([key, lives.get(key)]).toEqual([`client-given-up:${nameOf('identity')}`, 600])
    expect(await one.forget('c1')).toBe(true)
    outcome.next = undefined
    await one.current()
    expect(await one.forget('c1')).toBe(true)
    expect(await one.forget('c2')).toBe(false)
    expect(await idOf()).toBe('c2')
  })

  it('and everything that holds the next one back is forgotten by the operator', async () => {
    const { process, values, outcome } = registration()
    const one = process()
    await one.current()
    await one.forget('c1')
    outcome.next = { kind: 'unusable', why: 'odd' }
    await expect(one.current()).rejects.toMatchObject({ retryAfter: 3600 })
    expect(await one.reset()).toBeUndefined()
    expect([...values]).toEqual([])
    outcome.next = undefined
    await one.current()
    expect(await one.reset()).toMatchObject({ client_id: 'c2' })
    expect([...values]).toEqual([])
  })
})
