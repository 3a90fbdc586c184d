// Tests that compose.ts passes the right dependency to each part. The app is the real one, the store is in memory, and
// requests to other servers are intercepted.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import express from 'express'
import pino from 'pino'
import request from 'supertest'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createOnramp } from '../src/compose.ts'
import { Invitations } from '../src/invites/token.ts'
import { normalizedAddress } from '../src/people/address.ts'
import { PeopleStore } from '../src/people/people-store.ts'
import { KeepStateStore } from '../src/people/keep-state.ts'
import { createKeyRing } from '../src/records/data-key.ts'
import { createSealer } from '../src/records/seal.ts'
import type { openStore } from '../src/records/store.ts'
import { SessionStore } from '../src/session/session-store.ts'
import { createSession, startSession } from '../src/session/session.ts'
import type { User } from '../src/session/signed-in.ts'
import { createAuditIds } from '../src/web/audit.ts'
import { immediateRecords } from './helpers/memory-records.ts'
import { service, stubService } from './composed-service.ts'
import { folder, INVITE_SECRET, ORIGIN, SECRET, settings } from './composed-settings.ts'
import { newKeepState, withAppStates } from './helpers/people.ts'

const DAY = 86_400

beforeEach(() => {
  stubService()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no authorization server here')))
})
const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const onramp of opened.splice(0)) await onramp.close()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** @param store may be from an earlier installation @param overrides replace the settings above */
function compose(store = immediateRecords(), overrides: Partial<typeof settings> = {}) {
  const clock = { now: Date.now() }
  const now = () => clock.now
  const { records } = store
  const reach = { isReachable: true, isClosed: false }
  const openedWith: Parameters<typeof openStore>[] = []
  const lines: (Record<string, unknown> & { msg: string })[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number])
      done()
    },
  })
  const onramp = createOnramp({ ...settings, ...overrides }, pino({ level: 'debug', base: null }, sink), {
    now,
    open(...args) {
      openedWith.push(args)
      return {
        records,
        isReachable: () => reach.isReachable,
        close: async () => void (reach.isClosed = true),
      }
    },
  })
  opened.push(onramp)
  const keyRing = createKeyRing(records, [SECRET], now)
  const people = new PeopleStore({ records, keyRing, retentionDays: 1, onEvents: () => {}, now })

  /** The browser of a person who is signed in. */
  async function browser(claims: Partial<User> = {}) {
    const ada = { subject: 'ada', email: 'ada@acme.example', emailVerified: true }
    const user = { issuer: 'https://as.example', ...ada, ...claims }
    const times = { idleSeconds: 3_600, maxSeconds: 12 * 3_600, now }
    const sessions = new SessionStore({ records, sealer: createSealer([SECRET]), ...times })
    const door = express().use(
      createSession({ store: sessions, secrets: [SECRET], isHttps: false, log: { info() {} } }),
    )
    door.get('/', async (req, res) => {
      const tokens = { accessToken: 'token', issuedAt: now(), expiresAt: now() + 3_600_000 }
      await startSession(req, { user, tokens, signedInAt: now() })
      res.end()
    })
    const { headers } = await request(door).get('/')
    const [cookie = ''] = String(headers['set-cookie']).split(';')
    return (path: string) =>
      request(onramp.app).get(path).set({ cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' })
  }
  const visit = async (path: string) => (await browser())(path)
  const scrape = async () =>
    (await request(onramp.metrics).get('/metrics').auth('the-token-of-metrics', { type: 'bearer' })).text
  return { ...store, onramp, clock, now, people, keyRing, reach, openedWith, lines, browser, visit, scrape }
}

const stranger = (onramp: ReturnType<typeof createOnramp>) => request(onramp.app)

it('the store is opened in server mode, with metrics and a health check, and closed', async () => {
  const { onramp, openedWith, reach, scrape } = compose()
  const [[given, , options] = []] = openedWith
  expect([given, options?.isServer]).toEqual([settings, true])
  options?.onOperation?.({ operation: 'get', isDone: true, seconds: 0.1 })
  expect(await scrape()).toContain(
    'onramp_store_operation_duration_seconds_count{operation="get",result="done"} 1',
  )
  expect(await scrape()).toContain('onramp_dependency_reachable{dependency="store"} 1')
  expect(await scrape()).toContain('onramp_dependency_reachable{dependency="authorization_server"} 0')
  reach.isReachable = false
  expect(await scrape()).toContain('onramp_dependency_reachable{dependency="store"} 0')
  await onramp.close()
  expect(reach.isClosed).toBe(true)
})

it('the start creates the installation’s data key, and discovers the authorization server', async () => {
  const { onramp, values, scrape } = compose()
  await onramp.start()
  expect(values.has('installation')).toBe(true)
  await expect
    .poll(scrape)
    .toContain('onramp_authorization_server_call_duration_seconds_count{operation="discovery",status="none"}')
})

it('readiness covers the store, the authorization server and the drain', async () => {
  const { onramp } = compose()
  const { body } = await stranger(onramp).get('/readyz').expect(503)
  expect(body).toMatchObject({ store: 'ok', authorizationServer: 'not usable yet', draining: false })
  onramp.drain()
  expect((await stranger(onramp).get('/readyz').expect(503)).body).toMatchObject({ draining: true })
})

it('/metrics without METRICS_TOKEN is refused, and logged', async () => {
  const { onramp, lines } = compose()
  await request(onramp.metrics).get('/metrics').expect(401)
  const refusal = { code: 'token_refused', status: 401, method: 'GET', route: '/metrics' }
  expect(lines.at(-1)).toMatchObject(refusal)
  await request(onramp.metrics).get('/healthz').expect(404)
})

it('/metrics counts problems', async () => {
  const { onramp, scrape } = compose()
  onramp.countProblem('internal')
  await stranger(onramp).post('/sign-out').set('sec-fetch-site', 'cross-site').expect(403)
  expect(await scrape()).toContain('onramp_problems_total{code="cross_site"} 1')
  expect(await scrape()).toContain('onramp_problems_total{code="internal"} 1')
})

it('/metrics has the latest counts of people by onramp keep', async () => {
  const { records, keyRing, scrape } = compose()
  expect(await scrape(), 'Without a run').not.toMatch(/^onramp_(people|last_run)/m)
  const row = { ready: 7, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 3, people: 10, gone: 0 }
  const days = [{ day: '2026-11-26', ...row }]
  await new KeepStateStore(records, keyRing).save({ massDisconnects: [], zones: {}, lastRunAt: 5_000, days })
  const page = await scrape()
  for (const line of ['{state="ready"} 7', '{state="fell_back"} 3', '{state="not_started"} 0'])
    expect(page).toContain(`onramp_people${line}`)
  expect(page).toContain('onramp_last_run_timestamp_seconds 5')
})

it('a person’s own page leaves out an app that was called removed', async () => {
  const { records, keyRing, browser, clock } = compose()
  const get = await browser()
  const app = { instance: 'github_1', name: 'GitHub', noticedAt: 1, since: 1, people: 9, markedRemovedAt: 2 }
  await get('/onboarding')
  service.listed = ['slack_1']
  expect((await get('/onboarding')).text).toContain('github_1')
  await new KeepStateStore(records, keyRing).save({ ...newKeepState(), delistedApps: [app] })
  clock.now += 60_000
  await get('/onboarding')
  expect((await get('/onboarding')).text).not.toContain('github_1')
})

it('invitations are verified with INVITE_SECRET, PUBLIC_URL and the clock', async () => {
  const { onramp, clock } = compose()
  const page = async (secret: string, audience: string) => {
    const invitations = new Invitations([secret], audience, () => clock.now)
    const token = invitations.issue({ email: 'ada@acme.example', datasources: [] }, 1)
    const open = async () => (await stranger(onramp).get(`/invite/${token}`)).text
    return { first: await open(), open }
  }

  const { first, open } = await page(INVITE_SECRET, ORIGIN)

  // The page has the sender, and the apps in the order and with the names of the company file, without hidden ones.
  expect(first).toMatch(/Github.*Team chat/is)
  expect(first).not.toMatch(/>\s*(All|Secret)\s*</)
  expect(first).toContain('The search team')
  expect((await page(SECRET, ORIGIN)).first).not.toContain('The search team')
  expect((await page(INVITE_SECRET, 'https://other.example')).first).not.toContain('The search team')

  clock.now += 2 * DAY * 1000
  expect(await open()).not.toContain('The search team')
})

it('a check names the person in its headers, and sends our final_redirect_url', async () => {
  const { visit, scrape } = compose()
  expect((await visit('/onboarding')).status).toBe(200)
  const returnUrl = encodeURIComponent(`${ORIGIN}/onboarding/callback`)
  expect(service.sent[0]).toMatchObject({
    origin: 'https://service.example',
    path: `/base/rest/api/v1/checkdatasourceauth?final_redirect_url=${returnUrl}`,
    headers: { authorization: 'Bearer token', 'x-acme-auth-type': 'OAUTH' },
  })
  expect(await scrape()).toMatch(
    /onramp_service_call_duration_seconds_count\{operation="checkdatasourceauth",status="2xx"\} 1/,
  )
})

it('the overview has the order, the names and the hidden apps of the company file', async () => {
  const { text } = await compose().visit('/onboarding')
  expect(text.indexOf('github_1')).toBeLessThan(text.indexOf('slack_1'))
  expect(text).toContain('Team chat')
  expect(text).not.toContain('secret_1')
})

it('a person’s record has the result of a check, for INVITE_RETENTION_DAYS', async () => {
  const { visit, people, lives, clock } = compose()
  await visit('/onboarding')
  const person = await people.get('ada@acme.example')
  expect(person?.lastCheck).toMatchObject({ checkedAt: clock.now })
  const livesOfPeople = [...lives].filter(([key]) => key.startsWith('person')).map(([, life]) => life)
  expect(Math.max(...livesOfPeople)).toBe(30 * DAY)
})

it('an unreadable 200 of the service counts as no response', async () => {
  service.body = { planted: 1 }
  const { visit, scrape } = compose()
  await visit('/onboarding')
  const page = await scrape()
  const counts = /onramp_service_call_duration_seconds_count\{.*\} \d+/.exec(page)?.[0]
  expect(counts).toBe(
    'onramp_service_call_duration_seconds_count{operation="checkdatasourceauth",status="none"} 1',
  )
})

it('a token that the service repeats in its error is never logged', async () => {
  Object.assign(service, { status: 400, body: { message: 'planted: token' } })
  const { visit, lines } = compose()
  await visit('/onboarding')
  expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('“planted: …”'))
})

