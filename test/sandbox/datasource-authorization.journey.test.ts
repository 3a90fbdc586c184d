// Authorizing a datasource: the link, the consent page on its own origin, and the way back.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { authorizationAddress, check } from './client-calls.ts'
import { createPlainBrowser, type Visit } from './plain-browser.ts'

const destination = 'https://client.example/back?step=1&of=%2F'
const atDestination = (url: string) => !url.startsWith('http://127.0.0.')
const tenantRedirectUrl = 'https://intranet.example/welcome'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ basePath: '/tenant/a', hosts: { datasource: '127.0.0.2' } })
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

async function answer(
  personId: string,
  instance: string,
  answer: 'allow' | 'deny',
  url?: string,
): Promise<Visit> {
  const browser = createPlainBrowser()
  const consent = await browser.open(await authorizationAddress(sandbox, personId, instance, url))
  return browser.submit(`${consent.url}/${answer}`, {}, atDestination)
}

async function open(address: string): Promise<number> {
  return (await createPlainBrowser().open(address, atDestination)).status
}

describe('the consent page', () => {
  it('is on an origin of its own and names the datasource and the person', async () => {
    const address = await authorizationAddress(sandbox, 'ada', 'gdrive_1', destination)
    const page = await createPlainBrowser().open(address)
    expect(page.url).toContain(`${sandbox.urls.datasource}/consent/`)
    expect(page.text).toContain('Google Drive')
    expect(page.text).toContain('ada@acme.example')
    expect(page.text).toContain('for development only')
  })

  it('lets a form end at another origin', async () => {
    const page = await createPlainBrowser().open(await authorizationAddress(sandbox, 'ada', 'gdrive_1'))
    expect(page.headers.get('content-security-policy')).not.toContain('form-action')
  })

  it('escapes names that could break it', async () => {
    const page = await createPlainBrowser().open(await authorizationAddress(sandbox, 'eve', 'sharepoint'))
    expect(page.text).toContain('&lt;img src=x')
    expect(page.text).not.toContain('<img')
  })

  it('can be answered once', async () => {
    const browser = createPlainBrowser()
    const page = await browser.open(await authorizationAddress(sandbox, 'ada', 'slack_1', destination))
    await browser.submit(`${page.url}/deny`, {}, atDestination)
    expect((await browser.submit(`${page.url}/allow`, {}, atDestination)).status).toBe(410)
    expect(sandbox.state('ada')['slack_1']).toBe('waiting')
  })
})

describe('the journal', () => {
  const began = () => sandbox.requests.filter(({ operation }) => operation === 'authDatasource').at(-1)

  it('shows a client that adds to the path it was given, contrary to rule 2', async () => {
    for (const added of ['final_redirect_url=https%3A%2F%2Fclient.example', 'token=again', 'utm=1']) {
      const address = await authorizationAddress(sandbox, 'ada', 'slack_1', destination)
      await createPlainBrowser().open(`${address}&${added}`)
      expect(began()?.mistake).toContain(`added ${added.split('=')[0]} to authUrlRelativePath`)
    }
    const page = await fetch(sandbox.urls.control)
    expect(await page.text()).toContain('The client added final_redirect_url to authUrlRelativePath')
  })

  it('shows no mistake of one that adds nothing', async () => {
    await createPlainBrowser().open(await authorizationAddress(sandbox, 'ada', 'slack_1', destination))
    await createPlainBrowser().open(await authorizationAddress(sandbox, 'ada', 'slack_1'))
    expect(began()).not.toHaveProperty('mistake')
  })
})

