// Signing out in one tab, while others of the same browser are open; and signing out another browser from /sessions.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectSignedIn, runUnlimited, setFaults } from '../helpers/faulty.ts'
import { chooseAccount, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { ask } from './two-processes.ts'
import { signInThere, start } from './at-plain-server.ts'
import { t } from '../helpers/texts.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

/** Ada has come back from an app that does not show as connected yet. @returns where the page loads itself again */
async function waiting(): Promise<{ browser: TestBrowser; again: string }> {
  const browser = await signIn(running, 'ada')
  await browser.click('/onboarding/connect')
  await browser.submit(`${new URL(browser.page.url).pathname}/deny`)
  return { browser, again: /url=(.*)/.exec(browser.page.headers['refresh'] ?? '')?.[1] ?? '' }
}

/** What the authorization server was asked for at each sign-in that started. */
const prompts = () =>
  running.sandbox.requests
    .filter(
      ({ operation, body }) => operation === 'par' || (operation === 'authorization' && body === undefined),
    )
    .map(({ query, body }) => query['prompt'] ?? (body as Record<string, string> | undefined)?.['prompt'])
const loadsItself = (browser: TestBrowser, path: string) =>
  browser.open(running.url + path, { from: `${running.url}/onboarding/callback` })

describe('a page that waits while its person signs out in another tab', () => {
  it('signs no one in by loading itself again: it offers the sign-in, which leads back to it', async () => {
    const { browser, again } = await waiting()
    // What its script goes on to, too.
    expect(browser.page.body).toMatch(/data-go="[^"]*unattended=yes"/)
    await browser.submit('/sign-out')
    running.sandbox.clearRequests()

    await loadsItself(browser, again)

    expect(prompts()).toEqual([])
    expect(browser.page.status).toBe(401)
    expect(browser.page.headers['refresh']).toBeUndefined()
    expect(browser.text).toContain(t('problem.signed_out.title'))
    await loadsItself(browser, '/sign-out/continue')
    expect(running.sandbox.count('endSession')).toBe(1)
    expect(browser.text).toContain('You’re signed out The apps you’ve')
    await loadsItself(browser, again)
    await browser.click('/sign-in?')
    await chooseAccount(running, browser, 'ada')
    expect(browser.page.url).toContain('/onboarding/callback?step=')
    expect(browser.page.status).toBe(200)
  })

  it('is signed in at once where the person comes back from an app instead', async () => {
    const { browser, again } = await waiting()
    browser.clearCookies(running.url)
    await signIn(running, 'ada', '/onboarding', browser)
    const [back = ''] = again.split('&')
    browser.setCookie(running.url, 'onramp', 'gone')
    await browser.open(running.url + back)
    expect(browser.page.url).not.toContain('/sign-in')
    expect(browser.page.status).toBe(200)
  })
})

describe('a sign-in in another tab while this one signs out', () => {
  it('asks for the person, and is what counts from then on', async () => {
    const browser = await signIn(running, 'ada')
    await browser.submit('/sign-out')
    running.sandbox.clearRequests()

    await browser.open(`${running.url}/onboarding`)
    expect(prompts()).toEqual(['login'])
    expect(browser.page.url).toContain(running.sandbox.urls.authorizationServer)
    await chooseAccount(running, browser, 'ada')
    await expectSignedIn(running, browser)
    await browser.open(`${running.url}/sign-out`)
    expect(browser.page.url).toBe(`${running.url}/signed-out`)
    expect(browser.text).toContain(t('signedOut.leadAgain'))
    expect(browser.text).not.toContain('You’re signed out')

    await loadsItself(browser, '/sign-out/continue')
    expect(browser.text).toContain(t('signedOut.leadAgain'))
    await expectSignedIn(running, browser)
  })
})

describe('a double click on "Sign out"', () => {
  it('still leads to the authorization server, whichever answer the browser follows', async () => {
    const browser = await signIn(running, 'ada')
    const headers = { cookie: browser.cookieHeader(running.url), 'sec-fetch-site': 'same-origin' }
    const post = () =>
      fetch(`${running.url}/sign-out`, { method: 'POST', headers, redirect: 'manual', body: '' })
    running.sandbox.switches.set({ latencyMs: { revocation: 200 } })
    const first = post()
    await sleep(100)
    const answers = await Promise.all([first, post(), post()])
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    for (const { headers } of answers) {
      // The mark of a sign-out, and no cookie of a session.
      expect(headers.getSetCookie().filter((cookie) => /^onramp=[^;]/.test(cookie))).toEqual([])
      await browser.open(running.url + headers.get('location'))
      expect(browser.page.headers['refresh']).toBe('3; url=/sign-out/continue')
      expect(browser.text).toContain(t('signingOut.action'))
    }
  })
})

describe('the sign-in after signing out', () => {
  it('asks for the person once where the authorization server goes on knowing them', async () => {
    setFaults(running, { metadata: { end_session_endpoint: null } })
    await running.restart()
    const browser = await signIn(running, 'ada')
    await browser.submit('/sign-out')
    await browser.post(`${running.url}/sign-out`)
    running.sandbox.clearRequests()
    await browser.click('/onboarding')
    await chooseAccount(running, browser, 'ada')
    await expectSignedIn(running, browser)
    await browser.open(`${running.url}/sign-in`)
    expect(prompts()).toEqual(['login', undefined])
    running.sandbox.reset()
    await running.restart()
  })

  it('works at a server that refuses to ask for the person', async () => {
    const { running: there, server } = await start({
      '/authorize': ({ query, res }) => {
        const back = new URL(query.get('redirect_uri') ?? '')
        const state = query.get('state') ?? ''
        const answer = query.has('prompt') ? { error: 'invalid_request', state } : { code: 'made-up', state }
        back.search = new URLSearchParams(answer).toString()
        res.writeHead(302, { location: back.href }).end()
      },
    })
    const { '/authorize': refusing, ...others } = server.answers
    server.answers = others
    const browser = await signInThere(there)
    await browser.post(`${there.url}/sign-out`, {}, { from: there.url })
    server.answers = { '/authorize': refusing as NonNullable<typeof refusing> }
    const hop = await browser.open(`${there.url}/sign-in`)
    const asked = browser.hops.filter(({ url }) => url.startsWith(`${server.url}/authorize`))
    expect(asked.slice(-2).map(({ url }) => new URL(url).searchParams.get('prompt'))).toEqual(['login', null])
    // The made-up code is what fails then.
    expect(hop.url).toContain('code=made-up')
  })
})

describe('a browser that was signed out from another one', () => {
  it('is not signed in again before its person was asked for, and then is as before', async () => {
    const [left, here] = [await signIn(running, 'carol'), await signIn(running, 'carol')]
    await here.open(`${running.url}/sessions`)
    await here.submit('/sessions/end/')
    running.sandbox.clearRequests()

    for (const path of ['/onboarding', '/onboarding', '/sign-in?prompt=select_account']) {
      await left.open(running.url + path)
      expect(left.page.url).toContain(running.sandbox.urls.authorizationServer)
      expect((await ask(running.url, left)).status).toBe(303)
    }
    expect(prompts()).toEqual(['login', 'login', 'login'])
    await chooseAccount(running, left, 'carol')
    await expectSignedIn(running, left)
    await expectSignedIn(running, here)
    await left.open(`${running.url}/sign-in`)
    expect(prompts().at(-1)).toBeUndefined()
  })
})
