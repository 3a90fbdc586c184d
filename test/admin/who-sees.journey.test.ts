// Access to the pages of administrators, and their view of a walk.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerConsent } from '../helpers/journey.ts'
import { run, signIn, type Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await run({ settings: { ADMIN_EMAILS: 'carol@acme.example', CONFIRM_SECONDS: '0' } })
})
afterAll(() => running.close())

const PATHS = ['', '/people?show=all', '/departments', '/apps', '/people.csv', '/report.json', '/nothing']

it('people who aren’t admins get 403 on every admin page, with a contact', async () => {
  const bob = await signIn(running, 'bob')
  const noted = () => running.log.filter((line) => line.includes('"admin_viewed"')).length
  for (const path of PATHS)
    expect((await bob.open(`/admin${path}`, { follow: false })).status, path).toBe(403)
  await bob.open('/admin')
  expect(bob.text).toContain('This page is for rollout admins')
  expect(bob.text).toContain('ask the team that runs search to add your email to ADMIN_EMAILS')
  expect(noted()).toBe(0)
})

it('someone who returned without consent is listed as stuck, with the app', async () => {
  const ada = await signIn(running, 'ada')
  await ada.click('/onboarding/connect/slack_1')
  await answerConsent(ada, 'deny')
  running.sandbox.clearRequests()
  await ada.open('/onboarding')
  running.sandbox.clearRequests()
  const carol = await signIn(running, 'carol', '/admin/people?show=unconfirmed')
  expect(carol.text).toMatch(/ada@acme\.example .*Slack \(not confirmed\)/)
  await carol.open('/admin')
  expect(carol.text).toContain('Help 1 person whose connection wasn’t confirmed')
  expect(running.sandbox.count('checkdatasourceauth')).toBe(0)

  await ada.click('/onboarding/connect/slack_1')
  await answerConsent(ada, 'allow')
  await ada.open('/onboarding')
  // Pages within ten seconds share one pass over the people.
  const listed = async () => {
    await carol.open('/admin/people?show=unconfirmed')
    return carol.text
  }
  await expect.poll(listed, { timeout: 15_000, interval: 1_000 }).toContain('No one matches these filters.')
})