it('an app that the service lists without a usable link is counted and logged', async () => {
  service.body = { unauthorizedDatasourceInstances: [{ datasourceInstance: 'slack_1' }] }
  const { visit, scrape, lines } = compose()
  await visit('/onboarding')
  expect(await scrape()).toContain('onramp_problems_total{code="datasource_cannot_start"} 1')
  expect(lines).toContainEqual(
    expect.objectContaining({ datasource: 'slack_1', authUrlRelativePath: 'missing' }),
  )
})

it.each<[string, string[], Partial<typeof settings> & { help?: boolean }, number, boolean]>([
  ['goes on', ['slack_1'], {}, 303, false],
  ['ends at a page with ADVANCE=confirm', ['slack_1'], { ADVANCE: 'confirm' }, 200, false],
  ['ends at a page before an app with help', ['slack_1'], { help: true }, 200, false],
  ['waits for the service', ['github_1'], {}, 200, true],
  ['waits as long as CONFIRM_SECONDS', ['github_1'], { CONFIRM_SECONDS: 0 }, 200, false],
])('a return from an app %s', async (_title, listed, { help, ...overrides }, status, isWaiting) => {
  const HELP = join(folder, 'help.yaml')
  writeFileSync(HELP, 'name: Acme\ndatasources:\n  slack: { help: Ask the team }\n')
  const { browser } = compose(immediateRecords(), { ...overrides, ...(help && { COMPANY_FILE: HELP }) })
  const get = await browser()
  await get('/onboarding/connect/github_1').expect(303)
  const [, step] = service.sent.map(({ path }) => /step%3D(\w+)/.exec(path)).find(Boolean) ?? []
  service.listed = listed
  await get(`/onboarding/callback?step=${step}`).expect(status)
  expect('refresh' in (await get('/onboarding')).headers).toBe(isWaiting)
})

