// What LOG_LEVEL=debug says about signing in and refreshing: each decision, and nothing that opens anything.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runUnlimited, setFaults } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterAll(() => running.close())

type Line = { level: number; msg: string; outcome?: string; restarts?: number }

const decisions = () =>
  running.log
    .flatMap((text) => text.trim().split('\n'))
    .map((text) => JSON.parse(text) as Line)
    .filter(({ level, msg }) => level === 20 && /^(sign-in|refresh):/.test(msg))

it('the log names each decision of a sign-in and of a refresh at LOG_LEVEL=debug', async () => {
  const browser = await signIn(running, 'ada')
  expect(decisions()).toEqual([
    expect.objectContaining({ msg: 'sign-in: a browser asks to sign in', restarts: 0 }),
    expect.objectContaining({ msg: 'sign-in: the authorization server has answered', outcome: 'signed-in' }),
  ])
  await browser.open(`${running.url}/sign-in/callback?state=0.unknown`)
  expect(decisions().at(-1)?.msg).toBe('sign-in: an answer to no sign-in that is known')

  setFaults(running, { token: { expiresIn: 0 } })
  const bob = await signIn(running, 'bob')
  setFaults(running, { token: { grant: 'refresh_token', error: 'invalid_grant' } })
  await bob.open(`${running.url}/onboarding`, { follow: false })
  expect(decisions().at(-1)?.msg).toBe(
    'refresh: the authorization server says invalid_grant, so the sign-in ends',
  )

  const everything = JSON.stringify(decisions())
  // Random letters may spell a short name: names are looked for with what stands beside them.
  expect(everything).not.toMatch(/acme\.example|\bada\b|\bbob\b/)
  const values = [...browser.hops, ...bob.hops].flatMap(({ location, url }) => [
    ...new URL(location ?? '/', url).searchParams.values(),
  ])
  expect(values.some((value) => value.length >= 16)).toBe(true)
  for (const value of values.filter(({ length }) => length >= 16)) expect(everything).not.toContain(value)
})
