// Back-channel logout with two processes on one Redis.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectSignedIn, expectSignedOut } from '../helpers/faulty.ts'
import { signInAt, startTwo, type TwoProcesses } from './two-processes.ts'

let two: TwoProcesses
beforeAll(async () => {
  two = await startTwo()
})
afterAll(() => two.close())

it('a logout token with a sub ends all sessions of the person in both processes, and later sign-ins work', async () => {
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
