// Error pages: retry, redirects and the company's contact.
import express, { type RequestHandler } from 'express'
import { MemoryStore } from 'express-session'
import request from 'supertest'
import { expect, it } from 'vitest'
import { resolveCompany, neutralCompany, type Company } from '../../src/company/company.ts'
import { Problem, type ProblemCode } from '../../src/problem.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { createSession, startSession } from '../../src/session/session.ts'
import { mayBeFromOwnPage, isFromOtherSite, isProvenFromOwnPage } from '../../src/web/cross-site.ts'
import { createErrorPage, problemTexts } from '../../src/web/error-page.ts'
import type { Log } from '../../src/web/log.ts'
import { createPages, type SendPage } from '../../src/web/pages.ts'
import { htmlFindings } from '../browser/examine.ts'
import { visibleText } from '../helpers/test-browser.ts'
import { keysUnder, languages } from '../helpers/texts.ts'

const log = { error() {}, warn() {}, info() {} } as unknown as Log

function failing(
  problem: () => Problem,
  given: { log?: Log; now?: () => number; sendPage?: SendPage } = {},
  before: RequestHandler[] = [],
) {
  const app = express().use(...before, () => {
    throw problem()
  })
  return app.use(
    createErrorPage({
      log,
      now: Date.now,
      languages,
      sendPage: (_req, res, { data }) => void res.json(data),
      publicUrl: 'https://onramp.example',
      tryAgainPathFor: (address) => address,
      displayName: ({ name }) => name,
      countProblem() {},
      ...given,
    }),
  )
}

const pagesOf = (company: Company) =>
  createPages({ company, publicUrl: '', checkReturnTo: () => undefined, isAdmin: () => false }).send
const neutralPages = pagesOf(neutralCompany)

/** An error page of a company with this help address. */
async function helpFor(problem: Problem, help?: string) {
  const links = { help: { url: help ?? '', label: 'Contact the search team' } }
  const send = help === undefined ? neutralPages : pagesOf(resolveCompany({ links }, new Map()))
  const app = failing(() => problem, { sendPage: send })
  const { text } = await request(app).get('/onboarding').set('accept', 'text/html')
  const [, reference] = /[Rr]eference: (\w+)/.exec(text) ?? []
  const hrefs = [...text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>Contact the search team/g)]
  return { text, reference, hrefs: new Set(hrefs.map(([, href]) => href)) }
}

it.each([
  ['mailto:a@acme.example?subject=Search', 'mailto:a@acme.example?subject=Search&amp;body=Reference%3A%20'],
  ['mailto:a@acme.example', 'mailto:a@acme.example?subject=Reference%3A%20'],
  ['https://desk.acme.example/new?form=7#top', 'https://desk.acme.example/new?form=7&amp;reference='],
])('a person who needs help finds the reference in the link to %s', async (help, beginning) => {
  const { text, reference, hrefs } = await helpFor(new Problem(403, 'service_forbidden'), help)
  expect(reference).toBeDefined()
  expect(hrefs).toEqual(new Set([`${beginning}${reference}${help.endsWith('#top') ? '#top' : ''}`]))
  expect(text).not.toMatch(/\badmin\b/i)
})

const SIGN_IN = '/sign-in?return_to=%2Fonboarding'
const ownPage = { status: 200, refresh: `0; url=${SIGN_IN}` }
const redirect = { status: 303, location: SIGN_IN }
/** A navigation that a link or form of our page began. */
const own = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }

