// The whole server with hostile requests and responses of the service: never a 500, never a second of work, and the
// next person is served normally. HOSTILE_RUNS and HOSTILE_SEED as in readers.test.ts.
import { connect } from 'node:net'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { jsonTextWith, near, reshaped, numRuns, seed, words } from './inputs.ts'

const MAX_CPU_MICROSECONDS = 1_000_000
/** An incomplete request gets no response. */
const MAX_WAIT_MS = 1_000

const PATHS = words(`
  /onboarding /onboarding/connect /onboarding/connect/slack_1 /onboarding/callback /onboarding/skip/slack_1
  /sign-in /sign-in/callback /sign-in/same-account /signed-out /sign-out/continue /sign-out/backchannel
  /api/status /search /sessions /sessions/end/abc /invite/abc.def.ghi /invite/abc/start /invite/abc/opt-out
  /admin /admin/people /admin/people.csv /admin/report.json /admin/apps
  /deprecations /deprecations.json /widget.js /healthz /assets/../../etc/passwd /`)
const path = fc.constantFrom(...PATHS)
const query = near(
  'only=slack_1&from=slack_1&return_to=%2Fonboarding&still=yes&lang=ar',
  'step=aaaaaaaaaaaa&error=access_denied&error_description=no',
  'return_to=https%3A%2F%2Fevil.example&hint=ada%40acme.example',
  'code=abc&state=def&iss=http%3A%2F%2F127.0.0.1',
  'q=plan&app=slack&page=2',
  'state=stuck&sort=name&page=2&department=a',
)

/** Most of them well formed, or nothing would get past the parser of HTTP. */
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: odd })

const escaped = (text: string) =>
  text.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character))
const withQuery = fc.tuple(path, query).map(([one, other]) => `${one}?${escaped(other)}`.slice(0, 8_000))
const nearPath = near(...PATHS).map((text) => `/${escaped(text).replace(/^\/+/, '')}`.slice(0, 8_000))
const target = fc.oneof(
  { weight: 8, arbitrary: withQuery },
  { weight: 4, arbitrary: nearPath },
  { weight: 1, arbitrary: near(...PATHS) },
)
const someNames =
  'Accept Accept-Language X-Forwarded-For X-Forwarded-Proto Origin Referer Cookie Authorization traceparent Range If-None-Match'
const name = mostly(
  fc.constantFrom(...words(someNames)),
  near('Accept', 'Host', 'Transfer-Encoding', 'Expect', 'Upgrade').map((text) => text.slice(0, 300)),
)
const values = near(
  'text/html,application/json;q=0.9',
  'de-CH, ar;q=0.8, x-klingon',
  '10.1.2.3, ::1',
  'onramp=s:abc.def; lang=de',
  'https://evil.example',
  '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-01',
  'Bearer abc',
  'bytes=0-1, 2-',
).map((text) => text.slice(0, 4_000))
const value = mostly(
  values.map((text) => text.replaceAll(/[^\x20-\x7e]/g, '')),
  values,
)
const form = near('logout_token=abc.def.ghi&x=1', '_csrf=abc&prompt=login', '{"a":1}', 'lang=de')
const body = fc.oneof(
  form.map((text) => text.slice(0, 20_000)),
  fc.constant(''),
)
const types = 'application/x-www-form-urlencoded application/json text/plain multipart/form-data'
const request = fc.record({
  method: fc.constantFrom(...words('GET GET GET POST POST HEAD OPTIONS PUT DELETE TRACE QUERY get')),
  target,
  headers: fc.array(fc.tuple(name, value), { maxLength: 4 }),
  type: fc.constantFrom(...words(types)),
  encoding: fc.constantFrom(...Array<string>(12).fill(''), 'gzip', 'br', 'x'),
  body,
  isSignedIn: fc.boolean(),
  site: fc.constantFrom(...Array<string>(9).fill('same-origin'), 'none', 'none', 'cross-site', 'x'),
})
type Sent = typeof request extends fc.Arbitrary<infer T> ? T : never

