// The limits hold for a route however its address is written, and for every route that anyone can ask for work.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createInvitations } from '../../src/invites/token.ts'
import { sendRaw } from '../helpers/raw-request.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'

let redis: RedisServer
let running: Running
beforeEach(async () => {
  redis = await startRedis()
  running = await run({ settings: { SIGN_INS_PER_MINUTE: '10', REDIS_URL: redis.url } })
})
afterEach(async () => {
  await running.close()
  await redis.close()
})

const send = async (target: string, options: Parameters<typeof sendRaw>[2] = {}) => {
  const { status, headers } = await sendRaw(running.url, target, options)
  return { status, location: headers['location'] }
}

const SPELLINGS = ['/sign-in', '/Sign-In', '/SIGN-IN', '/sign-in/', '/Sign-iN/?return_to=/x', '/sign-in?a=1']

/** What is kept for sign-ins that have begun. */
const kept = async () =>
  [...(await redis.dump()).keys()].filter((key) => /:(sign-in|session):/.test(key)).length

describe('the limit on signing in', () => {
  it.each(SPELLINGS)('counts %s like every other spelling', async (spelling) => {
    for (let count = 0; count < 10; count++) await send(spelling)
    for (const other of SPELLINGS) expect((await send(other)).status, other).toBe(429)
  })

  it.each(SPELLINGS)('lets %s write no more than the limit allows', async (spelling) => {
    await Promise.all(Array.from({ length: 60 }, () => send(spelling)))
    expect(await kept()).toBeLessThanOrEqual(20)
  })

  it('covers the callback and the start of an invitation in every spelling', async () => {
    for (let count = 0; count < 10; count++) await send('/sign-in')
    for (const target of [
      '/sign-in/callback?state=x&code=y',
      '/Sign-In/Callback?state=x',
      '/sign-in/callback/?state=x',
      '/invite',
      '/Invite/token',
      '/INVITE/token/',
      '/invite/token/start',
      '/Invite/token/START/',
      `${running.url}/Sign-In`,
      'http://elsewhere.example/Sign-In',
    ])
      expect((await send(target)).status, target).toBe(429)
  })

  it.each([
    '//sign-in',
    '/%73ign-in',
    '/sign-in/.',
    '/./sign-in',
    '/sign-in;x',
    '/sign-in%2F',
    '/x/../sign-in',
  ])('%s is no route, so it writes nothing', async (target) => {
    const { location } = await send(target)
    expect(location ?? '/sign-in').toMatch(/^\/sign-in/)
    expect(await kept()).toBe(0)
  })

  it.each(['HEAD', 'POST', 'PUT', 'OPTIONS', 'DELETE'])('%s of it writes nothing', async (method) => {
    await send('/sign-in', { method })
    await send('/Sign-In/', { method })
    expect(await kept()).toBe(0)
  })
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('the other routes that anyone can ask for work', () => {
  it('limit signing out, apart from signing in', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 14; count++)
      statuses.push((await send(count % 2 ? '/Sign-Out' : '/sign-out/', { method: 'POST' })).status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(10)
    expect(statuses.slice(10)).toEqual([429, 429, 429, 429])
    expect((await send('/sign-in')).status).toBe(303)
  })

  it('limit stopping reminders, and leave signing in alone', async () => {
    const token = await createInvitations({
      secrets: [running.env['SESSION_SECRET'] ?? ''],
      audience: running.url,
      now: Date.now,
    }).issue({ email: 'ada@acme.example', datasources: [] }, 14)
    const statuses: number[] = []
    for (let count = 0; count < 14; count++) {
      const path = count % 2 ? `/invite/${token}/opt-out` : `/Invite/${token}/Opt-Out/`
      statuses.push((await send(path, { method: 'POST', headers: form, body: 'a=b' })).status)
    }
    expect(statuses.slice(10)).toEqual([429, 429, 429, 429])
    expect(statuses.slice(0, 10)).not.toContain(429)
    expect((await send('/sign-in')).status).toBe(303)
  })

  it('limit logout tokens that are refused, and no others', async () => {
    const post = (target: string) =>
      send(target, { method: 'POST', headers: form, body: 'logout_token=eyJhbGciOiJSUzI1NiJ9.e30.x' })
    for (let count = 0; count < 10; count++) expect((await post('/sign-out/backchannel')).status).toBe(400)
    expect((await post('/Sign-Out/Backchannel/')).status).toBe(429)
  })

  it('take a good logout token from an address that has sent too many others', async () => {
    await signInWithout(running)
    for (let count = 0; count < 12; count++)
      await send('/sign-out/backchannel', { method: 'POST', headers: form, body: 'logout_token=a.b.c' })
    await running.sandbox.endSessions('ada')
    expect(running.sandbox.logouts().map(({ status }) => status)).toEqual([200])
  })

  it('do not count logout tokens that are accepted', async () => {
    for (let count = 0; count < 12; count++) {
      await signInWithout(running)
      await running.sandbox.endSessions('ada')
    }
    const answers = running.sandbox.logouts().map(({ status }) => status)
    expect(answers.length).toBeGreaterThanOrEqual(12)
    expect(new Set(answers)).toEqual(new Set([200]))
  })
})

/** A sign-in after the counts were cleared: only the logouts count here. */
async function signInWithout(of: Running): Promise<TestBrowser> {
  const keys = [...(await redis.dump()).keys()].filter((key) => /:limit:(address|browser|sign-in)/.test(key))
  for (const key of keys) await redis.ask('DEL', key)
  return await signIn(of, 'ada')
}
