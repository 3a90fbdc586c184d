// Sign-ins that were started and not finished: what is kept of them, for how long, and how many there may be.
import { describe, expect, it } from 'vitest'
import { createSealer, nameOf } from '../../src/records/seal.ts'
import { createPendingSignIns, type PendingSignIn } from '../../src/sign-in/pending.ts'
import { createRoom } from '../../src/sign-in/room.ts'
import { memoryStore } from './memory-store.ts'

const started: PendingSignIn = {
  verifier: 'v',
  nonce: 'n',
  returnTo: '/x',
  startedAt: 5,
  network: '192.0.2.1',
}

function waiting() {
  const store = memoryStore()
  const taken: [what: string, bytes: number, network: string][] = []
  const note = (what: string) => async (bytes: number, network: string) =>
    void taken.push([what, bytes, network])
  const sealer = createSealer(['s'.repeat(32)])
  const pending = createPendingSignIns(store.records, sealer, {
    take: note('take'),
    giveBack: note('giveBack'),
  })
  const start = async (state: string, browser: string, signIn = started) =>
    await (await pending.prepare(state, browser, signIn)).keep()
  return { ...store, pending, taken, start }
}

describe('a sign-in under way', () => {
  it('is kept for nine minutes under a name that opens nothing', async () => {
    const { start, lives, values } = waiting()
    await start('state', 'browser')
    expect([...lives]).toEqual([[`sign-in:${nameOf('state')}`, 540]])
    expect([...values.values()][0]).toMatch(/^browser\.[\w-]+$/)
  })

  it('may be redeemed once, by the browser that started it, and is remembered for a minute', async () => {
    const { start, pending, lives } = waiting()
    await start('state', 'browser')
    expect(await pending.take('state', 'other')).toMatchObject({ mayRedeem: false, signIn: started })
    expect(await pending.take('state', undefined)).toMatchObject({ mayRedeem: false, signIn: started })
    const first = await pending.take('state', 'browser')
    expect(first).toEqual({ mayRedeem: true, signIn: started, cost: expect.any(Number) as number })
    expect([...lives.values()]).toEqual([60])
    expect(await pending.take('state', 'browser')).toMatchObject({ mayRedeem: false, signIn: started })
  })

  it('that is not known, or of another state, is none', async () => {
    const { start, pending, values } = waiting()
    expect(await pending.take('state', 'browser')).toBeUndefined()
    expect(await pending.take('state', undefined)).toBeUndefined()
    await start('state', 'browser')
    values.set(`sign-in:${nameOf('second')}`, values.get(`sign-in:${nameOf('state')}`) ?? '')
    expect(await pending.take('second', 'browser')).toBeUndefined()
  })

  it('is not another browser’s because someone wrote that into the store', async () => {
    const { start, pending, values } = waiting()
    await start('state', 'browser')
    const [[key, text] = ['', '']] = values
    values.set(key, text.replace('browser', 'other'))
    expect(await pending.take('state', 'other')).toMatchObject({ mayRedeem: false })
  })

  it('takes room for what it weighs in the store, and gives it back', async () => {
    const { pending, taken, values } = waiting()
    const prepared = await pending.prepare('state', 'browser', started)
    await prepared.keep()
    const [text = ''] = [...values.values()]
    const cost = Math.ceil(text.length * 1.25) + 250
    await prepared.drop()
    await pending.succeeded({
      ...(await pending.take('state', undefined)),
      signIn: started,
      mayRedeem: false,
      cost,
    })
    expect(taken).toEqual([
      ['take', cost, '192.0.2.1'],
      ['giveBack', cost, '192.0.2.1'],
      ['giveBack', cost, '192.0.2.1'],
    ])
    await pending.prepare('state', 'browser', { ...started, network: undefined })
    expect(taken.at(-1)?.[2]).toBe('')
  })
})

const PIECE = 64 * 1024
const MIB = 1024 * 1024
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `10.${index >> 8}.${index & 255}.1`)

