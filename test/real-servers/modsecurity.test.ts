// The OWASP core rule set, which many companies use, accepts all requests of onramp.
import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort, invite, chooseAccount, run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { MODULE, RULES, startModSecurity } from './modsecurity.ts'
import { lacks } from './installation.ts'

const isHere = existsSync(MODULE) && existsSync(RULES)
/**
 * Number of tries for each kind of link. The rules about `--` matched 4 to 27 in a hundred; login-transaction.test.ts
 * tests thousands.
 */
const TIMES = Number(process.env['FIREWALL_TIMES'] ?? 2)

const INTRANET = 'https://intranet.acme.example'
const returnTo = encodeURIComponent(`${INTRANET}/a/${'page-'.repeat(40)}?tab=1`)
/** Links for someone who is signed out. */
const LINKS = [
  '/',
  '/onboarding?datasource=slack_0',
  '/onboarding?datasource=slack_1&datasource=github_1&lang=de',
  '/onboarding?lang=fr',
  `/onboarding?return_to=${encodeURIComponent(`${INTRANET}/`)}`,
  `/onboarding?return_to=${returnTo}`,
  '/search?q=travel%20policy',
  '/sessions',
]

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close()
})

async function behindFirewall(level: 1 | 2): Promise<{ running: Running; found: () => string[] }> {
  const [port, onramp] = [await freePort('localhost'), await freePort('localhost')]
  const settings = {
    PORT: String(onramp),
    TRUST_PROXY: 'loopback',
    RETURN_TO_ORIGINS: INTRANET,
    SIGN_INS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  }
  const hosts = { authorizationServer: 'localhost' }
  const running = await run({ port, settings, sandbox: { hosts, switches: { autoConsent: true } } })
  opened.push(running)
  const firewall = await startModSecurity({ port, onramp, level })
  opened.push(firewall)
  return { running, found: firewall.found }
}

/** The headers that firewalls expect. */
const newBrowser = () => Object.assign(new TestBrowser(), { headers: { 'user-agent': 'Mozilla/5.0 (test)' } })

/** The resources of the page, and its other links to onramp. */
async function lookAround(browser: TestBrowser, url: string): Promise<void> {
  const { page } = browser
  const [, sheet = ''] = /<link[^>]*href="([^"]*\.css)"/.exec(page.body) ?? []
  await browser.open(sheet, { from: page.url, follow: false })
  await browser.open(`${page.url}${page.url.includes('?') ? '&' : '?'}lang=de`, { from: page.url })
  await browser.open(url + '/sessions', { from: page.url })
}

/** Sequential, because of the limit per person. */
const personIn = ({ sandbox: { people } }: Running, count: number) => people[count % people.length]?.id ?? ''

const refusedIn = (browser: TestBrowser, url: string) =>
  browser.hops
    .filter((hop) => hop.status >= 400 && hop.url.startsWith(url))
    .map((hop) => `${hop.status} ${hop.url}`)

describe.skipIf(!isHere).for([1, 2] as const)(
  `the OWASP core rule set at paranoia level %d${lacks(RULES, 'modsecurity-crs')}`,
  (level) => {
    it('people sign in from every link without a request being blocked', async () => {
      const { running, found } = await behindFirewall(level)
      for (let count = 0; count < TIMES; count++)
        for (const link of LINKS) {
          const browser = await signIn(running, personIn(running, count), link, newBrowser())
          await lookAround(browser, running.url)
          expect(refusedIn(browser, running.url), found().join('\n')).toEqual([])
          expect(browser.page.status).toBe(200)
        }
      const browser = await signIn(running, 'ada', '/onboarding', newBrowser())
      await browser.click('/onboarding/connect/')
      expect(browser.text).toContain('Checking Slack')
      await browser.click('/onboarding/callback')
      await browser.submit('/sign-out')
      expect(refusedIn(browser, running.url), found().join('\n')).toEqual([])
    })

    it.runIf(level === 2)(
      'the firewall rules of deploy/proxies accept a scope that looks like a file: %s',
      async () => {
        const { running, found } = await behindFirewall(level)
        const scope = 'email profile openid https://www.googleapis.com/auth/userinfo.profile'
        const query = new URLSearchParams({
          state: 'x',
          code: '0.AXoA.env',
          scope,
          iss: 'https://login.example',
        })
        const browser = newBrowser()
        await browser.open(`${running.url}/sign-in/callback?${query.toString()}`)
        expect(browser.page.status, found().join('\n')).toBe(400)
        expect(browser.text).toContain('sign-in')
      },
    )

    it('invited people come to the walk, and can stop the reminders', async () => {
      const { running, found } = await behindFirewall(level)

      for (let count = 0; count < TIMES * 8; count++) {
        const datasources = count % 3 === 0 ? ['slack_1', 'github_1'] : []
        const token = invite(running, { email: 'ada@acme.example', datasources })
        const browser = newBrowser()
        await browser.open(`${running.url}/invite/${token}`)
        await browser.click('/invite/')
        await chooseAccount(running, browser, 'ada')
        expect(browser.text, found().join('\n')).toContain('connected')
        await browser.open(`${running.url}/invite/${token}/opt-out`)
        await browser.submit('/invite/')
        await browser.open(`${running.url}/invite/${token}/start`, {
          headers: { 'sec-fetch-site': 'same-origin' },
        })
        await browser.open(`${running.url}/sign-in?return_to=${encodeURIComponent(`/invite/${token}`)}`)
        expect(refusedIn(browser, running.url), found().join('\n')).toEqual([])
      }
    })
  },
)
