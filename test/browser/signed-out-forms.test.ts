// Forms that people use after their sign-in has ended. Chromium applies form-action to every redirect of a form.
import { expect, it } from 'vitest'
import { useSite, type Visitor } from './visitor.ts'

const site = useSite(() => ({ settings: { ADMIN_EMAILS: 'ada@acme.example' } }))

const send = async ({ page }: Visitor, field: string) => {
  await page.locator(field).fill('roadmap')
  await page.locator(field).press('Enter')
}

it.each([
  ['a button about the next app', '/onboarding', (ada: Visitor) => ada.skip('slack_1'), '/onboarding'],
  ['a button about another app', '/onboarding', (ada: Visitor) => ada.skip('jira_1'), '/onboarding'],
  ['a search', '/search', (ada: Visitor) => send(ada, '#q'), '/search?q=roadmap'],
  ['a search for a person', '/admin/people', (ada: Visitor) => send(ada, '[name=q]'), '/admin/people'],
])('%s leads through the sign-in if that has ended', async (_title, path, press, page) => {
  const ada = await site.arrive({ person: 'ada' })
  await ada.open(path)
  await ada.context.clearCookies()

  await press(ada)

  await ada.page.waitForURL(() => ada.isAt('authorizationServer'))
  await ada.chooseAccount()
  expect(ada.page.url().slice(site.running.url.length)).toContain(page)
  expect(ada.complaints).toEqual([])
})
