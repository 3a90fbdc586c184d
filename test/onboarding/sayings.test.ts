// “Not now”, “I need an admin to approve this” and taking them back, the counts for the intranet, and what a debug log tells.
import { describe, expect, it } from 'vitest'
import { ada, frontDoor, github, slack } from './front-door.ts'

describe('what a person says of an app', () => {
  it.each([
    ['skip', 'skipped', 'Slack skipped'],
    ['blocked', 'blocked', 'Slack is waiting for an admin'],
  ])('by %s is kept, noted and shown', async (path, event, title) => {
    const { page, post, asked, notes } = frontDoor()
    await page('/onboarding?datasource=slack&datasource=github')
    const { status, headers } = await post(`/onboarding/${path}/slack_1`)
    const location = '/onboarding?datasource=slack&datasource=github&from=slack_1'
    expect({ status, location: headers['location'] }).toEqual({ status: 303, location })
    expect(notes).toEqual([{ event, user: ada, datasource: 'slack_1' }])
    expect(asked).toHaveLength(1)
    expect(await page(location)).toMatchObject({ banner: { title }, step: { title: 'Connect GitHub' } })
  })

  it.each([
    ['skip', 'unskip'],
    ['blocked', 'unblock'],
  ])('by %s is taken back by %s, which is no event', async (path, back) => {
    const { page, post, notes } = frontDoor()
    await page('/onboarding?datasource=slack')
    await post(`/onboarding/${path}/slack_1`)
    const { status, headers } = await post(`/onboarding/${back}/slack_1`)
    const location = '/onboarding?datasource=slack&from=slack_1'
    expect({ status, location: headers['location'] }).toEqual({ status: 303, location })
    expect(notes).toHaveLength(1)
    expect(await page(location)).toMatchObject({ step: { title: 'Connect Slack', focus: true } })
  })

  it('is refused for an app that is not theirs, unless it is taken back', async () => {
    const { page, post, notes } = frontDoor()
    await page('/onboarding')
    for (const path of ['skip', 'blocked']) {
      const { status, body } = await post(`/onboarding/${path}/jira_1`)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'datasource_unknown' })
    }
    for (const path of ['unskip', 'unblock'])
      expect((await post(`/onboarding/${path}/jira_1`)).status).toBe(303)
    expect(notes).toEqual([])
  })
})

describe('the counts for the intranet', () => {
  it('are those of the person, and ask the service once in a while', async () => {
    const { at, page, asked } = frontDoor()
    const first = await page('/api/status')
    expect(first).toEqual({ signedIn: true, connected: 0, pending: 2, skipped: 0 })
    at.waiting = [github]
    at.now += 2_999
    expect(await page('/api/status')).toEqual(first)
    expect(asked).toEqual([undefined])
    at.now += 1
    expect(await page('/api/status')).toMatchObject({ connected: 1, pending: 1 })
    expect(asked).toHaveLength(2)
    at.person = { ...ada, subject: 'bob' }
    at.waiting = [slack]
    expect(await page('/api/status')).toMatchObject({ connected: 0, pending: 1 })
    expect(asked).toHaveLength(3)
  })

  it('show at once what the person said or did here', async () => {
    const { at, page, post, to, asked } = frontDoor()
    await page('/api/status')
    await post('/onboarding/skip/slack_1')
    expect(await page('/api/status')).toMatchObject({ pending: 1, skipped: 1 })
    expect(asked).toHaveLength(2)
    await to('/onboarding/connect/github_1')
    at.waiting = [slack]
    // The one-time path that the browser follows is more than a count.
    expect(await page('/api/status')).toMatchObject({ connected: 0, pending: 1 })
    expect(asked).toHaveLength(3)
    at.now += 10_000
    await to(asked.at(-1)?.replace('https://onramp.example', '') ?? '')
    at.waiting = [slack, github]
    expect(await page('/api/status')).toMatchObject({ connected: 0, pending: 1, skipped: 1 })
    expect(asked).toHaveLength(5)
  })
})

it('whatever reaches the service is limited, and nothing else', async () => {
  const { get, post, limited } = frontDoor()
  const reaching = [
    '/onboarding',
    '/onboarding/connect',
    '/onboarding/connect/slack_1',
    '/onboarding/callback',
    '/api/status',
  ]
  for (const path of reaching) await get(path)
  await post('/onboarding/skip/slack_1')
  expect(limited).toEqual(reaching)
})

it('a debug log tells each decision by instance and outcome, and another log pays nothing for it', async () => {
  const { at, page, post, to, back, lines } = frontDoor()
  const told = () => lines.splice(0)
  const both = ['slack_1 awaiting', 'github_1 awaiting']
  await page('/onboarding')
  expect(told()).toEqual([
    ['walk: what the service says', { asked: true, waiting: both }],
    ['walk: what the page offers', { next: 'connect', instance: 'slack_1' }],
  ])
  await post('/onboarding/skip/slack_1')
  await post('/onboarding/unskip/unheard_of')
  expect(told()).toEqual([
    ['walk: what the person says', { said: 'skip', instance: 'slack_1' }],
    ['walk: what the person says', { said: 'unskip', instance: undefined }],
  ])
  await to('/onboarding/connect/slack_1')
  await page('/onboarding')
  expect(told()).toEqual([
    ['walk: where it leads', { passage: 'leave', instance: 'slack_1', from: undefined, waiting: both }],
    ['walk: what the service says', { asked: false, waiting: undefined }],
    ['walk: what the page offers', { next: 'connect', instance: 'github_1' }],
  ])
  at.now += 10_000
  await page(back())
  expect(told()).toEqual([
    ['walk: a return', { return: 'slack_1', looks: 0 }],
    ['walk: where it leads', { passage: 'page', instance: undefined, from: 'slack_1', waiting: both }],
    ['walk: what the page offers', { next: 'wait', instance: 'slack_1' }],
  ])
  await to('/onboarding/callback?step=unheard-of')
  expect(told()).toEqual([['walk: a return', { return: undefined, looks: undefined }]])
  at.waiting = []
  await page('/onboarding')
  expect(told()[1]).toEqual(['walk: what the page offers', { next: 'done', instance: undefined }])
  at.isDebug = false
  await page('/onboarding')
  expect(told().map(([words]) => words)).toEqual(['walk: what the page offers'])
})