describe('the answer', () => {
  it('a person who allows is sent to the destination and has authorized the datasource', async () => {
    expect((await answer('ada', 'slack_1', 'allow', destination)).url).toBe(destination)
    expect((await check(sandbox, 'ada')).map((entry) => entry.datasourceInstance)).not.toContain('slack_1')
  })

  it('a person whose destination is a native app is sent there', async () => {
    const browser = createPlainBrowser()
    const consent = await browser.open(await authorizationAddress(sandbox, 'ada', 'slack_1', 'myapp://done'))
    const visit = await browser.submit(`${consent.url}/allow`, {}, atDestination)
    expect(visit.url).toBe('myapp://done')
  })

  it('a person who denies is sent to the same destination and has not', async () => {
    expect((await answer('ada', 'slack_1', 'deny', destination)).url).toBe(destination)
    expect(sandbox.state('ada')['slack_1']).toBe('waiting')
  })

  it('a consent can take a while to show', async () => {
    sandbox.switches.set({ consentDelaySeconds: 1.5 })
    await answer('ada', 'slack_1', 'allow', destination)
    expect(sandbox.state('ada')['slack_1']).toBe('settling')
    expect((await check(sandbox, 'ada')).map((entry) => entry.datasourceInstance)).toContain('slack_1')
    await expect.poll(() => sandbox.state('ada')['slack_1'], { timeout: 5000 }).toBe('authorized')
  })

  it('denyAll makes Allow behave like Deny', async () => {
    sandbox.switches.set({ denyAll: true })
    await answer('ada', 'slack_1', 'allow', destination)
    expect(sandbox.state('ada')['slack_1']).toBe('waiting')
  })

  it('neverReturn leaves people on a page that goes nowhere', async () => {
    sandbox.switches.set({ neverReturn: true })
    const page = await answer('ada', 'slack_1', 'allow', destination)
    expect(page.status).toBe(200)
    expect(sandbox.state('ada')['slack_1']).toBe('authorized')
  })

  it('autoConsent needs one redirect only', async () => {
    sandbox.switches.set({ autoConsent: true })
    const address = await authorizationAddress(sandbox, 'eve', 'custom space/%2F?#&_1', destination)
    const response = await fetch(address, { redirect: 'manual' })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(destination)
    expect(sandbox.state('eve')['custom space/%2F?#&_1']).toBe('authorized')
  })
})

describe('the destination', () => {
  it('is that of the request before that of the tenant', async () => {
    sandbox.switches.set({ tenantRedirectUrl })
    expect((await answer('ada', 'slack_1', 'allow', destination)).url).toBe(destination)
  })

  it('is that of the tenant when the request names none', async () => {
    sandbox.switches.set({ tenantRedirectUrl })
    expect((await answer('ada', 'slack_1', 'allow')).url).toBe(tenantRedirectUrl)
  })

  it("is the service's landing page when neither is set", async () => {
    const page = await answer('ada', 'slack_1', 'allow')
    expect(page.url).toBe(`${sandbox.urls.service}/`)
    expect(page.text).toContain('web app')
  })

  it('can lose its query', async () => {
    sandbox.switches.set({ dropParams: true })
    expect((await answer('ada', 'slack_1', 'allow', destination)).url).toBe('https://client.example/back')
  })

  it('can gain parameters, even ones that lie', async () => {
    sandbox.switches.set({ returnParams: { status: 'success' } })
    const { searchParams } = new URL((await answer('ada', 'slack_1', 'deny', destination)).url)
    expect(Object.fromEntries(searchParams)).toEqual({ step: '1', of: '/', status: 'success' })
  })

  it('cannot be changed on the way', async () => {
    const address = new URL(await authorizationAddress(sandbox, 'ada', 'slack_1', destination))
    address.searchParams.set('redirect', Buffer.from('https://evil.example').toString('base64url'))
    expect(await open(address.href)).toBe(403)
  })
})

describe('the link', () => {
  it('works once', async () => {
    const address = await authorizationAddress(sandbox, 'ada', 'slack_1', destination)
    expect(await open(address)).toBe(200)
    expect(await open(address)).toBe(410)
  })

  it('is void after a later check for the same person, and not after one for another', async () => {
    const earlier = await authorizationAddress(sandbox, 'ada', 'slack_1', destination)
    await check(sandbox, 'bob')
    const other = await authorizationAddress(sandbox, 'bob', 'slack_1', destination)
    await check(sandbox, 'ada')
    expect(await open(earlier)).toBe(403)
    expect(await open(other)).toBe(200)
  })

  it('stays good after a later check when the switch says so', async () => {
    sandbox.switches.set({ voidEarlierTokens: false })
    const earlier = await authorizationAddress(sandbox, 'ada', 'slack_1', destination)
    await check(sandbox, 'ada')
    expect(await open(earlier)).toBe(200)
  })

  it('expires', async () => {
    sandbox.switches.set({ authUrlSeconds: 0 })
    expect(await open(await authorizationAddress(sandbox, 'ada', 'slack_1', destination))).toBe(403)
  })

  it('is good for its own datasource only', async () => {
    const address = await authorizationAddress(sandbox, 'ada', 'slack_1')
    expect(await open(address.replace('slack_1', 'github_1'))).toBe(403)
  })

  it('can be slow at its first hop', async () => {
    sandbox.switches.set({ firstHopDelayMs: 150 })
    const address = await authorizationAddress(sandbox, 'ada', 'slack_1')
    const start = performance.now()
    await open(address)
    expect(performance.now() - start).toBeGreaterThan(140)
  })
})
