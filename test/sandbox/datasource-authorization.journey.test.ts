// The authorization of a datasource: the link, the consent page on its own origin, and the return. test/journeys covers
// slow consents, people who never return, and lost parameters.
import { expect, it, vi } from 'vitest'
import { TestBrowser } from '../helpers/test-browser.ts'
import { authorizationAddress, check, sharedSandbox } from './client-calls.ts'
import { walk } from './sign-in.ts'

const destination = 'https://client.example/back?step=1&of=%2F'
const tenantRedirectUrl = 'https://intranet.example/welcome'

const sandbox = await sharedSandbox({ paths: { service: '/tenant/a' }, hosts: { datasource: '127.0.0.2' } })

const open = (address: string) => walk(new TestBrowser(), address)

const consentFor = async (person: string, instance: string, url?: string) =>
  open(await authorizationAddress(sandbox, person, instance, url))

/** Ada's decision about Slack. @returns the URL at the end */
async function answer(decision: 'allow' | 'deny', url: string | undefined = destination) {
  const consent = await consentFor('ada', 'slack_1', url)
  return await walk(new TestBrowser(), `${consent.url}/${decision}`, {})
}

const state = () => sandbox.state('ada')['slack_1']

it('the consent page has its own origin, and names datasource and person', async () => {
  const page = await consentFor('ada', 'gdrive_1', destination)
  expect(page.url).toContain(`${sandbox.urls.datasource}/consent/`)
  for (const text of ['Google Drive', 'ada@acme.example', 'for development only'])
    expect(page.body).toContain(text)
  expect(page.headers['content-security-policy']).not.toContain('form-action')
})

it('the consent page accepts one decision', async () => {
  const { url } = await consentFor('ada', 'slack_1', destination)
  await walk(new TestBrowser(), `${url}/deny`, {})
  expect((await walk(new TestBrowser(), `${url}/allow`, {})).status).toBe(410)
  expect(state()).toBe('waiting')
})

it('the journal names a client that adds to the given path, against rule 2', async () => {
  const began = () => sandbox.requests.filter(({ operation }) => operation === 'authDatasource').at(-1)
  for (const added of ['final_redirect_url=https%3A%2F%2Fclient.example', 'token=again', 'utm=1']) {
    await open(`${await authorizationAddress(sandbox, 'ada', 'slack_1', destination)}&${added}`)
    expect(began()?.mistake).toContain(`added ${added.split('=')[0]} to authUrlRelativePath`)
  }
  const page = await fetch(sandbox.urls.control)
  expect(await page.text()).toContain('The client added final_redirect_url to authUrlRelativePath')
  await consentFor('ada', 'slack_1', destination)
  expect(began()).not.toHaveProperty('mistake')
})

it('a person who allows access is redirected to the destination and has authorized the datasource', async () => {
  expect((await answer('allow')).url).toBe(destination)
  expect((await check(sandbox, 'ada')).map((entry) => entry.datasourceInstance)).not.toContain('slack_1')
  sandbox.unauthorize('ada', 'slack_1')
  expect((await answer('allow', 'myapp://done')).url).toBe('myapp://done')
})

it('autoConsent needs one redirect only', async () => {
  sandbox.switches.set({ autoConsent: true })
  const address = await authorizationAddress(sandbox, 'eve', 'custom space/%2F?#&_1', destination)
  const response = await fetch(address, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, destination])
  expect(sandbox.state('eve')['custom space/%2F?#&_1']).toBe('authorized')
})

it('the destination is the request’s, else the tenant’s, else the landing page', async () => {
  const page = await walk(new TestBrowser(), `${(await consentFor('ada', 'slack_1')).url}/deny`, {})
  expect(page.url).toBe(`${sandbox.urls.service}/`)
  expect(page.body).toContain('web app')
  sandbox.switches.set({ tenantRedirectUrl })
  const { url } = await consentFor('ada', 'slack_1')
  expect((await walk(new TestBrowser(), `${url}/deny`, {})).url).toBe(tenantRedirectUrl)
  expect((await answer('deny')).url).toBe(destination)
})

it('a later check for the same person voids the link, one for another person doesn’t', async () => {
  const earlier = await authorizationAddress(sandbox, 'ada', 'slack_1', destination)
  const other = await authorizationAddress(sandbox, 'bob', 'slack_1', destination)
  await check(sandbox, 'ada')
  expect([(await open(earlier)).status, (await open(other)).status]).toEqual([410, 200])
})

it('the link expires after five minutes', async () => {
  const address = await authorizationAddress(sandbox, 'ada', 'slack_1', destination)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
  expect((await open(address)).status).toBe(410)
  vi.useRealTimers()
})

it('the link is valid only for its datasource and its destination', async () => {
  const address = await authorizationAddress(sandbox, 'ada', 'slack_1', destination)
  expect((await open(address.replace('slack_1', 'github_1'))).status).toBe(410)
  const changed = new URL(address)
  changed.searchParams.set('redirect', Buffer.from('https://evil.example').toString('base64url'))
  expect((await open(changed.href)).status).toBe(410)
  expect((await open(address)).status).toBe(200)
})
