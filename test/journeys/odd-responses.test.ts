// Odd responses of the service give a page with a heading and a next step, and people can continue afterwards.
import { beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { answerConsent, expectPage, openJourney } from '../helpers/journey.ts'
import { shared } from '../helpers/shared.ts'
import { linksOf } from '../helpers/test-browser.ts'

const html = { contentType: 'text/html', body: '<!doctype html><h1>Log in</h1>' }
const list = (entries: unknown) => ({ body: { unauthorizedDatasourceInstances: entries } })
/** The response of the service, and the status of the page. */
const ODD_RESPONSES: [string, object, number][] = [
  ['401', { status: 401 }, 403],
  ['401 HTML', { status: 401, ...html }, 403],
  ['403', { status: 403 }, 403],
  ['403 HTML', { status: 403, ...html }, 403],
  ['404', { status: 404 }, 502],
  ['429 at a date', { status: 429, headers: { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' } }, 503],
  ['503', { status: 503, headers: { 'retry-after': '3' } }, 503],
  ['204', { status: 204 }, 503],
  ['200 HTML', html, 502],
  ['null', { body: 'null' }, 503],
  ['an empty object', { body: {} }, 503],
  ['text in the list', list(['slack_1']), 503],
  ['half of its JSON', { body: '{"unauthorizedDatasourceInstances":[{' }, 503],
  ['a cut body', { ...list([]), truncate: true }, 503],
  ['two megabytes', { ...list([]), body: { unauthorizedDatasourceInstances: [], x: 'x'.repeat(2e6) } }, 503],
  ['a closed connection', { close: true }, 503],
  ['302 to elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 502],
  ['500 with our words', { status: 500, body: 'boom' }, 503],
  ['400 for our secret', { status: 400, body: 'Invalid Secret' }, 502],
]

describe('odd responses', () => {
  const journey = shared(openJourney)
  beforeEach(() => journey.sandbox.reset())

  const setCheckResponse = (response: object | null) =>
    journey.sandbox.switches.set({ answers: { checkdatasourceauth: response } })

  it.each(ODD_RESPONSES)('the overview and a click show a next step: %s', async (_title, answer, status) => {
    const { browser } = await journey.begin(2)
    const apps = browser.page

    setCheckResponse(answer)
    const overview = await browser.open(`${journey.url}/onboarding`)
    expect(overview.status).toBe(status)
    expectPage(overview)
    expect(overview.body).not.toContain(t('finished.title'))
    expect(overview.body).not.toContain('boom')

    const click = await browser.open('/onboarding/connect/slack_1', { from: apps.url })
    expect(click.status).toBe(status)
    expectPage(click)
    expect(journey.consentsOpened()).toBe(0)
  })

  it.each(ODD_RESPONSES)(
    'a return shows a next step, and later its result: %s',
    async (_title, answer, status) => {
      const { browser } = await journey.begin(2)

      await browser.click('/onboarding/connect/slack_1')
      setCheckResponse(answer)
      const returned = await answerConsent(browser, 'allow')
      expect(returned.status).toBe(status)
      expectPage(returned)
      expect(journey.consentsOpened()).toBe(1)

      setCheckResponse(null)
      const again = await browser.open(returned.url)
      expect(again.body).toContain(t('banner.connected', { app: 'Slack' }))
      expect(linksOf(again.body)).toContain('/onboarding/connect/github_1')
      expect(journey.consentsOpened()).toBe(1)
    },
  )

  it('a retry isn’t offered if the service rejects the return address, and PUBLIC_URL is logged', async () => {
    const answer = { status: 400, body: 'final_redirect_url is not allowed for this tenant' }
    const { browser } = await journey.begin(1)
    const first = journey.log.length
    journey.sandbox.switches.set({ answers: { checkdatasourceauth: answer } })
    const hop = await browser.open(`${journey.url}/onboarding`)
    expectPage(hop)
    expect(hop.status).toBe(502)
    expect(hop.headers).not.toHaveProperty('retry-after')
    expect(browser.text).toContain('trying again won’t help')
    expect(hop.body).not.toContain(`>${t('problem.tryAgain')}<`)
    const lines = journey.log.slice(first).filter((line) => line.includes('service_refused_return'))
    expect(lines).toMatchObject([expect.stringMatching(/PUBLIC_URL.*The reason: “.*allow/)])
  })

  it('a failed search and nonsense results give a page, too', async () => {
    const { browser } = await journey.begin(1)
    for (const [what, answer] of ODD_RESPONSES) {
      journey.sandbox.switches.set({ answers: { search: answer } })
      const hop = await browser.open(`${journey.url}/search?q=plan`)
      expect(hop.status, what).toBeGreaterThanOrEqual(400)
      expectPage(hop)
    }
    const results = ['x', null, 7, [], {}, { title: '<b>', url: 'javascript:alert(1)' }]
    journey.sandbox.switches.set({ answers: { search: { body: { results } } } })
    const hop = await browser.open(`${journey.url}/search?q=${encodeURIComponent('<script>')}`)
    expect(hop.status).toBe(200)
    expectPage(hop)
    expect(hop.body).not.toMatch(/<script(?! src="\/assets\/walk\.)|javascript:/)
  })

  it('an identifier of 900,000 characters is logged once, and truncated', async () => {
    const { browser } = await journey.begin(1)
    const before = journey.log.length
    const entry = { datasourceInstance: 'a'.repeat(900_000), authStatus: 'AWAITING_AUTH' }
    journey.sandbox.switches.set({ answers: { checkdatasourceauth: list([entry]) } })
    for (let times = 0; times < 2; times++) expectPage(await browser.open(`${journey.url}/onboarding`))
    const lines = journey.log.slice(before)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2_000)
    expect(lines.filter((line) => line.includes("characters, so people can't connect it"))).toHaveLength(1)
  })
})

it('a hanging check and a dripping search time out after ten seconds, with a page', async () => {
  const journey = await openJourney()
  const { browser } = await journey.begin(1)
  const other = await journey.begin(1)
  journey.sandbox.switches.set({
    answers: {
      checkdatasourceauth: { hang: true },
      search: { body: { results: [], filler: 'x'.repeat(200) }, drip: true },
    },
  })
  const before = performance.now()

  const pages = await Promise.all([
    browser.open(`${journey.url}/onboarding`),
    other.browser.open(`${journey.url}/search?q=x`),
  ])

  expect(performance.now() - before).toBeLessThan(10_500)
  for (const hop of pages) {
    expect(hop.status).toBe(503)
    expectPage(hop)
  }
  expect(pages[1].body).toContain(t('problem.search_too_slow.title'))
  await journey.close()
})
