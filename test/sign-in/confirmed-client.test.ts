// A client that registered itself: when the authorization server is asked whether it knows it, and when it is given up.
import { describe, expect, it } from 'vitest'
import { ISSUER, knowing, turn } from './known-server.ts'

const REFUSED_AGAIN =
  'the server refuses the client that registered itself, again within ten minutes: not registering anew yet'
const NO_LONGER_KNOWN =
  'the authorization server no longer knows the client that registered itself: registering anew'
const CANNOT_BE_ASKED =
  'the server refused a sign-in, and cannot be asked whether it knows the client that registered itself: if every sign-in fails, call "onramp registration forget" and start again'

describe('a client that registered itself', () => {
  it('is confirmed once a minute, and at the start where it is from before', async () => {
    const { at, started, idOf } = knowing()
    await started()
    expect([at.refusals, at.learned]).toEqual([1, []])
    await idOf('confirmedConfiguration')
    await turn(59_999)
    await idOf('confirmedConfiguration')
    expect(at.refusals).toBe(1)
    await turn(1)
    await idOf('confirmedConfiguration')
    expect(at.refusals).toBe(2)
  })

  it('that is new is confirmed by that, and what can be learned of it is', async () => {
    const { at, started, idOf } = knowing()
    at.more = { isNew: true }
    await started()
    await idOf('confirmedConfiguration')
    expect([at.refusals, at.learned]).toEqual([0, ['c1']])
  })

  it('that is gone is given up and replaced', async () => {
    const { at, started, idOf, logged } = knowing()
    await started()
    await turn(60_000)
    at.isUnknown = true
    expect(await idOf('confirmedConfiguration')).toBe('c1x')
    expect([at.forgotten[0], logged[0]]).toEqual(['c1', ['warn', NO_LONGER_KNOWN, { issuer: ISSUER }]])
  })

  it('that was given up a moment ago is kept', async () => {
    const { server, at, started, idOf, logged } = knowing()
    await started()
    await turn(60_000)
    Object.assign(at, { isUnknown: true, mayForget: false })
    expect(await idOf('confirmedConfiguration')).toBe('c1')
    const { client_id: kept } = (await server.configuration()).clientMetadata()
    expect([kept, server.isReady()]).toEqual(['c1', true])
    expect([at.forgotten, logged]).toEqual([['c1'], [['warn', REFUSED_AGAIN, { issuer: ISSUER }]]])
  })

  it('from before is confirmed by the first who needs it', async () => {
    const { at, idOf } = knowing()
    await idOf('confirmedConfiguration')
    expect(at.refusals).toBe(1)
  })

  it('that is gone is replaced in the background, also where no one asks for it', async () => {
    const { server, at, started, asked } = knowing()
    await started()
    at.isUnknown = true
    expect(await server.dropIfUnknown('c1')).toBe(true)
    await turn()
    expect([server.isReady(), asked.length]).toEqual([true, 2])
    Object.assign(at, { isUnknown: true, mayForget: false })
    expect(await server.dropIfUnknown('c1x')).toBe(false)
  })

  it('is asked about once, however many doubt it', async () => {
    const { server, at, started } = knowing()
    await started()
    expect(await Promise.all([server.dropIfUnknown('c1'), server.dropIfUnknown('c1')])).toEqual([
      false,
      false,
    ])
    expect(at.refusals).toBe(2)
    at.isUnknown = true
    expect(await server.dropIfUnknown('c1')).toBe(true)
  })

  it('that was replaced meanwhile is gone, without a question', async () => {
    const { server, at, started } = knowing()
    expect(await server.dropIfUnknown('c0')).toBe(false)
    await started()
    const before = at.refusals
    expect([await server.dropIfUnknown('c0'), await server.dropIfSuspect('c0')]).toEqual([true, true])
    expect(at.refusals).toBe(before)
  })

  it('that is suspected is asked about every five seconds at most', async () => {
    const { server, at, started } = knowing()
    await started()
    const suspect = async (milliseconds: number) => {
      await turn(milliseconds)
      const before = at.refusals
      return [await server.dropIfSuspect('c1'), at.refusals - before]
    }
    expect([await suspect(0), await suspect(4_999), await suspect(1)]).toEqual([
      [false, 1],
      [false, 0],
      [false, 1],
    ])
    at.isUnknown = true
    expect(await suspect(5_000)).toEqual([true, 1])
  })
})

describe('a server whose endpoints tell nothing', () => {
  it.each([
    ['its authorization endpoint says that the client is gone', true, true, []],
    ['its authorization endpoint says that it is not', false, false, []],
    ['nothing says so', undefined, false, [['warn', CANNOT_BE_ASKED, { issuer: ISSUER }]]],
  ])('is asked there: %s', async (_what, says, isDropped, warned) => {
    const { server, at, started, logged } = knowing({ isForgotten: async () => says })
    at.more = { isNew: true }
    await started()
    expect(at.learned).toEqual(['c1'])
    expect(await server.dropIfSuspect('c1')).toBe(isDropped)
    await turn(5_000)
    if (!isDropped) await server.dropIfSuspect('c1')
    expect(logged.filter(([, words]) => words !== NO_LONGER_KNOWN)).toEqual(warned)
  })

  it('is one where refusals of the only one that could tell say nothing', async () => {
    const metadata = { revocation_endpoint: `${ISSUER}/r` }
    const telling = knowing({ metadata, isForgotten: async () => undefined })
    await telling.started()
    await telling.server.dropIfSuspect('c1')
    expect([telling.logged, telling.at.learned]).toEqual([[], []])
    const mute = knowing({ metadata, isForgotten: async () => undefined })
    mute.at.more = { mute: ['revocation'] }
    await mute.started()
    await mute.server.dropIfSuspect('c1')
    expect([mute.logged, mute.at.learned]).toEqual([[['warn', CANNOT_BE_ASKED, { issuer: ISSUER }]], ['c1']])
  })
})

describe('a client of the settings', () => {
  it('is neither asked about nor given up', async () => {
    const { server, at, started, idOf } = knowing({ registers: false })
    await started()
    at.isUnknown = true
    await turn(60_000)
    expect(await idOf('confirmedConfiguration')).toBe('c1')
    expect([await server.dropIfUnknown('c1'), await server.dropIfSuspect('c1')]).toEqual([false, false])
    expect(at.refusals).toBe(0)
  })
})
