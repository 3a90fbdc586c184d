// The room for sign-ins under way: what one address, one range and one process get of it, and what is left for others.
import { afterEach, describe, expect, it } from 'vitest'
import { connectRedis } from '../../src/records/redis-connection.ts'
import type { SharedRedis } from '../../src/records/counting.ts'
import { createRoom, type Room } from '../../src/sign-in/room.ts'
import { networkOf } from '../../src/web/network.ts'
import { startRedis } from '../helpers/redis.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const MEGABYTES = 16
/** Of a window, which gets half. */
const ALL = 8 * 1024 * 1024
const FEW = 16 * 1024
const PIECE = 64 * 1024
const BYTES = 1_024

const createOne = (redis?: SharedRedis) => createRoom({ redis, megabytes: MEGABYTES, windowSeconds: 600 })

async function twoProcesses(): Promise<Room[]> {
  const redis = await startRedis()
  closing.push(() => redis.close())
  return [0, 1].map(() => {
    const client = connectRedis(redis.url, { warn: () => {}, info: () => {} })
    closing.push(() => client.destroy())
    return createOne({ client, prefix: 'onramp:' })
  })
}

const isTaken = (room: Room, address: string) =>
  room.take(BYTES, networkOf(address)).then(
    () => true,
    () => false,
  )

/** @returns how many bytes these addresses get in turn, until each of them is refused */
async function takeAll(room: Room, addresses: Iterable<string>): Promise<number> {
  let taken = 0
  for (const address of addresses) while (await isTaken(room, address)) taken += BYTES
  return taken
}

const many = (count: number, addressOf: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => addressOf(number))
const inOneRange = many(50, (number) => `203.0.113.${number}`)
const anywhere = (number: number) => `10.${number >> 8}.${number & 0xff}.1`

describe('the room for sign-ins under way', () => {
  it('gives one address a tenth', async () => {
    const taken = await takeAll(createOne(), ['203.0.113.7'])
    expect(taken).toBeLessThanOrEqual(ALL / 10)
    expect(taken).toBeGreaterThan(ALL / 10 - FEW)
  })

  it.each([
    ['the addresses of a /24', inOneRange],
    ['the networks of an IPv6 /32', many(50, (number) => `2001:db8:${number.toString(16)}::1`)],
  ])('gives %s a quarter', async (_which, addresses) => {
    const taken = await takeAll(createOne(), addresses)
    expect(taken).toBeLessThanOrEqual(ALL / 4)
    expect(taken).toBeGreaterThan(ALL / 4 - 2 * FEW)
  })

  it('gives all the networks of an IPv6 /48 what one address gets', async () => {
    const addresses = many(50, (number) => `2001:db8:0:${number.toString(16)}::1`)
    expect(await takeAll(createOne(), addresses)).toBeLessThanOrEqual(ALL / 10)
  })

  it('gives one address hardly more where there are two processes', async () => {
    const rooms = await twoProcesses()
    let taken = 0
    for (const room of rooms) taken += await takeAll(room, ['203.0.113.7'])
    expect(taken).toBeLessThanOrEqual(ALL / 10 + FEW)
    expect(taken).toBeGreaterThan(ALL / 10 - FEW)
  }, 20_000)

  it.each([
    ['from everywhere', anywhere],
    ['from an office behind one address', () => '203.0.113.7'],
  ])(
    'is not hoarded by the process that a rush reaches, %s',
    async (_which, addressOf) => {
      const [first, second] = (await twoProcesses()) as [Room, Room]
      const rush = await Promise.all(many(400, addressOf).map((address) => isTaken(first, address)))
      expect(rush).not.toContain(false)
      const later = await Promise.all(
        many(300, (number) => addressOf(400 + number)).map((address) => isTaken(second, address)),
      )
      expect(later).not.toContain(false)
    },
    20_000,
  )

  it('keeps a quarter for those with few under way, however many others want more', async () => {
    const room = createOne()
    expect(await takeAll(room, many(100, anywhere))).toBeLessThanOrEqual(ALL)
    for (const address of ['198.51.100.1', '2001:db8::1', '192.0.2.1'])
      expect(await isTaken(room, address), address).toBe(true)
    await expect(room.take(BYTES, anywhere(90))).rejects.toMatchObject({ status: 503 })
  })

  it('tells an address that has its share so, and others nothing', async () => {
    const room = createOne()
    await takeAll(room, ['203.0.113.7'])
    await expect(room.take(BYTES, '203.0.113.7')).rejects.toMatchObject({ status: 429, code: 'too_many' })
    expect(await isTaken(room, '203.0.113.8')).toBe(true)
  })

  it('holds no more than it has, from addresses without end', async () => {
    const taken = await takeAll(createOne(), many(600, anywhere))
    expect(taken).toBeLessThanOrEqual(ALL)
    expect(taken).toBeGreaterThan(ALL - 2 * PIECE)
  })

  it('is whole again when everyone has finished, as often as that happens', async () => {
    const room = createOne()
    for (let round = 0; round < 3; round++) {
      const taken = await takeAll(room, ['203.0.113.7'])
      expect(taken).toBeGreaterThan(ALL / 10 - FEW)
      for (let bytes = 0; bytes < taken; bytes += BYTES) await room.giveBack(BYTES, '203.0.113.7')
    }
  })
})
