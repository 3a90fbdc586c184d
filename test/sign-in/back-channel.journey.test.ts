// Back-channel logout: one test for each module of the OpenID Foundation's suite
// (oidcc-client-test-rp-backchannel-rpinitlogout…), and what else a token that ends sign-ins has to be.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { expectSignedIn, expectSignedOut, runUnlimited } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { signInAt, startTwo, type TwoProcesses } from './two-processes.ts'

type SentLogout = ReturnType<Sandbox['logouts']>[number]

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

/** The authorization server ends a person's sessions and tells us. @returns what we said */
async function logout(person: string): Promise<SentLogout> {
  const before = running.sandbox.logouts().length
  await running.sandbox.endSessions(person)
  const sent = running.sandbox.logouts().slice(before)
  expect(sent).toHaveLength(1)
  return sent[0] as SentLogout
}

describe('a logout token', () => {
  it('ends the session that it names, at once', async () => {
    const browser = await signIn(running, 'ada')
    const sent = await logout('ada')
    expect(sent.status).toBe(200)
    await expectSignedOut(running, browser)
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
    two.sandbox.switches.set({ faults: { logoutToken: 'noSid' } })
    await two.sandbox.endSessions('ada')
    expect(two.sandbox.logouts()[0]?.status).toBe(200)
    for (const { url } of two.processes) {
      for (const browser of browsers) await expectSignedOut({ url }, browser)
      await expectSignedIn({ url }, bystander)
    }
    const again = await signInAt(two, 'ada')
    for (const { url } of two.processes) await expectSignedIn({ url }, again)
  })
})
