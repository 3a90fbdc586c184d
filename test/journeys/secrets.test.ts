// A whole journey with failures and all logging on: no secret is in a log line, on a page or in an address of ours,
// except in redirects to the authorization server and the service.
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerConsent, letRefresh, openJourney, type Journey } from '../helpers/journey.ts'
import { chooseAccount, signIn } from '../helpers/running.ts'
import { stores } from '../helpers/stores.ts'
import { TestBrowser, type Hop } from '../helpers/test-browser.ts'

/** Every secret of the journey, by its kind. */
function secretsOf(journey: Journey, hops: Hop[]): Map<string, string> {
  const found = new Map<string, string>()
  const add = (what: string, value: unknown) => {
    if (typeof value === 'string' && value.length >= 16) found.set(value, what)
  }
  for (const { headers, body, query } of journey.sandbox.requests) {
    add('access token', headers.authorization?.replace(/^Bearer /, ''))
    const form = (body ?? {}) as Record<string, unknown>
    for (const name of ['code', 'code_verifier', 'client_secret', 'refresh_token']) add(name, form[name])
    for (const name of ['code_challenge', 'nonce', 'token', 'redirect'])
      add(`${name} in an address`, query[name])
  }
  for (const { url, location, headers } of hops) {
    for (const address of [url, new URL(location ?? '/', url).href]) {
      const query = new URL(address).searchParams
      for (const name of ['code', 'state', 'token', 'id_token_hint']) add(name, query.get(name))
    }
    const cookies = headers['set-cookie'] ?? ''
    for (const [, name, cookie = ''] of cookies.matchAll(/(?:^|,)(onramp|onramp-browser)=([^;]+)/g)) {
      add('cookie', cookie)
      if (name === 'onramp') add('session id', decodeURIComponent(cookie).slice(2).split('.')[0])
    }
  }
  add('client secret', journey.env['OIDC_CLIENT_SECRET'])
  add('session secret', journey.env['SESSION_SECRET'])
  return found
}

const leaksIn = (text: string, secrets: Map<string, string>) =>
  [...secrets].filter(([value]) => text.includes(value)).map(([, what]) => what)

/** Sign-in, odd answers, a denial, a hostile address, two datasources, a search, sign-out, and a return too late. */
async function walkWithTrouble(journey: Journey): Promise<TestBrowser> {
  const { switches } = journey.sandbox
  const answer = (checkdatasourceauth: object | null) => switches.set({ answers: { checkdatasourceauth } })
  const planted = '/auth/datasource/slack_1?token=planted-one-time-token-0123456789'
  const listing = (authUrlRelativePath: string) => {
    const entry = { authUrlRelativePath, datasourceInstance: 'slack_1' }
    return { body: { unauthorizedDatasourceInstances: [entry] } }
  }
  const person = journey.newcomer(2)
  const browser = new TestBrowser()
  for (const trouble of [
    { answers: { token: { status: 500 } } },
    { answers: { token: { body: { error: 'invalid_grant' }, status: 400 } } },
    { faults: { idToken: 'badSignature' as const } },
  ]) {
    switches.set(trouble)
    await browser.open(`${journey.url}/onboarding`)
    if (browser.page.url.startsWith(journey.sandbox.urls.authorizationServer))
      await chooseAccount(journey, browser, person)
    else await browser.open(`${journey.url}/sign-in`)
    switches.set({ answers: { token: null }, faults: {} })
  }
  await signIn(journey, person, '/onboarding', browser)
  for (const odd of [
    { status: 500, body: `Bearer leaked ${planted}` },
    { body: `{"unauthorizedDatasourceInstances":[{"authUrlRelativePath":"${planted}"` },
    listing(`/evil${planted}`),
    listing(`${planted}\u2028`),
    { status: 302, headers: { location: `http://127.0.0.1:9${planted}` } },
    { close: true },
  ]) {
    answer(odd)
    await browser.open(`${journey.url}/onboarding`)
    await browser.open(`${journey.url}/onboarding/connect/slack_1`, { from: journey.url })
  }
  answer(null)
  await browser.open(`${journey.url}/onboarding`)
  await browser.click('/onboarding/connect/slack_1')
  await answerConsent(browser, 'deny')
  await letRefresh(browser)
  await browser.click('/onboarding/connect/slack_1')
  await answerConsent(browser, 'allow')
  await answerConsent(browser, 'allow')
  await browser.open('/search?q=plan')
  await browser.open(`${journey.url}/onboarding/connect/nothing`, { from: journey.url })
  const callback = browser.hops.find((hop) => hop.url.includes('/sign-in/callback?code'))?.url ?? ''
  await browser.open(callback)
  await browser.open(`${journey.url}/onboarding`)
  await browser.submit('/sign-out')
  await browser.open('/sign-out/continue', { from: browser.page.url })
  await browser.open(callback)
  return browser
}

describe.each(stores)('the secrets of a journey, on %s', (_title, open) => {
  it('no secret of a journey is in a log, page or address', async () => {
    const journey = await openJourney({ open, settings: { LOG_LEVEL: 'trace', CONFIRM_SECONDS: '1' } })
    onTestFinished(() => journey.close())

    const browser = await walkWithTrouble(journey)
    const secrets = secretsOf(journey, browser.hops)
    for (const planted of ['planted-one-time-token-0123456789', 'Bearer leaked'])
      secrets.set(planted, 'planted')
    const kinds = [
      'access token', 'client secret', 'code', 'code_challenge in an address', 'code_verifier', 'cookie',
      'id_token_hint', 'nonce in an address', 'planted', 'redirect in an address', 'session id', 'session secret', 'state', 'token',
    ] // prettier-ignore

    expect([...new Set(secrets.values())].sort()).toEqual(kinds)
    expect(journey.log.length).toBeGreaterThan(5)
    for (const line of journey.log) expect(leaksIn(line, secrets), line).toEqual([])

    const ours = browser.hops.filter((hop) => new URL(hop.url).origin === journey.url)
    for (const hop of ours) {
      expect(leaksIn(hop.body, secrets), hop.url).toEqual([])
      const { origin, href } = new URL(hop.location ?? '/', hop.url)
      expect(origin === journey.url ? leaksIn(href, secrets) : [], href).toEqual([])
    }

    // The authorization server responds by a redirect with parameters: RFC 6749 4.1.2, RP-Initiated Logout 1.0, 3.
    const answers = ours.filter((hop) => /\/(sign-in\/callback|signed-out)\?/.test(hop.url))
    const rest = ours.filter((hop) => !answers.includes(hop))
    for (const hop of rest) expect(leaksIn(hop.url, secrets), hop.url).toEqual([])

    const elsewhere = browser.hops.filter((hop) => new URL(hop.url).origin !== journey.url)
    const kept = ['access token', 'code_verifier', 'client secret', 'session secret', 'cookie', 'session id']
    for (const hop of elsewhere)
      expect(leaksIn(hop.url, secrets).filter((what) => kept.includes(what))).toEqual([])
  })
})
