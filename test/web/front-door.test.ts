// The whole app, for strangers and for pages of other sites.
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, expect, it } from 'vitest'
import { createAdminCheck } from '../../src/admin/routes.ts'
import { createOnramp } from '../../src/compose.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { useFolder } from '../helpers/folder.ts'
import { routesFor } from '../helpers/routes.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

const PER_MINUTE = 3
const folder = useFolder()
const env = {
  ...REQUIRED,
  ADMIN_EMAILS: 'ada@acme.example',
  REPORT_TOKEN: 'the-token-of-dashboards',
  SIGN_INS_PER_MINUTE: String(PER_MINUTE),
  TRUST_PROXY: 'loopback',
  RETURN_TO_ORIGINS: 'https://intranet.example',
  DATA_DIR: folder,
}
const settings = loadSettings(env)
const onramp = createOnramp(settings, createLog('silent'))
afterAll(() => onramp.close())

const PRIVATE = [
  '/onboarding /onboarding/connect /onboarding/callback?step=x /search?q=x /sessions',
  '/approvals/slack_1 /admin /admin/people /admin/people/key /admin/people.csv /admin/report.json /nowhere',
]

it.each(PRIVATE.join(' ').split(' '))(
  'a stranger who opens %s is redirected to the sign-in and back',
  async (path) => {
    const page = await request(onramp.app).get(path).set('accept', 'text/html')
    const returnTo = encodeURIComponent(path)
    expect([page.status, page.headers['location']]).toEqual([303, `/sign-in?return_to=${returnTo}`])
    const fetched = { accept: '*/*', 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }
    for (const program of [{ accept: 'application/json' }, fetched]) {
      const { type, body } = await request(onramp.app).get(path).set(program).expect(401)
      expect([type, body]).toMatchObject(['application/problem+json', { code: 'signed_out' }])
    }
  },
)

it.each([
  ['link of another site chooses the language', 'navigate', 'document', 303, 1],
  ['picture on another site chooses no language', 'no-cors', 'image', 403, 0],
])('a %s by ?lang=', async (_title, mode, dest, status, cookies) => {
  const metadata = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
  const response = await request(onramp.app)
    .get('/onboarding?lang=ar')
    .set(metadata)
    .set('accept', 'text/html')
  const chosen = String(response.headers['set-cookie']).startsWith('onramp-lang=ar') ? 1 : 0
  expect([response.status, chosen]).toEqual([status, cookies])
})

it('a HEAD request gets 404 for an unknown path, and reveals nothing about the person', async () => {
  const statusOf = async (path: string) => (await request(onramp.app).head(path)).status
  const nowhere = '/nowhere /admins /.env /deprecations.xml /constructor /assets/nowhere.css'
  await request(onramp.app).get('/assets/nowhere.css').expect(404)
  for (const path of nowhere.split(' ')) expect([path, await statusOf(path)]).toEqual([path, 404])
  const known = '/ /onboarding /onboarding/connect/nowhere_1 /invite/nowhere /admin'
  for (const path of known.split(' ')) expect([path, await statusOf(path)]).toEqual([path, 200])
})

it('a program that requests the schedule of an unknown API gets the valid values', async () => {
  const { body } = await request(onramp.app)
    .get('/deprecations.ics?api=foo')
    .set('accept', 'application/json')
    .expect(400)
  expect(body).toMatchObject({
    code: 'api_unknown',
    detail: expect.stringContaining('client or indexing') as string,
  })
  const calendar = await request(onramp.app).get('/deprecations.ics?api=foo').set('accept', 'text/calendar')
  expect([calendar.status, calendar.text]).toEqual([400, expect.stringContaining('client or indexing')])
})

it('a HEAD request for the schedule gets the status of a GET', async () => {
  for (const path of ['/deprecations', '/deprecations.json', '/deprecations.ics?api=foo']) {
    const { status } = await request(onramp.app).get(path)
    expect([path, (await request(onramp.app).head(path)).status]).toEqual([path, status])
  }
})

const fromElsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }

/** Servers post to the others, and prove who they are by a logout token or an invitation's token (RFC 8058). */
const FORMS = (await routesFor('post', env)).filter((route) => !/\/(backchannel|opt-out)$/.test(route))

it('the list of forms covers every feature', () => {
  const some = ['/sign-out', '/onboarding/skip/:instance', '/approvals/:instance', '/sessions/end/:name']
  expect(FORMS).toEqual(expect.arrayContaining(some))
})

