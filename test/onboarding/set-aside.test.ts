// “Not now”, “I need an admin to approve this” and their undoing, and the counts for the intranet.
import { expect, it } from 'vitest'
import { awayAtSlack, ada, setUpWalkRoutes, PLAIN_CHECK, slack } from './walk-routes.ts'

it.each([
  ['skip', 'skipped', 'Slack skipped', []],
  ['blocked', 'blocked', 'Slack is waiting for an admin', ['blocked']],
])('the choice %s is saved, audited as %s and shown', async (path, event, title, recorded) => {
  const { page, post, calls, audited, failures } = setUpWalkRoutes()
  await page('/onboarding?datasource=slack&datasource=github')
  const { status, headers } = await post(`/onboarding/${path}/slack_1`)
  const location = '/onboarding?datasource=slack&datasource=github&from=slack_1'
  expect({ status, location: headers['location'] }).toEqual({ status: 303, location })
  expect(audited).toEqual([{ event, user: ada, datasource: 'slack_1' }])
  expect(failures).toMatchObject(recorded.map((code) => ({ user: ada, instance: 'slack_1', code })))
  expect(calls).toHaveLength(1)
  expect(await page(location)).toMatchObject({ banner: { title }, card: { title: 'Connect GitHub' } })
})

it.each([
  ['skip', 'unskip'],
  ['blocked', 'unblock'],
])('the choice %s is undone by %s, without an audit event', async (path, undoPath) => {
  const { page, post, audited } = setUpWalkRoutes()
  await page('/onboarding?datasource=slack')
  await post(`/onboarding/${path}/slack_1`)
  const { status, headers } = await post(`/onboarding/${undoPath}/slack_1`)
  const location = '/onboarding?datasource=slack&from=slack_1'
  expect({ status, location: headers['location'] }).toEqual({ status: 303, location })
  expect(audited).toHaveLength(1)
  expect(await page(location)).toMatchObject({ card: { title: 'Connect Slack', hasFocus: true } })
})

it('“I didn’t allow it” ends the wait', async () => {
  const { page, post, callbackPath, audited, failures } = await awayAtSlack()
  expect(await page(callbackPath())).toMatchObject({
    confirming: { decline: { href: '/onboarding/declined/slack_1' } },
  })
  const { headers } = await post('/onboarding/declined/slack_1')
  expect(headers['location']).toBe('/onboarding?from=slack_1')
  expect(audited.at(-1)).toEqual({ event: 'declined', user: ada, datasource: 'slack_1' })
  expect(failures).toMatchObject([{ instance: 'slack_1', code: 'declined' }])
  const after = await page('/onboarding?from=slack_1')
  expect(after['confirming']).toBeUndefined()
  expect(after['refresh']).toBeUndefined()
  expect(after.card).toMatchObject({
    title: 'Slack isn’t connected yet',
    paragraphs: ['Access wasn’t allowed, so search can’t find your work there. To connect:'],
    hasFocus: true,
  })
})

it('a choice about an app that isn’t listed is refused, but may be undone', async () => {
  const { page, post, audited } = setUpWalkRoutes()
  await page('/onboarding')
  for (const path of ['skip', 'blocked', 'declined']) {
    const { status, body } = await post(`/onboarding/${path}/jira_1`)
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'datasource_unknown' })
  }
  for (const path of ['unskip', 'unblock'])
    expect((await post(`/onboarding/${path}/jira_1`)).status).toBe(303)
  const refused = { event: 'step_failed', user: ada, datasource: undefined, code: 'datasource_unknown' }
  expect(audited).toEqual([refused, refused, refused])
})

it('the status is per person, and in the language of the widget', async () => {
  const { setup, page, calls } = setUpWalkRoutes()
  const first = await page('/api/status')
  const texts = { lang: 'en', dir: 'ltr', left: '2 apps left to connect', progress: '0 of 2 connected' }
  expect(first).toEqual({ signedIn: true, connected: 0, pending: 2, skipped: 0, texts })
  expect(await page('/api/status?language=ar')).toMatchObject({ texts: { lang: 'ar', dir: 'rtl' } })

  setup.person = { ...ada, subject: 'bob' }
  setup.unconnectedApps = [slack]
  expect(await page('/api/status')).toMatchObject({ connected: 0, pending: 1 })

  setup.person = ada
  expect(await page('/api/status')).toEqual(first)
  expect(calls).toEqual([PLAIN_CHECK, PLAIN_CHECK])
})

it('the status shows the person’s choices at once', async () => {
  const { setup, page, post, locationOf, calls } = setUpWalkRoutes()
  await page('/api/status')
  await post('/onboarding/skip/slack_1')
  expect(await page('/api/status')).toMatchObject({ pending: 1, skipped: 1 })
  expect(calls).toHaveLength(1)
  await locationOf('/onboarding/connect/github_1')
  setup.now += 10_000
  setup.unconnectedApps = [slack]
  // The browser's one-time path matters more than a count, or a page in another tab.
  await page('/onboarding')
  expect(await page('/api/status')).toMatchObject({ connected: 0, pending: 1 })
  await locationOf(calls.at(-1)?.replace('https://onramp.example', '') ?? '')
  expect(await page('/api/status')).toMatchObject({ connected: 1, pending: 0, skipped: 1 })
  expect(calls).toHaveLength(3)
})

it('two simultaneous requests for the status share one check', async () => {
  const { page, calls } = setUpWalkRoutes()
  await Promise.all([page('/api/status'), page('/api/status')])
  expect(calls).toHaveLength(1)
})

it('every route of the walk is rate-limited', async () => {
  const { get, post, limited } = setUpWalkRoutes()
  const reaching = [
    '/onboarding',
    '/onboarding/connect',
    '/onboarding/connect/slack_1',
    '/onboarding/callback',
    '/api/status',
  ]
  for (const path of reaching) await get(path)
  const acting = ['skip', 'unskip', 'blocked', 'unblock', 'declined'].map((as) => `/onboarding/${as}/slack_1`)
  for (const path of acting) await post(path)
  expect(limited).toEqual([...reaching, ...acting])
})

it.each(['skip', 'blocked'])('the choice %s about all apps ends once the person had them', async (path) => {
  const { setup, page, post } = setUpWalkRoutes()
  await page('/onboarding')
  for (const instance of ['slack_1', 'github_1']) await post(`/onboarding/${path}/${instance}`)
  setup.recorded = { lapses: new Map(), endedChoices: ['slack_1', 'github_1'] }
  expect(await page('/onboarding')).toMatchObject({ card: { title: 'Connect Slack' } })
  setup.recorded = { lapses: new Map(), endedChoices: [] }
  expect(await page('/onboarding')).toMatchObject({ card: { title: 'Connect Slack' } })
})
