// Metrics and the log of a running server.
import { expect, it } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const TOKEN = 'a-token-for-the-metrics'
const running = shared(() => run({ settings: { METRICS_TOKEN: TOKEN } }))
const HEADERS = { authorization: `Bearer ${TOKEN}` }
const metrics = async () =>
  (await new TestBrowser().open(`${running.url}/metrics`, { headers: HEADERS })).body

it('metrics have the calls of the service and the authorization server by status', async () => {
  const ada = await signIn(running, 'ada')
  await ada.open('/onboarding')
  running.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 503 } } })
  await ada.open('/onboarding')

  const page = await metrics()
  const calls = 'onramp_service_call_duration_seconds_count'

  expect(page).toMatch(new RegExp(`^${calls}\\{operation="checkdatasourceauth",status="2xx"\\} [1-9]`, 'm'))
  expect(page).toMatch(new RegExp(`^${calls}\\{operation="checkdatasourceauth",status="5xx"\\} [1-9]`, 'm'))
  for (const endpoint of ['discovery', 'token', 'jwks'])
    expect(page).toMatch(
      new RegExp(
        `^onramp_authorization_server_call_duration_seconds_count\\{operation="${endpoint}",status="2xx"\\} 1`,
        'm',
      ),
    )
  expect(page).toContain('onramp_dependency_reachable{dependency="authorization_server"} 1\n')
})

it('metrics count a rejected token separately, and an unreadable response as none', async () => {
  const statuses = async (answer: object) => {
    const ada = await signIn(running, 'ada')
    const counts = async () =>
      new Map(
        [...(await metrics()).matchAll(/^onramp_service_call_\w+_count\{.*status="(\w+)"\} (\d+)$/gm)].map(
          ([, status = '', count]) => [status, Number(count)],
        ),
      )
    const before = await counts()
    running.sandbox.switches.set({ answers: { checkdatasourceauth: answer } })
    await ada.open('/onboarding')
    running.sandbox.reset()
    return [...(await counts())].flatMap(([status, count]) =>
      count > (before.get(status) ?? 0) ? status : [],
    )
  }

  expect(await statuses({ status: 403, body: 'Forbidden' })).toEqual(['403'])
  expect(await statuses({ status: 401, body: 'Unauthorized' })).toEqual(['401'])
  expect(await statuses({ status: 404, body: '' })).toEqual(['4xx'])
  expect(await statuses({ status: 200, body: '<h1>Sign in</h1>', contentType: 'text/html' })).toEqual([
    'none',
  ])
  expect(await statuses({ status: 200, body: {} })).toEqual(['none'])
})

it('the metrics have the version', async () => {
  expect(await metrics()).toContain(`onramp_build_info{version="${VERSION}"} 1\n`)
})

it('the first log line says what is listening, where, and with which servers', () => {
  const line = running.log.find((one) => one.includes('"onramp is listening"'))
  expect(JSON.parse(line ?? '')).toMatchObject({
    version: VERSION,
    node: process.version,
    address: { port: Number(new URL(running.url).port) },
    PUBLIC_URL: running.url,
    OIDC_ISSUER: running.sandbox.urls.authorizationServer,
    store: 'SQLite',
  })
})

it('metrics contain no person, address or query', async () => {
  await signIn(running, 'ada')
  await new TestBrowser().open(`${running.url}/sign-in?return_to=/secret-place&login_hint=ada@acme.example`)
  expect(await metrics()).not.toMatch(/\bada\b|acme|secret-place|\?|slack_1/)
})