// prettier-ignore
it.each([
  { title: 'a button', method: 'post', path: '/onboarding/skip/slack_1', expected: ownPage },
  { title: 'a search', path: '/search?q=roadmap', expected: ownPage },
  { title: 'the page after a button', path: '/onboarding', hasSession: true, expected: ownPage },
  { title: 'a link of our page', path: '/onboarding', expected: redirect },
  { title: 'a link to an app', path: '/onboarding/connect/slack_1', hasSession: true, expected: redirect },
  { title: 'a link to an app with a query', path: '/onboarding/connect/slack_1?a=b', expected: redirect },
  { title: 'the intranet', path: '/search?q=a', headers: { ...own, 'sec-fetch-site': 'cross-site' }, expected: redirect },
  { title: 'a bookmark', path: '/search?q=a', headers: { ...own, 'sec-fetch-site': 'none' }, expected: redirect },
  { title: 'a frame', path: '/search?q=a', headers: { ...own, 'sec-fetch-dest': 'iframe' }, expected: redirect },
  { title: 'a program', method: 'post', path: '/onboarding/skip/slack_1', headers: {}, expected: redirect },
] as const)('once a sign-in has ended, $title leads to the next one as $expected.status', async (row) => {
  const withSession: RequestHandler = (req, _res, next) => {
    if ('hasSession' in row) Object.assign(req, { session: { user: { subject: 'ada' } } })
    next()
  }
  const problem = () => new Problem(401, 'signed_out', { tryAgain: SIGN_IN })
  const app = failing(problem, { sendPage: neutralPages }, [withSession])

  const agent = request(app)['method' in row ? row.method : 'get'](row.path)
  const answer = await agent.set({ accept: 'text/html', ...('headers' in row ? row.headers : own) })

  const { location, refresh } = answer.headers as Record<string, string>
  expect({ status: answer.status, location, refresh }).toEqual(row.expected)
  expect(answer.text.includes(`href="${SIGN_IN}"`)).toBe(row.expected === ownPage)
})

it.each([
  ['/deprecations.json', '*/*', 'application/problem+json'],
  ['/admin/report.JSON', undefined, 'application/problem+json'],
  ['/deprecations.json', 'text/html', 'text/html; charset=utf-8'],
  ['/deprecations', '*/*', 'text/html; charset=utf-8'],
])('an error of %s for a client that accepts %s is %s', async (path, accept, type) => {
  const app = failing(() => new Problem(400, 'api_unknown'), { sendPage: neutralPages })

  const { headers } = await request(app)
    .get(path)
    .set(accept === undefined ? {} : { accept })

  expect(headers['content-type']).toBe(type)
})

const LONG = 'An app with a name that is much longer than anyone would expect '.repeat(3)
const codes = keysUnder('problem.').flatMap((key) => /^(\w+)\.title$/.exec(key)?.[1] ?? []) as ProblemCode[]

