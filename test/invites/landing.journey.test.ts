// Invitation links, opened by mail scanners, by the invited person and by others.
import { beforeEach, expect, it } from 'vitest'
import { chooseAccount, invite, run, signIn } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(() =>
  run({
    settings: { RETURN_TO_ORIGINS: 'https://intranet.acme.example', ADMIN_EMAILS: 'grace@acme.example' },
  }),
)

beforeEach(() => running.sandbox.reset())

const issue = (email = 'ada@acme.example', datasources: string[] = [], days = 14, at = Date.now()) =>
  invite(running, { email, datasources, days, at })

/** The requests to the service and its authorization server, except discovery at the start. */
const calls = () => running.sandbox.requests.filter(({ operation }) => operation !== 'discovery').length

/** The authorization request's parameters. */
const authorization = () => {
  const found = running.sandbox.requests.findLast(({ operation }) => operation === 'authorization')
  return { ...found?.query, ...(found?.body as Record<string, unknown> | undefined) } as Record<
    string,
    unknown
  >
}

/** Pages within ten seconds share one pass over the people. */
const SOON = { timeout: 18_000, interval: 1_000 }

it('an invitation opened by a mail scanner changes nothing and calls nothing, with any method', async () => {
  const url = `${running.url}/invite/${issue()}`
  const outlook = { 'user-agent': 'OneOutlook/1.0' }
  for (let times = 0; times < 10; times++) {
    const browser = new TestBrowser()
    const page = await browser.open(url, { headers: outlook })
    expect(page.status).toBe(200)
    expect(page.headers['set-cookie']).toBeUndefined()
    expect(page.headers['cache-control']).toBe('no-store, no-transform')
    expect(page.body).toContain('<meta name="robots" content="noindex">')
    expect(page.body).not.toContain('ada@')
    expect((await browser.open(url, { method: 'HEAD' })).status).toBe(200)
    await browser.open(url, { headers: { 'sec-purpose': 'prefetch' }, follow: false })
  }
  expect(calls()).toBe(0)
})

it('an invitation opened by a mail scanner starts no sign-in', async () => {
  const token = issue()
  const browser = new TestBrowser()
  for (const headers of [
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-purpose': 'prefetch', 'sec-fetch-site': 'same-origin' },
  ]) {
    const hop = await browser.open(`${running.url}/invite/${token}/start`, { headers, follow: false })
    expect(hop.location ?? '').not.toContain(running.sandbox.urls.authorizationServer)
  }
  expect(calls()).toBe(0)
})

it('a browser without Sec-Fetch headers can press Start, but isn’t counted as a person', async () => {
  const url = `${running.url}/invite/${issue('dan@acme.example')}/start`
  const response = await fetch(url, { redirect: 'manual' })
  const location = new URL(response.headers.get('location') ?? '')
  expect(location.origin).toBe(new URL(running.sandbox.urls.authorizationServer).origin)
  const grace = await signIn(running, 'grace')
  const { body } = await grace.open(`${running.url}/admin/people?q=dan@`)
  expect(body).toContain('No one matches these filters.')
})

it('someone without an invitation counts as arrived, also without an unconnected app', async () => {
  await signIn(running, 'carol')
  const grace = await signIn(running, 'grace')
  const searchPage = async () => (await grace.open('/admin/people?q=carol@')).body
  await expect.poll(searchPage, SOON).toMatch(/carol@acme\.example[^]*Nothing to connect/)
})

it('a person who presses Start gets login_hint at the sign-in, and reaches the walk', async () => {
  const browser = new TestBrowser()
  await browser.open(`${running.url}/invite/${issue()}`)
  await browser.click('/invite/')
  expect(authorization()).toMatchObject({ login_hint: 'ada@acme.example', client_id: 'onramp' })
  expect(authorization()['prompt']).toBeUndefined()

  await chooseAccount(running, browser, 'ada')

  expect(new URL(browser.page.url).pathname).toBe('/onboarding')
  expect(browser.text).toContain('Connect Slack')
})

it('a person with an invitation sees only the apps of the invitation', async () => {
  const browser = await signIn(running, 'ada')
  await browser.open(`${running.url}/invite/${issue('ada@acme.example', ['github', 'jira_1'])}`)
  expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=github&datasource=jira_1`)
  expect(browser.text).not.toContain('Connect Slack')
})

it.each([
  ['expired', () => issue('ada@acme.example', [], 1, Date.now() - 2 * 86_400_000)],
  ['altered', () => issue().replace(/\w{4}$/, 'AAAA')],
  ['cut off', () => issue().slice(0, -20)],
  ['missing', () => ''],
])('a person with an invitation can start from a link that is %s', async (_title, token) => {
  const browser = new TestBrowser()
  const page = await browser.open(`${running.url}/invite/${token()}`)
  expect(page.status).toBe(200)
  expect(page.body).toContain('<title>This link doesn’t work - ')
  expect(browser.text).toContain('expired or is incomplete')
  expect(browser.text).not.toContain('Or type this address')
  await browser.click('/onboarding')
  expect(authorization()['login_hint']).toBeUndefined()
  await chooseAccount(running, browser, 'ada')
  expect(new URL(browser.page.url).pathname).toBe('/onboarding')
})

it('an invited person in another app’s browser is advised to open a real browser', async () => {
  const url = `${running.url}/invite/${issue()}`
  const webView = 'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 Chrome/140.0 Mobile'
  const { body } = await new TestBrowser().open(url, { headers: { 'user-agent': webView } })
  expect(body).toContain(`<bdi>${running.url}/onboarding</bdi>`)
  expect((await new TestBrowser().open(url)).body).not.toContain('inside another app')
})

it('a person signed in to another account sees both, and can continue', async () => {
  const browser = await signIn(running, 'bob')
  const page = await browser.open(`${running.url}/invite/${issue('ada@acme.example', ['gdrive_1'])}`)
  expect(page.status).toBe(200)
  expect(browser.text).toContain('bob@acme.example')
  expect(browser.text).toContain('a••@acme.example')
  expect(page.body).not.toContain('ada@acme.example')
  await browser.click('/onboarding?')
  expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=gdrive_1`)
  expect(browser.text).toContain('bob@acme.example')
})

it('someone who switches accounts with one click keeps the apps of the link', async () => {
  const browser = await signIn(running, 'bob')
  await browser.open(`${running.url}/invite/${issue('ada@acme.example', ['github_1'])}`)
  running.sandbox.clearRequests()
  await browser.click('/invite/')
  expect(authorization()).toMatchObject({ prompt: 'select_account' })
  expect(authorization()['login_hint']).toBeUndefined()

  await chooseAccount(running, browser, 'ada')

  expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=github_1`)
  expect(browser.text).toContain('ada@acme.example')
})

it('after a sign-in to another account, the landing page shows both addresses', async () => {
  const browser = new TestBrowser()
  await browser.open(`${running.url}/invite/${issue()}`)
  await browser.click('/invite/')
  await chooseAccount(running, browser, 'bob')
  expect(browser.text).toContain('This invitation is for another account')
})

it('the log of an invitation has no token and no address', () => {
  const log = running.log.join('')
  expect(log).not.toMatch(/\bi\w{60}|acme\.example/)
  expect(log).toContain('invitation_opened')
})
