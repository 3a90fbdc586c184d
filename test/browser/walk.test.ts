// The walk in real Chromium, over three sites: a person clicks through the consent pages of a stand-in for the service.
import { expect, it } from 'vitest'
import { useSite, type Visitor } from './visitor.ts'

const site = useSite(() => ({ settings: { CONFIRM_SECONDS: '1' } }))

async function walkToTheEnd(visitor: Visitor): Promise<void> {
  await visitor.open()
  await visitor.goOn()
  for (const name of ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence']) {
    await visitor.reads(`Acme Search wants to read content you can access in ${name}.`)
    await visitor.answer('Allow')
  }
  await visitor.reads('You’re all set')
}

it('the walk in Chromium needs no script anywhere, tells no other site where people come from, and leaves nothing to see', async () => {
  const ada = await site.arrive({ person: 'ada', javaScriptEnabled: false })

  await walkToTheEnd(ada)

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

it('the walk in Chromium starts nothing for a browser that only prefetches the link', async () => {
  // Our policy allows no prefetching at all; it is lifted to see what the server says.
  const ada = await site.arrive({ person: 'dan', bypassCSP: true })
  await ada.open()
  const { sandbox } = site.running
  sandbox.clearRequests()
  const checks = sandbox.count('checkdatasourceauth')
  const answer = ada.page.waitForResponse(/\/onboarding\/connect\/slack_1/)

  await ada.page.evaluate(`document.head.append(
      Object.assign(document.createElement('link'), { rel: 'prefetch', href: '/onboarding/connect/slack_1' }))`)

  const response = await answer
  expect(await response.request().headerValue('sec-purpose')).toContain('prefetch')
  expect(response.status()).toBe(503)
  expect(sandbox.count('checkdatasourceauth')).toBe(checks)
  expect(sandbox.count('authDatasource')).toBe(0)
})
