// How long the record of a sign-in lives, and how seldom that is written anew.
import { describe, expect, it } from 'vitest'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { createSealer, nameOf } from '../../src/records/seal.ts'
import { redisSessionTexts } from '../../src/session/sealed-texts.ts'
import { createSignIns, personKey, type SignIns } from '../../src/session/signed-in.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

const SECOND = 1_000
const MORNING = Date.parse('2026-11-23T08:00:00Z')
const tokens = { accessToken: 'access-1', issuedAt: MORNING }
const user = { issuer: 'https://as.example', subject: 'ada', groups: ['search-admins'] }
const content = { user, browser: 'browser-name', signedInAt: MORNING, tokens }

function kept(idleSeconds = 3_600) {
  const redis = memoryRedis()
  const touched: string[] = []
  const expire = async (key: string, seconds: number) => {
    touched.push(key)
    return redis.commands.expire(key, seconds)
  }
  const commands = { ...redis.commands, expire }
  const newProcess = (): SignIns =>
    createSignIns({
      texts: redisSessionTexts(commands, 'acme:'),
      records: createRedisRecords(commands, 'acme:'),
      sealer: createSealer(['s'.repeat(40)]),
      idleSeconds,
      maxSeconds: 12 * 3_600,
      now: () => MORNING + redis.now(),
    })
  const life = (id: string) => redis.lives().get(`acme:session:${nameOf(id)}`)
  return { ...redis, touched, newProcess, life }
}

describe('the record of a sign-in', () => {
  it.each([
    [3_600, 3_780],
    [60, 63],
    [10, 11],
  ])('with an idle time of %i s lives for %i: a renewal may be left out', async (idle, seconds) => {
    const { newProcess, life } = kept(idle)
    await newProcess().create('id', content)
    expect(life('id')).toBe(seconds)
  })

  it('is given its time anew after a twentieth of it, and not before', async () => {
    const { newProcess, life, touched, pass } = kept()
    const signIns = newProcess()
    const signedIn = await signIns.create('id', content)
    for (let round = 1; round <= 2; round++) {
      pass(180 * SECOND - 1)
      await signIns.renew(signedIn)
      expect([touched.length, life('id')]).toEqual([round - 1, 3_601])
      pass(1)
      await signIns.renew(signedIn)
      expect([touched.length, life('id')]).toEqual([round, 3_780])
    }
  })

  it('is given its time anew at once by a process that did not see it before', async () => {
    const { newProcess, touched, pass } = kept()
    const signedIn = await newProcess().create('id', content)
    pass(SECOND)
    const other = newProcess()
    await other.renew(signedIn)
    await other.renew(signedIn)
    expect(touched).toEqual([`acme:session:${nameOf('id')}`])
  })

  it('is remembered as renewed with 50,000 others at most, and then only renewed too early', async () => {
    const { newProcess, touched } = kept()
    const signIns = newProcess()
    const signedIn = await signIns.create('id', content)
    const renewOthers = async (from: number, to: number) => {
      for (let other = from; other < to; other++) await signIns.renew({ ...signedIn, id: `other-${other}` })
      touched.length = 0
      await signIns.renew(signedIn)
      return touched.length
    }
    expect(await renewOthers(1, 50_000)).toBe(0)
    expect(await renewOthers(50_000, 50_001)).toBe(1)
  })

  it('lives its whole time from a refresh on, which keeps or replaces the groups', async () => {
    const { newProcess, life, pass } = kept()
    const signIns = newProcess()
    const signedIn = await signIns.create('id', content)
    pass(600 * SECOND)
    const fresh = await signIns.replaceTokens(signedIn, { ...tokens, accessToken: 'access-2' })
    expect(life('id')).toBe(3_780)
    expect(fresh).toMatchObject({ ...content, tokens: { accessToken: 'access-2' } })
    const left = await signIns.replaceTokens(fresh ?? signedIn, tokens, [])
    expect(left?.user).toEqual({ ...user, groups: [] })
    expect(await newProcess().load('id')).toEqual(left)
  })
})

it('a person has the same key in every version, with neither issuer nor subject in it', () => {
  expect(personKey(user)).toBe('hOu2uw1dpNzssgas525hoDB5ufhr-d8snecNN99IHy4')
  expect(personKey({ issuer: 'https://as.exampl', subject: 'e\nada' })).not.toBe(personKey(user))
})
