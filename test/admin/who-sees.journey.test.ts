// The view of a walk on the pages of admins.
import { expect, it } from 'vitest'
import { answerConsent } from '../helpers/journey.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(() => run({ settings: { ADMIN_EMAILS: 'carol@acme.example', CONFIRM_SECONDS: '0' } }))

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
  // Pages within ten seconds share one read of the people.
  const listed = async () => {
    await carol.open('/admin/people?show=unconfirmed')
    return carol.text
  }
  await expect.poll(listed, { timeout: 15_000, interval: 1_000 }).toContain('No one matches these filters.')
})
