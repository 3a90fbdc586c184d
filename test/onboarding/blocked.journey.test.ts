import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { run, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'

let running: Running

beforeAll(async () => {
  running = await run({ settings: { ADMIN_EMAILS: 'carol@acme.example', CONFIRM_SECONDS: '0' } })
})
afterAll(() => running.close())
beforeEach(() => running.sandbox.reset())

const status = async (browser: TestBrowser) => {
  const { body } = await browser.open('/api/status', {
    headers: { accept: 'application/json' },
    follow: false,
  })
  return JSON.parse(body) as Record<string, unknown>
}

it('what only an administrator can do is not offered any more, and administrators see it', async () => {
  const bob = await signIn(running, 'bob')
  expect(bob.text).toContain('Connect Slack')
  expect(bob.text).toContain('Your other apps')

  await bob.post('/onboarding/blocked/slack_1')

  expect(bob.text).toContain('Slack is waiting for an admin')
  expect(bob.text).toContain('Connect Google Drive')
  await bob.open('/onboarding')
  expect(bob.text).toContain('Waiting for admin')
  expect(await status(bob)).toMatchObject({ pending: 1, skipped: 0 })

  const carol = await signIn(running, 'carol', '/admin/people?show=blocked')
  expect(carol.text).toContain('bob@acme.example')
  expect(carol.text).toContain('Waiting for an admin (1)')
  const csv = await carol.open('/admin/people.csv')
  expect(csv.headers['content-disposition']).toContain('attachment')
  expect(csv.body).toMatch(/^"bob@acme\.example".*"Slack \[slack_1\]"/m)
  expect(csv.body).not.toContain('/auth/datasource')
  expect(running.log.filter((line) => line.includes('"audit":"blocked"'))).toHaveLength(1)
  expect(running.log.filter((line) => line.includes('"admin_viewed"'))).toHaveLength(2)

  await bob.open('/onboarding')
  await bob.submit('/onboarding/unblock/slack_1')
  expect(bob.text).toContain('Connect Slack')
})
