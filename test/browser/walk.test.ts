// The walk in real Chromium over three sites, with the consent pages of the sandbox.
import { expect, it } from 'vitest'
import { useSite } from './visitor.ts'

const site = useSite(() => ({ settings: { CONFIRM_SECONDS: '1' } }))

it('the walk in Chromium works without scripts, from sign-in to sign-out', async () => {
  const ada = await site.arrive({ person: 'ada', javaScriptEnabled: false })
  await ada.open()
  await ada.goOn()
  for (const name of ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence']) {
    await ada.reads(`Acme Search wants to read content you can access in ${name}.`)
    await ada.answer('Allow')
  }
  await ada.reads('You’re all set')
  await ada.page.getByLabel('Try your first search').fill('roadmap')
  await ada.page.getByRole('button', { name: 'Search' }).click()
  await ada.reads('5 results for “roadmap”')
  const elsewhere = site.running.sandbox.requests
  expect(elsewhere.some(({ operation }) => operation === 'authDatasource')).toBe(true)
  const ours = elsewhere.filter(({ headers }) => headers.referer?.startsWith(site.running.url))
  expect(ours).toEqual([])

  await ada.open()
  await ada.choose('button', 'Sign out')
  await ada.page.waitForURL(/\/signed-out/)
  await ada.reads('You’re signed out')
  expect(ada.complaints).toEqual([])
  for (let presses = 0; presses < 3; presses++) {
    await ada.page.goBack().catch(() => undefined)
    expect(await ada.text()).not.toContain('Google Drive')
  }
})