describe('the room for sign-ins under way', () => {
  const roomOf = (megabytes: number) => createRoom({ redis: undefined, megabytes, windowSeconds: 600 })
  const isRefused = (taking: Promise<void>) =>
    taking.then(
      () => undefined,
      (error: unknown) => error as { status: number; code: string; detail: string; retryAfter: number },
    )
  /** So many bytes of each of these are taken. @returns how many got them, and what the next one was told */
  async function fill(room: ReturnType<typeof createRoom>, bytes: number, networks: string[]) {
    for (const [index, network] of networks.entries()) {
      const refusal = await isRefused(room.take(bytes, network))
      if (refusal !== undefined) return { got: index, refusal }
    }
    return { got: networks.length, refusal: undefined }
  }

  it('is a tenth of all for one address, and a quarter for its range', async () => {
    const refusal = {
      status: 429,
      code: 'too_many',
      detail:
        'sign-ins under way from one address, or from its range, take their share of SIGN_INS_WAITING_MB',
      retryAfter: 30,
    }
    // In whole pieces of 16 KiB: of the 2 MiB that there are in a window, 192 KiB are no more than a tenth.
    const kibi = 1024
    const one = await fill(roomOf(4), kibi, Array(400).fill('192.0.2.1') as string[])
    expect([one.got, one.refusal]).toEqual([12 * 16, expect.objectContaining(refusal)])
    const range = Array.from({ length: 600 }, (_, index) => `192.0.2.${index % 200}`)
    const all = await fill(roomOf(4), kibi, range)
    expect([all.got, all.refusal]).toEqual([512, expect.objectContaining(refusal)])
  })

  it('that is given back is free for the same address', async () => {
    const room = roomOf(4)
    const kibi = 1024
    const { got } = await fill(room, kibi, Array(400).fill('192.0.2.1') as string[])
    for (let count = 0; count < got; count++) await room.giveBack(kibi, '192.0.2.1')
    expect((await fill(room, kibi, Array(400).fill('192.0.2.1') as string[])).got).toBe(got)
  })

  it('is full for those with many under way, and has a reserve for those with few', async () => {
    const room = roomOf(1)
    const half = MIB / 2
    const few = Math.min(16 * 1024, Math.floor((half * 0.1) / 10))
    const many = addresses(200)
    const crowd = await fill(room, few + 1, many)
    expect(crowd.refusal).toMatchObject({
      status: 503,
      code: 'sign_in_busy',
      detail: 'sign-ins under way fill SIGN_INS_WAITING_MB (1)',
      retryAfter: 30,
    })
    const common = Math.floor((half * 0.75) / PIECE) * PIECE
    expect(crowd.got).toBe(Math.floor(common / (few + 1)))
    const reserve = Math.floor((half * 0.25) / PIECE) * PIECE
    const newcomers = addresses(400).map((network) => network.replace(/^10/, '11'))
    expect((await fill(room, few, newcomers)).got).toBe(Math.floor(reserve / few))
  })

  it('of a range is not used up by what one address is refused', async () => {
    const room = roomOf(4)
    const kibi = 1024
    await fill(room, kibi, Array(200).fill('192.0.2.1') as string[])
    for (let count = 0; count < 400; count++) await isRefused(room.take(kibi, '192.0.2.1'))
    const others = Array.from({ length: 400 }, (_, index) => `192.0.2.${2 + (index % 100)}`)
    expect((await fill(room, kibi, others)).got).toBe(512 - 192)
  })

  it('is given out to the last byte', async () => {
    expect((await fill(roomOf(32), PIECE, addresses(300))).got).toBe((16 * 0.75 * MIB) / PIECE)
  })

  it('that is given back is that of the reserve first', async () => {
    const room = roomOf(1)
    const few = Math.floor((MIB / 2) * 0.01)
    await fill(room, few + 1, addresses(200))
    const newcomers = addresses(400).map((network) => network.replace(/^10/, '11'))
    const { got } = await fill(room, few, newcomers)
    for (const network of newcomers.slice(0, got)) await room.giveBack(few, network)
    // None of it is for the crowd.
    expect((await fill(room, few + 1, addresses(250).slice(200))).got).toBe(0)
    expect((await fill(room, few, newcomers)).got).toBe(got)
  })

  it('is whole again when everyone has finished, that of the crowd and the reserve, as often as that happens', async () => {
    const room = roomOf(1)
    const few = Math.floor((MIB / 2) * 0.01)
    const crowd = addresses(200)
    const newcomers = addresses(400).map((network) => network.replace(/^10/, '11'))
    const rounds: number[][] = []
    for (let round = 0; round < 3; round++) {
      const many = (await fill(room, few + 1, crowd)).got
      const some = (await fill(room, few, newcomers)).got
      // Whom the reserve refuses has taken nothing of it.
      for (const network of newcomers.slice(some))
        expect(await isRefused(room.take(few, network))).toBeTruthy()
      for (const network of newcomers.slice(0, some)) await room.giveBack(few, network)
      for (const network of crowd.slice(0, many)) await room.giveBack(few + 1, network)
      rounds.push([many, some])
    }
    expect(rounds).toEqual([rounds[0], rounds[0], rounds[0]])
  })

  it('that is full has some again when one is given back', async () => {
    const room = roomOf(1)
    const { got } = await fill(room, 8192, addresses(100))
    for (const network of addresses(got)) await room.giveBack(8192, network)
    expect((await fill(room, 8192, addresses(100))).got).toBe(got)
  })
})