it.each([
  ['yes', 'a line'],
  ['no', 'no line'],
] as const)('with REQUEST_LOG=%s, a request has %s in the log', async (wanted, _title) => {
  const { visit, lines } = compose(immediateRecords(), { REQUEST_LOG: wanted })
  await visit('/onboarding')
  expect(lines.some(({ msg }) => msg === 'request')).toBe(wanted === 'yes')
})

it('events are sent to WEBHOOK_URL', async () => {
  const { visit } = compose()
  await visit('/onboarding')
  await expect.poll(() => service.sent.map(({ origin }) => origin)).toContain('http://localhost:9')
  const event = service.sent.find(({ origin }) => origin === 'http://localhost:9')
  expect(event?.path).toBe('/events?of=acme')
  expect(event?.headers['webhook-signature']).toMatch(/^v1,/)
})

it('a search uses the person’s token', async () => {
  const { browser } = compose()
  const get = await browser()
  await get('/search?q=plan').expect(200)
  expect(service.sent).toMatchObject([
    { path: '/base/rest/api/v1/search', headers: { authorization: 'Bearer token' } },
  ])
  expect(service.sent[0]?.body).toBe(JSON.stringify({ query: 'plan', pageSize: 10 }))
})

it('an app hidden later in the company file disappears from the walk and the report', async () => {
  const HIDES_NOTHING = join(folder, 'open.yaml')
  writeFileSync(HIDES_NOTHING, 'name: Acme\n')
  const { visit, records, ...store } = compose(immediateRecords(), { COMPANY_FILE: HIDES_NOTHING })
  await visit('/onboarding')
  const later = compose({ records, ...store })
  const { body } = await (await later.browser())('/api/status').expect(200)
  expect(body).toMatchObject({ connected: 0, pending: 2 })
  const admin = await later.browser({ subject: 'grace', email: 'grace@acme.example' })
  expect((await admin('/admin/report.json').expect(200)).text).not.toContain('secret_1')
})