it.each(FORMS.map((route) => route.replace(/:\w+/, 'slack_1')))(
  'POST %s is refused to pages of other sites, and allowed to ours',
  async (path) => {
    const statusFor = async (how: Record<string, string>) =>
      (await request(onramp.app).post(path).set(how)).status
    const form = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect(await statusFor({ ...fromElsewhere, ...form })).toBe(403)
    expect(await statusFor({ origin: fromElsewhere.origin })).toBe(403)
    // An origin that only begins like ours.
    expect(await statusFor({ origin: `${REQUIRED.PUBLIC_URL}.evil.example` })).toBe(403)
    // A sandboxed frame.
    expect(await statusFor({ origin: 'null' })).toBe(403)
    // Another host of the same domain.
    expect(await statusFor({ 'sec-fetch-site': 'same-site', ...form })).toBe(403)
    expect(await statusFor({ 'sec-fetch-site': 'same-origin', ...form })).not.toBe(403)
  },
)

it('another site can link to our pages, but not embed, fetch or frame them', async () => {
  const get = (how: object) =>
    request(onramp.app)
      .get('/onboarding')
      .set({ ...fromElsewhere, ...how })
  const link = await get({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })
  expect(link.status).not.toBe(403)
  expect(link.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect((await get({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).status).toBe(403)
  expect((await get({ 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).status).toBe(403)
  const fetched = await get({ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept: '*/*' })
  expect([fetched.status, fetched.body]).toMatchObject([403, { code: 'cross_site' }])
})

it('the liveness response identifies onramp, but not its version', async () => {
  const { headers, body } = await request(onramp.app).get('/healthz').expect(200)
  expect([headers['x-onramp'], body]).toEqual(['healthz', { status: 'ok' }])
  expect(JSON.stringify(headers)).not.toMatch(/\d+\.\d+\.\d+/)
})

it('/api/status varies by Origin, and allows only RETURN_TO_ORIGINS', async () => {
  for (const origin of [undefined, 'https://intranet.example', 'https://intranet.example:8443']) {
    const calls = request(onramp.app).options('/api/status')
    const { headers } = await (origin === undefined ? calls : calls.set({ origin }))
    expect(headers['vary']).toContain('Origin')
    expect(headers['access-control-allow-origin']).toBe(
      origin === 'https://intranet.example' ? origin : undefined,
    )
  }
  // A script can't be redirected to a sign-in.
  await request(onramp.app).get('/api/status').set('accept', 'text/html').expect(401)
})

// prettier-ignore
it.each([
  ['signing in', ['get /sign-in', 'get /Sign-iN/?a=1', 'get /Sign-In/Callback/?state=x', 'get /Invite/x/START/']],
  ['signing out', ['post /sign-out/', 'post /Sign-Out']],
  ['stopping reminders', ['post /invite/x/opt-out', 'get /Invite/x/Opt-Out/']],
  ['logout tokens', ['post /sign-out/backchannel', 'post /Sign-Out/Backchannel/']],
  ['reports', ['get /admin/report.json', 'get /Admin/People.csv/']],
])('an address has a separate limit for %s, in any spelling of the path', async (_title, calls) => {
  const statusOf = async (call = '') => {
    const [method, path = ''] = call.split(' ') as ['get' | 'post', string?]
    const sent = {
      accept: 'application/json',
      authorization: 'Bearer guessed',
      'x-forwarded-for': '203.0.113.1',
    }
    return (await request(onramp.app)[method](path).set(sent)).status
  }
  for (let count = 0; count < PER_MINUTE; count++)
    expect(await statusOf(calls[count % calls.length])).not.toBe(429)
  for (const call of calls) expect([call, await statusOf(call)]).toEqual([call, 429])
})

it('sign-ins are limited for the whole /64 of an IPv6 address (RFC 6177)', async () => {
  const isRefused = async (address: string) =>
    (await request(onramp.app).get('/sign-in').set('x-forwarded-for', address)).status === 429
  for (let host = 1; host <= PER_MINUTE; host++)
    expect(await isRefused(`2001:db8:1:2:${host}::${host}`)).toBe(false)
  expect(await isRefused('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(true)
  expect(await isRefused('2001:db8:1:3::1')).toBe(false)
})

it.each([
  ['an inner proxy with a port', (host: number) => `198.51.100.${host}:4711, 127.0.0.4:51234`],
  ['an inner proxy with an IPv6 address', (host: number) => `198.51.101.${host}:4711, [::1]:51234`],
])('people behind %s are rate-limited by their own address', async (_title, forwardedFor) => {
  const isRefused = async (host: number) =>
    (await request(onramp.app).get('/sign-in').set('x-forwarded-for', forwardedFor(host))).status === 429
  for (let host = 1; host <= PER_MINUTE; host++) expect(await isRefused(host)).toBe(false)
  expect(await isRefused(99)).toBe(false)
  for (let count = 1; count < PER_MINUTE; count++) expect(await isRefused(99)).toBe(false)
  expect(await isRefused(99)).toBe(true)
})

it('a hop with a port that isn’t our proxy is the client', async () => {
  const isRefused = async (host: number) => {
    const forwardedFor = `198.51.100.${host}, 203.0.113.9:4711`
    return (await request(onramp.app).get('/sign-in').set('x-forwarded-for', forwardedFor)).status === 429
  }
  for (let host = 1; host <= PER_MINUTE; host++) expect(await isRefused(host)).toBe(false)
  expect(await isRefused(99)).toBe(true)
})

it('without a proxy, a client is rate-limited by its own address, whatever its headers are', async () => {
  const direct = { ...settings, TRUST_PROXY: undefined, DATA_DIR: join(folder, 'direct') }
  const other = createOnramp(direct, createLog('silent'))
  const named = (host: number) => request(other.app).get('/sign-in').set('x-forwarded-for', `192.0.2.${host}`)
  for (let host = 1; host <= PER_MINUTE; host++) await named(host)
  expect((await named(PER_MINUTE + 1)).status).toBe(429)
  await other.close()
})

it('only a verified address opens the pages of admins', () => {
  const isAdmin = createAdminCheck(['Grace@ACME.example '], [])
  const user = { issuer: 'https://idp.example', subject: 'grace', email: 'gracE@acme.example' }
  expect(isAdmin({ ...user, emailVerified: true })).toBe(true)
  expect(isAdmin({ ...user, emailVerified: false })).toBe(false)
  expect(isAdmin(user)).toBe(false)
  expect(isAdmin({ issuer: user.issuer, subject: 'x', emailVerified: true })).toBe(false)
  expect(createAdminCheck([], [])({ ...user, emailVerified: true })).toBe(false)
  const lookAlike = 'gr\u0430ce@acme.example'
  for (const emails of [['grace@acme.example', lookAlike], [lookAlike]])
    expect(createAdminCheck(emails, [])({ ...user, email: lookAlike, emailVerified: true })).toBe(false)
})

it.each([
  ['https://onramp.example', 'has HSTS and Secure cookies', 'max-age=31536000; includeSubDomains'],
  ['http://localhost:3000', 'has neither HSTS nor Secure cookies', undefined],
])('onramp at %s %s', async (PUBLIC_URL, _title, hsts) => {
  const atUrl = createOnramp(
    { ...settings, PUBLIC_URL, DATA_DIR: join(folder, 'secure') },
    createLog('silent'),
  )

  const { headers } = await request(atUrl.app).get('/deprecations?lang=de').set('accept', 'text/html')

  expect(headers['strict-transport-security']).toBe(hsts)
  expect(String(headers['set-cookie']).includes('Secure')).toBe(hsts !== undefined)
  await atUrl.close()
})

const METRICS_TOKEN = 'the-token-of-the-metrics'
const BEARER = `Bearer ${METRICS_TOKEN}`
const wrongTokens = ['', `${BEARER}x`, 'Bearer ', `Basic ${METRICS_TOKEN}`, METRICS_TOKEN]
const refusal = { onPort: 401, asks: 'Bearer' }
// prettier-ignore
it.each([
  ['is closed without METRICS_TOKEN', {}, '', { onPort: 403 }],
  ['is closed to any token without METRICS_TOKEN', {}, BEARER, { onPort: 403 }],
  ...wrongTokens.map((header) => [`refuses “${header}”`, { METRICS_TOKEN }, header, refusal] as const),
  ['is open to the token', { METRICS_TOKEN }, BEARER, { onPort: 200 }],
  ['is open to the token after “bearer”', { METRICS_TOKEN }, BEARER.replace('B', 'b'), { onPort: 200 }],
  // On PORT, any other path leads to the sign-in.
  ['is on METRICS_PORT alone', { METRICS_PORT: 9464 }, '', { onPort: 303, onMetricsPort: 200 }],
  ['needs the token there', { METRICS_PORT: 9464, METRICS_TOKEN }, '', { onPort: 303, onMetricsPort: 401 }],
  ['is open to the token there', { METRICS_PORT: 9464, METRICS_TOKEN }, BEARER, { onPort: 303, onMetricsPort: 200 }],
] as [string, object, string, object][])('/metrics %s', async (_title, given, authorization, expected) => {
  const DATA_DIR = join(folder, 'metrics')
  const other = createOnramp({ ...settings, ...given, DATA_DIR }, createLog('silent'))
  const ask = (app: Parameters<typeof request>[0]) =>
    request(app).get('/metrics').set({ accept: 'text/html', authorization })
  const { status: onPort, headers } = await ask(other.app)
  const { status: onMetricsPort } = await ask(other.metrics)
  await other.close()
  expect({ onPort, onMetricsPort, asks: headers['www-authenticate'] }).toMatchObject(expected)
})
