// Dynamic registration over processes and restarts, and while the endpoint fails.
import { expect, it, onTestFinished } from 'vitest'
import { expectSignedIn, messagesOf } from '../helpers/faulty.ts'
import { expectPage } from '../helpers/journey.ts'
import { until } from '../helpers/processes.ts'
import { signIn, type Running, type RunOptions } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { started } from './at-plain-server.ts'
import { signInAt, startTwo } from './two-processes.ts'

const OWN_CLIENT = { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }

const start = ({ settings, ...options }: RunOptions = {}): Promise<Running> =>
  started({ ...options, settings: { ...OWN_CLIENT, ...settings } })

const registrations = ({ sandbox }: Pick<Running, 'sandbox'>) => sandbox.count('registration')

it.each([403, 500])('the operator sees when the registration endpoint answers %i', async (status) => {
  const running = await start({ sandbox: { switches: { answers: { registration: { status } } } } })
  const browser = new TestBrowser()
  await browser.open(`${running.url}/onboarding`)
  expect(browser.page.status).toBe(503)
  expectPage(browser.page)
  expect(Number(browser.page.headers['retry-after'])).toBeGreaterThan(0)
  expect(browser.page.body).not.toContain('OIDC_CLIENT_ID')
  expect(messagesOf(running)).toContain(`the registration endpoint answered ${status}`)
  expect(messagesOf(running)).toContain('set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET')
  running.sandbox.switches.set({ answers: { registration: null } })
  await until(async () => (await fetch(`${running.url}/readyz`)).status === 200, 'the client')
  await expectSignedIn(running, await signIn(running, 'ada'))
})

it('two processes that start together register once, and both sign people in', async () => {
  const two = await startTwo({
    settings: OWN_CLIENT,
    sandbox: { switches: { latencyMs: { registration: 1_500 } } },
  })
  onTestFinished(() => two.close())
  expect(registrations(two)).toBe(1)
  const browser = await signInAt(two, 'ada')
  for (const { url } of two.processes) await expectSignedIn({ url }, browser)
  await Promise.all(two.processes.map((one) => one.end('SIGTERM')))
  await two.startAgain(0)
  await expectSignedIn(two, browser)
  expect(registrations(two)).toBe(1)
  const keys = (await two.redis.ask('KEYS', '*')) as string[]
  const values = await Promise.all(keys.map((key) => two.redis.ask('GET', key).catch(() => '')))
  const requests = two.sandbox.requests.find(({ operation }) => operation === 'authorization')
  const id = requests?.query['client_id']
  expect(id).toBeTypeOf('string')
  expect([...keys, ...values].join('\n')).not.toContain(id)
})
