// Callbacks that sign no one in: forged, incomplete, replayed, from another browser, or with markup in their errors.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/switches.ts'
import {
  answerOf,
  beginSignIn,
  expectNothingSecret,
  expectRefused,
  expectSignedOut,
  failuresOf,
  runUnlimited,
  setFaults,
} from '../helpers/faulty.ts'
import { expectPage } from '../helpers/journey.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

const changed = (address: string, change: (parameters: URLSearchParams) => void) => {
  const url = new URL(address)
  change(url.searchParams)
  return url.href
}

it.each<[Faults['authorizationAnswer']]>([
  [{ iss: 'https://other-issuer.example' }],
  [{ iss: null }],
  [{ code: null }],
  [{ state: 'another-state' }],
  [{ state: null }],
])('a callback with %j signs no one in and redeems no code', async (authorizationAnswer) => {
  const browser = await beginSignIn(running)
  setFaults(running, { authorizationAnswer })
  expect((await expectRefused(running, browser)).status).toBe(400)
  expect(running.sandbox.count('token')).toBe(0)
})

it('a callback with two issuers, codes or states signs no one in', async () => {
  for (const name of ['iss', 'code', 'error', 'state']) {
    const browser = await beginSignIn(running)
    const address = await answerOf(running, browser)
    const twice = changed(address, (parameters) => {
      for (const value of [parameters.get(name) ?? 'access_denied', 'another']) parameters.append(name, value)
    })
    const page = await browser.open(twice)
    expectPage(page)
    expect(page.status, name).toBeLessThan(500)
    await expectSignedOut(running, browser)
  }
  expect(running.sandbox.count('token')).toBe(0)
})

it('the code of another sign-in signs no one in (PKCE)', async () => {
  const [one, other] = [await beginSignIn(running), await beginSignIn(running)]
  const stolen = new URL(await answerOf(running, other)).searchParams.get('code') ?? ''
  const address = await answerOf(running, one)
  const page = await one.open(changed(address, (parameters) => parameters.set('code', stolen)))
  expect(page.status).toBe(400)
  await expectSignedOut(running, one)
})

const description = '<script>alert(1)</script><b>bold</b>'
it.each([
  ['access_denied', 403],
  ['login_required', 403],
  ['server_error', 503],
  ['invalid_scope', 502],
  ['<b>', 400],
])('%s gets a page of its own, which repeats nothing of the server', async (error, status) => {
  const browser = await beginSignIn(running, '/onboarding?datasource=jira_1')
  setFaults(running, { authorizationAnswer: { code: null, error, error_description: description } })
  const page = await expectRefused(running, browser)
  expect(page.status).toBe(status)
  expect(page.body).not.toContain('alert')
  expect(page.body).not.toContain('<b>')
  expect(failuresOf(running).at(-1)?.msg).not.toContain('<')
  expect(running.sandbox.count('token')).toBe(0)
  expectNothingSecret(running, browser, page)
  running.sandbox.reset()
  await browser.open(`${running.url}/sign-in/callback?error=${encodeURIComponent(error)}`)
  expect(browser.page.status).toBe(400)
})
