// A change of OIDC_ISSUER, one server after the other, on one Redis: pages work at both, sign-ins start over if
// necessary, and no token goes to the other authorization server.
import { beforeAll, expect, it } from 'vitest'
import { get, startTwo } from './two-processes.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { shared } from '../helpers/shared.ts'

const twoProcesses = shared(() => startTwo())
beforeAll(async () => {
  const { processes, sandbox } = twoProcesses
  await processes[1].end('SIGTERM')
  await twoProcesses.startAgain(1, { OIDC_ISSUER: sandbox.urls.externalIdp, TOKEN_ISSUED_BY: 'external-idp' })
})

const serverAt = (which: Server) => twoProcesses.processes[which === 'old' ? 0 : 1].url

type Server = 'old' | 'new'

/** Signs in. @param backAt the server that gets the callback, as if chosen by a load balancer */
async function signIn(beginsAt: Server, backAt: Server, person = 'ada', browser = new TestBrowser()) {
  await browser.open(`${serverAt(beginsAt)}/onboarding`)
  let hop = await browser.post(browser.page.url, { person }, { follow: false })
  while (hop.location?.includes('/sign-in/callback') === false)
    hop = await browser.open(new URL(hop.location, hop.url).href, { follow: false })
  const callback = hop.location?.replace(twoProcesses.url, serverAt(backAt)) ?? ''
  return { browser, hop: await browser.open(callback, { follow: false }) }
}

const AGAIN = { status: 303, location: '/sign-in?return_to=%2Fonboarding' }

it.each<[Server, Server]>([
  ['old', 'new'],
  ['new', 'old'],
])('a session of the %s issuer works until its tokens are refreshed', async (own, other) => {
  const { browser, hop } = await signIn(own, own)
  expect(hop.location).toBe('/onboarding')
  for (const which of [own, other, own, other])
    for (const path of ['/onboarding', '/search?q=plan'])
      expect(await get(serverAt(which), browser, path), which).toMatchObject({ status: 200 })
  const { sandbox } = twoProcesses
  sandbox.expireTokens()
  sandbox.clearRequests()
  expect(await get(serverAt(other), browser)).toEqual(AGAIN)
  expect(await get(serverAt(own), browser)).toEqual(AGAIN)
  expect(sandbox.count('token')).toBe(0)
  // The walk continues after the new sign-in.
  expect((await signIn(other, other, 'ada', browser)).hop.location).toBe('/onboarding')
  expect(await get(serverAt(other), browser)).toMatchObject({ status: 200 })
})

it.each<[Server, Server]>([
  ['old', 'new'],
  ['new', 'old'],
])('a sign-in that returns to another server starts over (%s to %s)', async (begins, ends) => {
  twoProcesses.sandbox.clearRequests()
  const { hop } = await signIn(begins, ends)
  expect([hop.status, hop.location]).toEqual([303, '/sign-in?return_to=%2Fonboarding&again=1'])
  expect(twoProcesses.sandbox.count('token')).toBe(0)
})

it('an app skipped at the former identity provider is still skipped at the new one', async () => {
  const { browser } = await signIn('old', 'old', 'bob')
  await browser.open(`${serverAt('old')}/onboarding`)
  await browser.post(`${serverAt('old')}/onboarding/skip/slack_1`)
  expect(browser.text).toContain('Skipped')
  const later = await signIn('new', 'new', 'bob')
  await later.browser.open(`${serverAt('new')}/onboarding`)
  expect(later.browser.text).toContain('Skipped')
})