it('an opt-out follows someone whose walk has expired to their new address', async () => {
  const { browser, records, people, lines } = compose()
  await (await browser())('/onboarding').expect(200)
  await people.change('ada@acme.example', (person) => ({ ...person, optedOutAt: 1 }))
  for await (const [key = ''] of records.keys('walk:')) await records.remove(key)

  await (await browser({ email: 'king@acme.example' }))('/onboarding').expect(200)

  expect(await people.get('king@acme.example')).toMatchObject({
    optedOutAt: 1,
    formerEmails: ['ada@acme.example'],
  })
  expect(lines).toContainEqual(expect.objectContaining({ audit: 'renamed', result: 'done' }))
})

it('an app that replaces another one stands for it in history and lists', async () => {
  const REPLACES = join(folder, 'replaces.yaml')
  writeFileSync(REPLACES, 'name: Acme\ndatasources:\n  slack_2: { replaces: slack_1 }\n')
  const store = immediateRecords()
  const { visit } = compose(store)
  await visit('/onboarding')
  service.listed = ['github_1']
  await visit('/onboarding')
  service.listed = ['github_1', 'slack_2']
  const later = compose(store, { COMPANY_FILE: REPLACES })
  await later.visit('/onboarding')
  const person = await later.people.get('ada@acme.example')
  expect(person?.lastCheck?.apps.find(({ instance }) => instance === 'slack_2')).toMatchObject({
    movedFrom: 'slack_1',
  })

  service.listed = ['slack_1']
  const bob = await later.browser({ subject: 'bob', email: 'bob@acme.example' })
  expect((await bob('/api/status')).body).toMatchObject({ connected: 0, pending: 1 })
})

it('the start sends pending events to WEBHOOK_URL, and retries after the receiver’s Retry-After', async () => {
  Object.assign(service, { status: 503, headers: { 'retry-after': '3600' } })
  const { onramp, people, clock } = compose()
  await people.change('ada@acme.example', (person) => ({ ...person, signedInAt: clock.now }))
  await onramp.start()
  const dueIn = async () => ((await people.get('ada@acme.example'))?.outbox?.[0]?.dueAt ?? 0) - clock.now
  await expect.poll(dueIn).toBe(3_600_000)
})

it('the store is closed after the outcome of pending events is recorded', async () => {
  const { onramp, visit, reach } = compose()
  const { promise: answered, resolve: answerNow } = Promise.withResolvers<void>()
  service.receiver = answered
  await visit('/onboarding')
  await expect.poll(() => service.sent.map(({ origin }) => origin)).toContain('http://localhost:9')
  const closing = onramp.close()
  await new Promise(setImmediate)
  expect(reach.isClosed).toBe(false)
  answerNow()
  await closing
  expect(reach.isClosed).toBe(true)
})

it('the service’s deprecation headers are counted and logged', async () => {
  service.headers = { deprecation: 'true' }
  const { visit, scrape, lines } = compose()
  await visit('/onboarding')
  expect(await scrape()).toMatch(
    /onramp_deprecated_use_total\{item=".*checkdatasourceauth",by="announced"\} 1/,
  )
  expect(lines.map(({ deprecation }) => deprecation)).toContainEqual(
    expect.stringContaining('checkdatasourceauth'),
  )
})