it.each(codes)(
  'the error page of %s explains the failure and the next step, in plain words',
  async (code) => {
    const datasource = { instance: 'long_1', personsApps: [{ instance: 'long_1', name: LONG }] }
    const problem = new Problem(503, code, { datasource, retryAfter: 40 })
    const { text, reference } = await helpFor(problem)
    const words = visibleText(/<main[^]*<\/main>/.exec(text)?.[0] ?? '')
    expect(await htmlFindings(text)).toEqual([])
    expect(words).toContain(problemTexts(problem, languages.byTag('en'), neutralCompany.displayName).title)
    expect(text).toMatch(/<a class="button/)
    expect(code === 'not_found' ? 'none' : reference).toBeDefined()
    expect(words).not.toMatch(/\b50\d\b|undefined|OAuth|exception/i)
    // That page is for the developers of a program.
    expect(code === 'token_refused' ? '' : words).not.toMatch(/token/i)
  },
)

/**
 * Each failure's status and log level; then `again`: a GET can be retried by a link; `reloads`: the page does so
 * itself; `help`: the company's help comes first; `overview`: the overview fails, too, so no start path is offered
 * either.
 */
const PAGES: Record<ProblemCode, string> = {
  admins_only: '403 info help',
  api_unknown: '400 info',
  bad_request: '400 info',
  cookies_blocked: '400 info',
  cross_site: '403 info',
  datasource_cannot_start: '502 warn again',
  datasource_unknown: '404 audited',
  internal: '500 error again',
  not_found: '404 info',
  owners_only: '403 info help',
  return_to_too_long: '400 info',
  search_busy: '503 warn again reloads',
  search_forbidden: '403 warn help',
  search_misconfigured: '502 warn help',
  search_refused: '502 warn',
  search_too_slow: '503 warn again reloads',
  search_unavailable: '503 warn again reloads',
  service_busy: '503 warn again reloads',
  service_forbidden: '403 warn help overview',
  service_misconfigured: '502 warn help overview',
  service_refused_request: '502 warn help overview',
  service_refused_return: '502 warn help overview',
  service_refused_sign_in: '403 warn',
  service_unavailable: '503 warn again reloads',
  sign_in_denied: '403 info',
  sign_in_ended: '400 info',
  sign_in_expired: '400 info',
  sign_in_failed: '400 info',
  sign_in_misconfigured: '502 warn help overview',
  sign_in_unavailable: '503 warn again reloads',
  sign_in_unfinished: '400 info',
  signed_out: '401 info',
  store_unavailable: '503 warn again reloads',
  token_refused: '401 audited',
  too_large: '413 info',
  too_many: '429 audited again reloads',
  too_many_requests: '429 audited again reloads',
}

it.each(Object.entries(PAGES) as [ProblemCode, string][])(
  'the page about the problem %s, and its log line, are as listed: %s',
  async (code, expected) => {
    const status = Number(expected.slice(0, 3))
    const retryAfter = [429, 503].includes(status) && { retryAfter: 5 }
    const levels: string[] = []
    const [error, warn, info] = ['error', 'warn', 'info'].map((level) => () => void levels.push(level))
    const pageOf = async (tryAgain?: string) => {
      const problem = new Problem(status, code, { ...retryAfter, ...(tryAgain && { tryAgain }) })
      const app = failing(() => problem, { log: { error, warn, info } as unknown as Log })
      // A page that has reloaded already doesn't redirect to the sign-in.
      const url = '/onboarding?unattended=yes'
      return (await request(app).get(url).set('accept', 'text/html')).body as Record<string, unknown>
    }

    const page = await pageOf()
    const [logged = 'audited'] = levels
    const { tryAgain: start } = await pageOf('/sign-in')

    const is = { again: page['tryAgain'], reloads: page['refresh'], help: page['needsHelp'] }
    const flags = Object.entries({ ...is, overview: page['overviewFailsToo'] })
    const found = [status, logged, ...flags.flatMap(([name, value]) => (value ? name : []))]
    expect(found.join(' ')).toBe(expected)
    expect(start).toBe(expected.endsWith('overview') ? undefined : '/sign-in')
  },
)

it('the cause of an error page that becomes plain text is logged', async () => {
  const logged: unknown[] = []
  const sendPage = () => {
    throw new Error('no such view')
  }
  const app = failing(() => new Problem(503, 'service_unavailable'), {
    sendPage,
    log: { ...log, error: (line: object) => void logged.push(line) } as unknown as Log,
  })
  const { status, text } = await request(app).get('/onboarding').set('accept', 'text/html')
  expect({ status, text }).toEqual({ status: 503, text: expect.stringMatching(/reference: \w+/i) })
  expect(logged).toMatchObject([{ code: 'service_unavailable', err: { message: 'no such view' } }])
})

it('a person without a company contact can send the reference to admins', async () => {
  const { text, hrefs } = await helpFor(new Problem(403, 'service_forbidden'))
  expect(hrefs.size).toBe(0)
  expect(text).toMatch(/Send your admin this reference: [0-9a-f]+/)
  const missing = await helpFor(new Problem(404, 'not_found'))
  expect(missing.text).toContain('Page not found')
  expect(missing.text).not.toMatch(/reference/i)
})

it('a service that rejects tokens is logged as one warning an hour for each code', async () => {
  const levels: string[] = []
  const write = (level: string) => (_line: object, words: string) => void levels.push(`${level} ${words}`)
  const given = { error: write('error'), warn: write('warn'), info: write('info') } as unknown as Log
  let [now, code]: [number, ProblemCode] = [0, 'internal']
  const app = failing(() => new Problem(403, code), { log: given, now: () => now })

  for ([now, code] of [
    [0, 'service_forbidden'],
    [1, 'service_refused_sign_in'],
    [3_599_999, 'service_forbidden'],
    [3_600_000, 'service_forbidden'],
    [3_600_000, 'service_refused_sign_in'],
    [3_600_001, 'not_found'],
  ] as const)
    await request(app).get('/onboarding')

  expect(levels).toEqual([
    'warn service_forbidden',
    'warn service_refused_sign_in',
    'info service_forbidden',
    'warn service_forbidden',
    'info service_refused_sign_in',
    'info not_found',
  ])
})

it('a session that couldn’t be saved gets no cookie', async () => {
  const store = new MemoryStore()
  const away = new StoreUnavailable(new Error('away'))
  store.set = (_id, _session, done) => done?.(away)
  const content = { user: { issuer: 'a', subject: 'b' }, tokens: { accessToken: 'c', issuedAt: 0 } }
  const app = failing(() => away, undefined, [
    createSession({ store, secrets: ['s'.repeat(32)], isHttps: false, log }),
    (req, _res, next) => void startSession(req, { ...content, signedInAt: 0 }).catch(next),
  ])
  const { status, headers } = await request(app).get('/sign-in/callback').set('accept', 'application/json')
  expect([status, headers['set-cookie']]).toEqual([503, undefined])
})

it('a temporary failure is retried after Retry-After', async () => {
  const problem = { retryAfter: 5, tryAgain: '/sign-in' }
  const app = failing(() => new Problem(503, 'sign_in_unavailable', problem))
  const { body } = await request(app).get('/onboarding').set('accept', 'text/html')
  expect(body).toMatchObject({
    tryAgain: '/sign-in',
    refresh: { seconds: 5, url: '/sign-in' },
    stop: '/sign-in?still=yes',
    overviewFailsToo: false,
    advice: expect.stringContaining('5 seconds') as string,
  })
})

const MANY = '&a'.repeat(2_000)
it.each<[from: string, path: string, site: string, again: string]>([
  ['another site', '/search?q=x', 'cross-site', '/search?q=x&unattended=yes'],
  ['another site', '/onboarding/connect', 'same-site', '/onboarding/connect?unattended=yes'],
  ['another site', '/x?unattended=yes', 'cross-site', '/x?unattended=yes'],
  ['another site', `/x?q=x${MANY}`, 'cross-site', `/x?q=x${MANY}&unattended=yes`],
  ['our own page', '/search?q=x', 'same-origin', '/search?q=x'],
  ['the address bar', '/search?q=x', 'none', '/search?q=x'],
  ['our own page', '/onboarding/connect/slack_1', 'same-origin', '/onboarding/connect/slack_1'],
  // Opened by another program, these look like typed addresses. They act only for links on our own pages.
  ...[
    '/onboarding/connect',
    '/Onboarding/Connect/slack_1/',
    '/invite/x/start',
    '/sign-out',
    '/signed-out',
  ].map(
    (path) => ['another program', path, 'none', `${path}?unattended=yes`] as [string, string, string, string],
  ),
])('“Try again” for a request from %s keeps its origin restrictions', async (from, path, site, again) => {
  const app = failing(() => new Problem(429, 'too_many_requests', { retryAfter: 1 }))
  const ask = (url: string, value: string) =>
    request(app).get(url).set({ accept: 'text/html', 'sec-fetch-site': value })
  const { body } = await ask(path, site)
  expect(body).toMatchObject({ tryAgain: again, refresh: { url: again } })
  const judging = express().use((req, res) => {
    const origin = 'https://onramp.example'
    const isOther = isFromOtherSite(req, origin)
    res.json([!isOther, mayBeFromOwnPage(req, origin), isProvenFromOwnPage(req)])
  })
  const sameOrigin = await request(judging).get(again).set('sec-fetch-site', 'same-origin')
  expect(sameOrigin.body).toEqual(Array(3).fill(!from.startsWith('another')))
})
