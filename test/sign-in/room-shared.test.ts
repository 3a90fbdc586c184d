// The room for sign-ins under way, where processes share it: how often the store is asked, and for how much.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RedisCommands } from '../../src/records/redis-clients.ts'
import { createRoom } from '../../src/sign-in/room.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const KIB = 1024
/** Each in a range of its own. */
const networks = (count: number, first = 10) =>
  Array.from({ length: count }, (_, index) => `${first}.${index >> 8}.${index & 255}.1`)

/** Processes with one store, and by how much they changed which count of it. */
function shared() {
  const { commands, dump } = memoryRedis()
  const asked: [name: string, points: number][] = []
  let meanwhile: (() => Promise<unknown>) | undefined
  const client: RedisCommands = {
    ...commands,
    async eval(script, options) {
      const [, name = ''] = /limit:([\w-]+)/.exec(options.keys[0] ?? '') ?? []
      asked.push([name, Number(options.arguments[0])])
      const answer = await commands.eval(script, options)
      await meanwhile?.()
      return answer
    },
  }
  return {
    process: (megabytes: number) =>
      createRoom({ redis: { client, prefix: 'acme:' }, megabytes, windowSeconds: 600 }),
    /** The changes since the last look. */
    askedFor: (name: string) =>
      asked
        .splice(0)
        .filter(([which]) => which === name)
        .map(([, points]) => points),
    whileAsked: (what: typeof meanwhile) => void (meanwhile = what),
    dump,
  }
}

type Room = ReturnType<typeof createRoom>
const isTaken = (room: Room, bytes: number, network: string) =>
  room.take(bytes, network).then(
    () => true,
    () => false,
  )

/** @returns how many got so much */
async function fill(room: Room, bytes: number, from: string[]): Promise<number> {
  let got = 0
  for (const network of from) got += Number(await isTaken(room, bytes, network))
  return got
}

describe('the room that processes share', () => {
  it('is taken in pieces for all who come at once, and given back once they have finished', async () => {
    const { process, askedFor } = shared()
    const room = process(16)
    const rush = networks(300)
    await Promise.all(rush.map((network) => room.take(KIB, network)))
    expect(askedFor('sign-ins-waiting')).toEqual([1, 1, 1, 1, 1])
    for (const network of rush) await room.giveBack(KIB, network)
    // The last piece stays, for the next ones.
    expect(askedFor('sign-ins-waiting')).toEqual([-1, -1, -1, -1])
    await room.take(KIB, '192.0.2.1')
    expect(askedFor('sign-ins-waiting')).toEqual([])
  })

  it('is asked for once a second while there is none, and what was refused does not count', async () => {
    const { process, askedFor, dump } = shared()
    const [room, other] = [process(1), process(1)]
    const crowd = networks(60)
    const got = await fill(room, 8 * KIB, crowd)
    expect(got).toBe(48)
    const full = [...dump()]
    askedFor('sign-ins-waiting')
    const late = networks(10, 11)
    expect(await fill(room, 8 * KIB, late)).toBe(0)
    vi.advanceTimersByTime(999)
    expect(await fill(room, 8 * KIB, late)).toBe(0)
    expect(askedFor('sign-ins-waiting')).toEqual([])
    vi.advanceTimersByTime(1)
    expect(await fill(room, 8 * KIB, late)).toBe(0)
    expect(askedFor('sign-ins-waiting')).toEqual([1, -1])
    expect([...dump()].filter(([key]) => key.includes('waiting'))).toEqual(
      full.filter(([key]) => key.includes('waiting')),
    )

    // Two pieces are free again: one of them is for the other process, at once.
    for (const network of crowd.slice(0, 16)) await room.giveBack(8 * KIB, network)
    expect(await fill(other, 8 * KIB, late)).toBe(8)
    expect(await fill(room, 8 * KIB, networks(10, 12))).toBe(8)
  })

  it('has some for who waits for the store, where others finish meanwhile', async () => {
    const { process, whileAsked } = shared()
    // A single piece, for all but those with few under way.
    const room = process(0.1875)
    const crowd = networks(8)
    expect(await fill(room, 8 * KIB, crowd)).toBe(8)
    whileAsked(async () => {
      whileAsked(undefined)
      await room.giveBack(8 * KIB, crowd[0] ?? '')
    })
    expect(await isTaken(room, 8 * KIB, '11.0.0.1')).toBe(true)
    expect(await isTaken(room, 8 * KIB, '11.0.1.1')).toBe(false)
  })

  it('has counts that processes of every version know', async () => {
    const { process, dump } = shared()
    const room = process(1)
    await fill(room, KIB, Array<string>(40).fill('192.0.2.1'))
    await fill(room, 8 * KIB, networks(60))
    await fill(room, KIB, networks(1, 11))
    const names = [...dump().keys()].map((key) => /^acme:limit:([\w-]+):/.exec(key)?.[1])
    expect(new Set(names)).toEqual(
      new Set(['sign-ins-address', 'sign-ins-range', 'sign-ins-waiting', 'sign-ins-reserve']),
    )
  })
})
