// "Not you?" at authorization servers that refuse prompt=select_account, or do nothing about it; and OIDC_PROMPT.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/control/fault-switches.ts'
import { expectSignedIn, keptSignIns, runUnlimited } from '../helpers/faulty.ts'
import { chooseAccount, signIn, type Running, type RunOptions } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
})

async function start(options: RunOptions = {}): Promise<Running> {
  const running = await runUnlimited(options)
  close = () => running.close()
  return running
}

const withoutPar: Faults = { metadata: { without: ['pushed_authorization_request_endpoint'] } }

const promptsOf = (running: Running) =>
  running.sandbox.requests
    .filter(({ operation, query, body }) => {
      const asked = operation === 'par' ? (body as object | undefined) : query
      return ['par', 'authorization'].includes(operation) && asked !== undefined && 'scope' in asked
    })
    .map(({ query, body }) => query['prompt'] ?? (body as Record<string, string> | undefined)?.['prompt'])

async function notMe(running: Running, faults: Faults): Promise<TestBrowser> {
  const browser = await signIn(running, 'ada', '/onboarding?datasource=jira_1')
  running.sandbox.switches.set({ faults })
  running.sandbox.clearRequests()
  await browser.click('/sign-in?prompt=select_account')
  return browser
}

describe('someone who presses "Not you?"', () => {
  it.each([
    ['at once, in a pushed request', {}],
    ['in the answer', withoutPar],
  ])('where select_account is refused (%s) is asked to sign in anew', async (_how, faults) => {
    const running = await start({ sandbox: { switches: { faults } } })
    const browser = await notMe(running, { ...faults, prompt: 'selectAccountRefused' })
    expect(browser.page.url).toContain(running.sandbox.urls.authorizationServer)
    expect(promptsOf(running).at(-1)).toBe('login')
    await chooseAccount(running, browser, 'bob')
    expect(browser.text).toContain('bob@acme.example')
  })

  it.each(['account_selection_required', 'interaction_required', 'invalid_request', 'made_up_error'])(
    'where the answer is %s each time is asked to sign in anew once, and then told that it failed',
    async (error) => {
      const running = await start({ sandbox: { switches: { faults: withoutPar } } })
      const browser = await notMe(running, {
        ...withoutPar,
        authorizationError: { error },
        prompt: 'ignored',
      })
      expect(promptsOf(running)).toEqual(['select_account', 'login'])
      expect(browser.page.status).toBeGreaterThanOrEqual(400)
      await expectSignedIn(running, browser)
    },
  )

  it('is asked without the address that a link names, which would contradict the wish', async () => {
    const running = await start({ sandbox: { switches: { faults: withoutPar } } })
    const hintsOf = () =>
      running.sandbox.requests.flatMap(({ operation, query }) =>
        operation === 'authorization' && 'scope' in query ? [query['login_hint']] : [],
      )
    const browser = new TestBrowser()
    await browser.open(`${running.url}/sign-in?login_hint=ada@acme.example`)
    for (const prompt of ['select_account', 'login'])
      await browser.open(`${running.url}/sign-in?login_hint=ada@acme.example&prompt=${prompt}`)
    expect(hintsOf()).toEqual(['ada@acme.example', undefined, undefined])
  })

  it('and cancels is not asked again', async () => {
    const running = await start()
    const browser = await notMe(running, {})
    await browser.post(browser.page.url, { cancel: 'yes' })
    expect(browser.page.status).toBe(403)
    expect(promptsOf(running)).toEqual(['select_account'])
  })

  it('where prompt is ignored is told who they still are, and what to do', async () => {
    const running = await start()
    const browser = await notMe(running, { prompt: 'ignored' })
    expect(promptsOf(running)).toEqual(['select_account', 'login'])
    expect(new URL(browser.page.url).pathname).toBe('/sign-in/same-account')
    expect(browser.text).toContain('You’re still signed in with the same account')
    expect(browser.text).toContain('ada@acme.example')
    expect(browser.text).toContain('private window')
    await browser.click('/onboarding')
    await expectSignedIn(running, browser)
  })

  it('and chooses another account is that person, without more questions', async () => {
    const running = await start()
    const browser = await notMe(running, {})
    await chooseAccount(running, browser, 'bob')
    expect(promptsOf(running)).toEqual(['select_account'])
    expect(browser.page.url).not.toContain('same-account')
    expect(browser.text).toContain('bob@acme.example')
  })

  it('and chooses another account leaves nothing of the sign-in before: no record, listed or not, and no tokens', async () => {
    const running = await start()
    const browser = await notMe(running, {})
    const database = new DatabaseSync(join(running.env['DATA_DIR'] ?? '', 'onramp.sqlite'))
    database.exec("DELETE FROM records WHERE key LIKE 'sessions-of:%'")
    database.close()
    const [before] = keptSignIns(running)
    await chooseAccount(running, browser, 'bob')
    await expectSignedIn(running, browser)
    const kept = keptSignIns(running)
    expect(kept).toHaveLength(1)
    expect(kept).not.toContain(before)
    await expect.poll(() => running.sandbox.count('revocation')).toBe(2)
  })

  it('and stays who they are keeps the tokens of the sign-in that is left', async () => {
    const running = await start()
    const browser = await notMe(running, {})
    await chooseAccount(running, browser, 'ada')
    await chooseAccount(running, browser, 'ada')
    await expectSignedIn(running, browser)
    expect(running.sandbox.count('revocation')).toBe(0)
  })

  it('is not led to another site by the page about the same account', async () => {
    const running = await start()
    const browser = await signIn(running, 'ada')
    await browser.open(`${running.url}/sign-in/same-account?return_to=https://evil.example/`)
    expect(browser.page.status).toBe(200)
    expect(browser.page.body).not.toContain('evil.example')
  })
})

describe('OIDC_PROMPT', () => {
  it('goes out with every sign-in, and beside what a person wishes', async () => {
    const running = await start({ settings: { OIDC_PROMPT: 'consent' } })
    await notMe(running, {})
    expect(promptsOf(running)).toEqual(['consent select_account'])
    running.sandbox.clearRequests()
    await signIn(running, 'bob')
    expect(promptsOf(running)).toEqual(['consent'])
  })

  it('is not needed where refresh tokens are issued; where none is, the log says what that means, once', async () => {
    const running = await start()
    const told = () => running.log.filter((line) => line.includes('no refresh token was issued'))
    await signIn(running, 'ada')
    expect(told()).toEqual([])
    running.sandbox.switches.set({ faults: { token: { withoutRefreshToken: true } } })
    await signIn(running, 'ada')
    await signIn(running, 'ada')
    expect(told().filter((line) => line.includes('"level":40'))).toHaveLength(1)
    expect(told()[0]).toContain('after 60 minutes people are sent to sign in again')
    expect(told()[0]).toContain('OIDC_PROMPT=consent')
  })
})

it('OIDC_AUTHORIZATION_PARAMS go out with every sign-in, and change nothing of ours', async () => {
  const running = await start({ settings: { OIDC_AUTHORIZATION_PARAMS: 'access_type=offline&hd=a%26b' } })
  const browser = await signIn(running, 'ada')
  await expectSignedIn(running, browser)
  const pushed = running.sandbox.requests.find(({ operation }) => operation === 'par')
  expect(pushed?.body).toMatchObject({
    access_type: 'offline',
    hd: 'a&b',
    redirect_uri: `${running.url}/sign-in/callback`,
    code_challenge_method: 'S256',
  })
})
