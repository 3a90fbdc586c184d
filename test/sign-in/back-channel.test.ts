// Back-channel logout: one test for each module of the OpenID Foundation's suite
// (oidcc-client-test-rp-backchannel-rpinitlogout…), and what else a token that ends sign-ins has to be.
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/control/fault-switches.ts'
import type { SentLogout } from '../../packages/sandbox/src/provider/sessions.ts'
import { asymmetric } from '../../src/sign-in/sign-out/logout-token.ts'
import { expectSignedIn, expectSignedOut, runUnlimited, setFaults } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { signInAt, startTwo, type TwoProcesses } from './two-processes.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

/** The authorization server ends a person's sessions and tells us. @returns what we said */
async function logout(person: string, logoutToken?: Faults['logoutToken']): Promise<SentLogout> {
  setFaults(running, logoutToken === undefined ? {} : { logoutToken })
  const before = running.sandbox.logouts().length
  await running.sandbox.endSessions(person)
  const sent = running.sandbox.logouts().slice(before)
  expect(sent).toHaveLength(1)
  return sent[0] as SentLogout
}

describe('a logout token', () => {
  it('is never verified with a secret or with nothing, whatever the metadata lists', () => {
    expect(asymmetric(['none', 'HS256', 'hs512', 'ES256', 'PS256'])).toEqual(['ES256', 'PS256'])
    expect(asymmetric(undefined)).toEqual(['RS256'])
  })

  it('ends the session that it names, at once', async () => {
    const browser = await signIn(running, 'ada')
    const sent = await logout('ada')
    expect(sent.status).toBe(200)
    await expectSignedOut(running, browser)
  })

  it.each([
    ['that is not signed (alg none)', 'algNone'],
    ['signed with a secret (wrong alg)', 'wrongAlg'],
    ['with a signature that is not one', 'badSignature'],
    ['for another client', 'wrongAud'],
    ['of another issuer', 'wrongIss'],
    ['about another event', 'wrongEvent'],
    ['about no event', 'noEvent'],
    ['with a nonce', 'withNonce'],
    ['that names neither a person nor a session', 'noSubNorSid'],
    ['without an id of its own', 'noJti'],
    ['that does not say when it was made', 'noIat'],
    ['that is an hour old', 'oldIat'],
    ['of another type', 'wrongTyp'],
    ['that is sent as JSON', 'asJson'],
  ] as const)('%s ends nothing', async (_what, fault) => {
    const browser = await signIn(running, 'ada')
    const sent = await logout('ada', fault)
    expect(sent.status).toBe(400)
    expect(JSON.parse(sent.answer)).toMatchObject({ error: 'invalid_request' })
    await expectSignedIn(running, browser)
    expect(running.log.join('')).not.toContain(sent.token)
  })

  it('in a body that is too large ends nothing', async () => {
    const browser = await signIn(running, 'ada')
    expect((await logout('ada', 'tooLarge')).status).toBe(413)
    await expectSignedIn(running, browser)
  })

  it('that comes a second time ends nothing, also not a sign-in that was made since', async () => {
    await signIn(running, 'bob')
    const sent = await logout('bob')
    expect(sent.status).toBe(200)
    const browser = await signIn(running, 'bob')
    const again = await request(sent.to, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: sent.token }).toString(),
    })
    expect(again.statusCode).toBe(400)
    await again.body.dump()
    await expectSignedIn(running, browser)
  })

  it('is needed: a request without one, or with two, ends nothing', async () => {
    for (const body of ['', 'logout_token=', 'logout_token=a&logout_token=b', 'x=1', 'logout_token=a.b.c']) {
      const answer = await request(`${running.url}/sign-out/backchannel`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      })
      expect(answer.statusCode).toBe(400)
      expect(answer.headers['cache-control']).toBe('no-store')
      await answer.body.dump()
    }
  })

  it.each([
    ['without a sub', 'sidOnly'],
    ['with both', undefined],
  ] as const)('%s ends the sign-ins of that session, and not the person elsewhere', async (_what, named) => {
    const [one, other, sibling] = [
      await signIn(running, 'dan'),
      await signIn(running, 'dan'),
      new TestBrowser(),
    ]
    const { authorizationServer } = running.sandbox.urls
    for (const cookie of one.cookieHeader(authorizationServer).split('; '))
      sibling.setCookie(
        authorizationServer,
        cookie.split('=')[0] ?? '',
        cookie.slice(cookie.indexOf('=') + 1),
      )
    await sibling.open(`${running.url}/onboarding`)
    await expectSignedIn(running, sibling)
    setFaults(running, named === undefined ? {} : { logoutToken: named })
    await one.submit('/sign-out')
    await one.click('/sign-out/continue')
    expect(running.sandbox.logouts().at(-1)?.status).toBe(200)
    await expectSignedOut(running, sibling)
    await expectSignedIn(running, other)
  })
})

describe('over two processes', () => {
  let two: TwoProcesses
  beforeAll(async () => {
    two = await startTwo()
  })
  afterAll(() => two.close())

  it('a token with a sub alone ends all sessions of the person, and a later sign-in works', async () => {
    const browsers = [await signInAt(two, 'ada'), await signInAt(two, 'ada')]
    const bystander = await signInAt(two, 'bob')
    for (const { url } of two.processes)
      for (const browser of [...browsers, bystander]) await expectSignedIn({ url }, browser)
    two.sandbox.switches.set({ faults: { logoutToken: 'subOnly' } })
    await two.sandbox.endSessions('ada')
    expect(two.sandbox.logouts()[0]?.status).toBe(200)
    for (const { url } of two.processes) {
      for (const browser of browsers) await expectSignedOut({ url }, browser)
      await expectSignedIn({ url }, bystander)
    }
    const again = await signInAt(two, 'ada')
    for (const { url } of two.processes) await expectSignedIn({ url }, again)
  })

  it('a token that one process has taken is refused by the other', async () => {
    await signInAt(two, 'carol')
    await two.sandbox.endSessions('carol')
    const sent = two.sandbox.logouts().at(-1) as SentLogout
    const answer = await request(`${two.processes[1].url}/sign-out/backchannel`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: sent.token }).toString(),
    })
    expect(answer.statusCode).toBe(400)
    await answer.body.dump()
  })

  it('a token that could not be acted on, because the store failed, may be sent again', async () => {
    const browser = await signInAt(two, 'dan')
    const lists = [...(await two.redis.dump())].filter(([key]) => key.includes('sessions-of:'))
    for (const [key] of lists) {
      await two.redis.ask('DEL', key)
      await two.redis.ask('RPUSH', key, 'not a text')
    }
    await two.sandbox.endSessions('dan')
    const sent = two.sandbox.logouts().at(-1) as SentLogout
    expect(sent.status).toBe(503)
    for (const [key, text] of lists) await two.redis.ask('SET', key, text, 'EX', '3600')
    const answer = await request(sent.to, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: sent.token }).toString(),
    })
    expect(answer.statusCode).toBe(200)
    await answer.body.dump()
    await expectSignedOut({ url: two.url }, browser)
  })
})