it('an oversized response is logged', async () => {
  service.listed = [`slack_${'1'.repeat(300)}`]
  const { visit, lines } = compose()
  await visit('/onboarding')
  expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('a datasource name exceeds'))
})

it.each([
  ['keeps', 'has', ['https://intranet.example'], '?return_to=https%3A%2F%2Fintranet.example%2Fhome'],
  ['loses', 'lacks', [], ''],
])('a walk %s its link to the intranet if RETURN_TO_ORIGINS %s it', async (...row) => {
  const [, , origins, query] = row
  const { visit, records, ...store } = compose()
  await visit('/onboarding?return_to=https://intranet.example/home')
  const later = compose({ records, ...store }, { RETURN_TO_ORIGINS: origins })
  const { headers } = await (await later.browser())('/onboarding/callback').expect(303)
  expect(headers['location']).toBe(`/onboarding${query}`)
})

it.each<[Partial<User>, number, string?]>([
  [{ email: 'grace@acme.example' }, 200, 'you'],
  [{ groups: ['rollout'] }, 200, 'grace@acme.example'],
  [{ email: 'grace@acme.example', emailVerified: false }, 403],
  [{}, 403],
])('someone with %j who opens /admin gets %i', async (of, status, owner) => {
  const { browser, people } = compose()
  await people.change('ada@acme.example', (ada) => withAppStates(ada, { slack_1: 'blocked' }, Date.now()))
  const get = await browser(of)
  await get('/admin').expect(status)
  expect(/waiting for (\S+)/.exec((await get('/approvals/slack_1')).text)?.[1]).toBe(owner)
  expect((await get('/sessions')).text.includes('href="/admin"')).toBe(status === 200)
})

it('pages that call the service or read all people share one rate limit per person', async () => {
  const get = await compose().browser({ subject: 'grace', email: 'grace@acme.example' })
  for (let count = 0; count < 200; count++) await get('/admin/nowhere').set('accept', 'application/json')
  const paths =
    '/admin /Admin/report.json /SEARCH/?q=x /onboarding /Onboarding/Connect/slack_1 /onboarding/callback?step=x /API/Status/ /approvals/slack_1'
  for (const path of paths.split(' ')) expect([path, (await get(path)).status]).toEqual([path, 429])
  expect(service.sent).toEqual([])
  // The page of sign-ins has a limit of its own.
  for (let count = 0; count < 200; count++) await get('/SESSIONS/').expect(200)
  await get('/sessions').expect(429)
})

it('another site opens four admin pages in ten seconds', async () => {
  const get = await compose().browser({ email: 'grace@acme.example' })
  const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  for (let count = 0; count < 4; count++) await get('/admin/nowhere').set(foreign).expect(404)
  for (const path of ['/admin/nowhere', '/approvals/slack_1'])
    expect((await get(path).set(foreign)).status).toBe(429)
})

it('an admin sees the company’s app names, and the audit log identifies them through INVITE_SECRET', async () => {
  const { browser, visit, lines } = compose()
  await visit('/onboarding')
  const admin = await browser({ subject: 'grace', email: 'grace@acme.example' })
  const { text } = await admin('/admin/report.json').expect(200)
  expect(text).toContain('Team chat')
  const ids = createAuditIds([INVITE_SECRET], normalizedAddress)
  expect(lines.find(({ audit }) => audit === 'admin_viewed')).toMatchObject({
    user: ids.ofUser({ issuer: 'https://as.example', subject: 'grace' }),
    emailId: ids.ofEmail('grace@acme.example'),
  })
})

it('pages have the company’s name, its languages and its stylesheet', async () => {
  const { onramp, browser } = compose()
  const get = await browser()
  const { text } = await get('/onboarding').set('accept-language', 'de')
  expect(text).toContain('<html lang="de"')
  expect(text).toContain('<strong>Acme</strong>')
  expect((await get('/onboarding').set('accept-language', 'fr')).text).toContain('<html lang="en"')
  const [, sheet = ''] = /href="(\/assets\/company\/brand[^"]*)"/.exec(text) ?? []
  expect((await stranger(onramp).get(sheet).expect(200)).text).toContain('--brand')
})

it('the widget has the company’s texts', async () => {
  const { text } = await stranger(compose().onramp).get('/widget.js').expect(200)
  expect(text).toContain('"searchUrl":"https://find.acme.example/"')
})

it('the language menu keeps an allowed return link', async () => {
  const { text } = await compose().visit('/deprecations?return_to=https://intranet.example/home')
  expect(text).toContain(encodeURIComponent('https://intranet.example/home'))
})