/** @returns the status; 0 if the server closed the connection without a response */
function send(url: string, sent: Sent, cookie: string): Promise<number> {
  const { hostname, port } = new URL(url)
  const bytes = Buffer.from(sent.body)
  const lines = [
    `${sent.method} ${sent.target} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Sec-Fetch-Site: ${sent.site}`,
    ...(sent.isSignedIn ? [`Cookie: ${cookie}`] : []),
    ...(bytes.length > 0 ? [`Content-Type: ${sent.type}`, `Content-Length: ${bytes.length}`] : []),
    ...(sent.encoding === '' ? [] : [`Content-Encoding: ${sent.encoding}`]),
    ...sent.headers.map(([one, other]) => `${one}: ${other}`),
    'Connection: close',
  ]
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => (text += text.length < 100 ? chunk : ''))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)))
    // A server gives up on a client that has closed its end, so this closes it only where no answer comes.
    socket.setTimeout(MAX_WAIT_MS, () => socket.end())
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]))
  })
}

const unconnected = { datasourceInstance: 'slack_1', displayName: 'Slack', authStatus: 'AWAITING_AUTH' }
const answer = fc.record({
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constant(200) },
    fc.constantFrom(201, 204, 206, 301, 304, 307, 400, 401, 403, 404, 409, 410, 418, 429, 500, 503, 599),
  ),
  contentType: fc.constantFrom('application/json', 'text/html', 'application/json; charset=utf-16', ''),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { 'retry-after': '-1' },
    { location: '//evil.example' },
    { 'content-encoding': 'gzip' },
    { deprecation: '@x', sunset: 'soon', link: '<' },
    { 'www-authenticate': 'Bearer error="invalid_token' },
  ),
  body: fc.oneof(
    reshaped({
      unauthorizedDatasourceInstances: [{ ...unconnected, authUrlRelativePath: '/auth/datasource/slack_1' }],
    }),
    jsonTextWith('unauthorizedDatasourceInstances', ...Object.keys(unconnected)),
    near('{"message":"Invalid Secret"}', '<h1>502</h1>'),
  ),
  truncate: fc.constantFrom(true, ...Array<boolean>(9).fill(false)),
  close: fc.constantFrom(true, ...Array<boolean>(9).fill(false)),
})

/** A person has 200 requests in ten seconds: so many people take turns, and no request meets that limit. */
const PEOPLE = Array.from({ length: 100 }, (_, index) => `person-${index + 1}`)
const REQUESTS_EACH = 100

const ADMIN_EMAILS = PEOPLE.map((person) => `${person}@acme.example`).join()
const settings = { SIGN_INS_PER_MINUTE: '1000000', ADMIN_EMAILS }
const running = shared(() => run({ settings, sandbox: { company: PEOPLE.length } }))
let requests = 0
let browser: TestBrowser

async function someone(): Promise<TestBrowser> {
  const turn = Math.floor(requests / REQUESTS_EACH)
  if (requests++ % REQUESTS_EACH === 0) {
    const { switches } = running.sandbox
    const { answers } = switches.get()
    switches.set({ answers: { checkdatasourceauth: null, search: null } })
    browser = await signIn(running, PEOPLE[turn % PEOPLE.length] ?? '')
    switches.set({ answers })
  }
  return browser
}

const soon = async (work: () => Promise<unknown>) => {
  const began = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(began)
  expect(user + system, 'processor time, in microseconds').toBeLessThan(MAX_CPU_MICROSECONDS)
}

const isServed = async () =>
  expect((await (await someone()).open(`${running.url}/onboarding`)).status).toBe(200)

it(
  `a server answers or refuses every hostile request (seed ${seed})`,
  async () => {
    const statuses = new Set<number>()

    await fc.assert(
      fc.asyncProperty(request, (sent) =>
        soon(async () => {
          const status = await send(running.url, sent, (await someone()).cookieHeader(running.url))
          statuses.add(status)
          expect(status === 501 || status < 500, `status ${status}`).toBe(true)
        }),
      ),
      { numRuns: numRuns * 4, seed },
    )
    // Otherwise the generated responses would reach no page.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 303, 400, 403, 404]))
    requests = 0
    await isServed()
  },
  120_000 + numRuns * 40,
)

it(
  `people see a page, whatever the service responds (seed ${seed})`,
  async () => {
    const { switches } = running.sandbox

    await fc.assert(
      fc.asyncProperty(
        answer,
        fc.constantFrom('/onboarding', '/onboarding/connect', '/search?q=plan', '/api/status'),
        (answered, opened) =>
          soon(async () => {
            switches.set({ answers: { checkdatasourceauth: answered, search: answered } })
            const { status } = await (
              await someone()
            ).open(`${running.url}${opened}`, { follow: false, from: running.url })
            expect(status).not.toBe(500)
          }),
      ),
      { numRuns, seed },
    )
    switches.set({ answers: { checkdatasourceauth: null, search: null } })
    await isServed()
  },
  120_000 + numRuns * 40,
)
