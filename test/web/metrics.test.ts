import { afterAll, beforeAll, expect, it } from 'vitest'
import { run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

let running: Running
beforeAll(async () => {
  running = await run()
})
afterAll(() => running.close())

const metrics = async () => (await new TestBrowser().open(`${running.url}/metrics`)).body

it('tells how long requests and calls of the service take, and what could not be answered', async () => {
  const ada = await signIn(running, 'ada')
  await ada.open('/onboarding')
  await ada.open('/nowhere')
  running.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 503 } } })
  await ada.open('/onboarding')
  const page = await metrics()
  const calls = 'onramp_service_call_duration_seconds_count'
  expect(page).toMatch(new RegExp(`^${calls}\\{operation="checkdatasourceauth",status="2xx"\\} [1-9]`, 'm'))
  expect(page).toMatch(new RegExp(`^${calls}\\{operation="checkdatasourceauth",status="5xx"\\} [1-9]`, 'm'))
  expect(page).toMatch(/^onramp_problems_total\{code="not_found"\} 1$/m)
  expect(page).toMatch(/^onramp_problems_total\{code="service_unavailable"\} 1$/m)
  expect(page).toMatch(
    /^onramp_http_request_duration_seconds_count\{route="\/onboarding",method="GET",status="2xx"\}/m,
  )
})

it('names nobody, and no address with its query', async () => {
  await signIn(running, 'ada')
  await new TestBrowser().open(`${running.url}/sign-in?return_to=/secret-place&login_hint=ada@acme.example`)
  expect(await metrics()).not.toMatch(/ada|acme|secret-place|\?|slack_1/)
})
