// Coming back from an app over HTTP: a check follows, the person goes on without a click, and no one is sent in circles.
import { expect, it } from 'vitest'
import { awayAtSlack, ada, consentOf, setUpWalkRoutes, github } from './walk-routes.ts'
import { NOW } from './overview-pages.ts'

const CLICK = '/onboarding/connect/slack_1'

it('a confirmed return leads straight to the next app, and the last one to the final page', async () => {
  const { world, to, page, callbackPath, calls, audited } = await awayAtSlack()
  world.waiting = [github]
  expect(await to(callbackPath())).toBe(consentOf('github_1'))
  // The day after.
  world.now += 90_000_000
  world.waiting = []
  expect(await page(callbackPath())).toMatchObject({ state: 'done', arrived: true })
  expect(calls).toHaveLength(3)
  expect(audited.map((entry) => ({ ...entry, user: undefined }))).toEqual([
    { event: 'step_started', datasource: 'slack_1' },
    { event: 'step_result', datasource: 'slack_1', result: 'connected' },
    { event: 'step_started', datasource: 'github_1' },
    { event: 'step_result', datasource: 'github_1', result: 'connected' },
  ])
  expect(audited.every((entry) => 'user' in entry && entry.user === ada)).toBe(true)
})

it('a return keeps the visit’s apps and return address', async () => {
  const { world, to, page, callbackPath } = setUpWalkRoutes()
  await page('/onboarding?datasource=slack&return_to=/search')
  await to(CLICK)
  world.now += 10_000
  world.waiting = [github]
  expect(await page(callbackPath())).toMatchObject({ state: 'done', returnTo: { href: '/search' } })
})

const vpn = { help: 'Connect to the VPN first.' }
const RETURN_ADVICE = 'Allow access in Slack, and we’ll bring you back here.'
it.each<[string, Parameters<typeof setUpWalkRoutes>[0], boolean]>([
  ['nothing', {}, false],
  ['all that but help, of every app', { all: { account: 'yours', never: ['Post.'], why: 'Plans.' } }, false],
  ['what to do before this app', { slack: vpn }, false],
  ['what to do first', { github: vpn }, true],
  ['what to do first, in another language', { github: { help: { de: 'Erst das VPN.' } } }, true],
  ['what to do first, of every app', { all: vpn }, true],
])('a return before an app of which the company says %s', async (_what, datasources, pauses) => {
  const { world, get, page, to, callbackPath } = setUpWalkRoutes(datasources)
  const { card } = await page('/onboarding')
  expect(JSON.stringify(card).includes(RETURN_ADVICE)).toBe(pauses)
  await to(CLICK)
  world.now += 10_000
  world.waiting = [github]
  expect((await get(callbackPath())).status).toBe(pauses ? 200 : 303)
})

it('an unconfirmed return shows the page, which polls on its own', async () => {
  const { page, callbackPath, audited } = await awayAtSlack()
  const path = callbackPath()
  const found = await page(path)
  expect(found).toMatchObject({
    confirming: { title: 'Checking Slack…', focus: true },
    refresh: { seconds: 5, url: `${path}&unattended=yes` },
    polling: { url: `${path}&unattended=yes` },
    script: 'walk',
  })
  await page(path)
  expect(audited.filter(({ event }) => event === 'step_result')).toEqual([
    { event: 'step_result', user: ada, datasource: 'slack_1', result: 'waiting' },
  ])
})

it('a waiting page never leads straight to the next app, but to its button', async () => {
  const { world, page, callbackPath, calls } = await awayAtSlack()
  const path = callbackPath()
  await page(path)
  world.now += 5_000
  world.waiting = [github]
  const ended = await page(`${path}&unattended=yes`)
  expect(ended).toMatchObject({
    banner: { title: 'Slack connected', text: 'Next up: GitHub.' },
    card: { main: { href: '/onboarding/connect/github_1' } },
    focusesMain: true,
  })
  expect([ended['refresh'], calls.length]).toEqual([undefined, 3])
})

it('a return delayed by another tab, or with a failed check, ends at a page too', async () => {
  for (const hold of ['another tab', 'a failure'] as const) {
    const { world, to, get, page, callbackPath } = setUpWalkRoutes()
    await to(CLICK)
    const path = callbackPath()
    world.now += 10_000
    world.fails = hold === 'a failure'
    await page(path)
    if (hold === 'another tab') await to('/onboarding/connect/github_1')
    await get(path)
    world.now += 20_000
    Object.assign(world, { fails: false, waiting: [github] })
    expect(await page(path)).toMatchObject({ banner: { title: 'Slack connected' } })
  }
})

it.each(['access_denied', 'server_error'])('a return that says error=%s is not waited for', async (error) => {
  const { page, callbackPath } = await awayAtSlack()
  const { confirming, refresh, card } = await page(`${callbackPath()}&error=${error}`)
  expect([confirming, refresh]).toEqual([undefined, undefined])
  expect(card).toMatchObject({
    title: 'Slack isn’t connected yet',
    paragraphs: [expect.stringContaining('Access wasn’t allowed')],
  })
})

it('a return that is requested twice at once checks once', async () => {
  const { world, to, callbackPath, calls, audited } = await awayAtSlack()
  world.waiting = [github]
  const path = callbackPath()
  expect(await Promise.all([to(path), to(path)])).toEqual([consentOf('github_1'), consentOf('github_1')])
  expect(calls).toHaveLength(2)
  expect(audited).toHaveLength(3)
})

it.each(['', '?step=', '?step=lost', '?status=success', '?error=1', '?step=made-up&error=1'])(
  'another site’s link to the callback (%s) starts no app and changes no walk',
  async (query) => {
    for (const connected of [false, true]) {
      const { world, get, to, page, callbackPath, calls, audited } = await awayAtSlack()
      const path = callbackPath()
      if (connected) world.waiting = [github]
      expect(await to(`/onboarding/callback${query}`)).toBe('/onboarding')
      expect([calls.length, audited.length]).toEqual([1, 1])
      // A day later it is neither unconfirmed nor gone on from.
      world.now += 90_000_000
      expect(await page('/onboarding')).toMatchObject({
        card: { instance: connected ? 'github_1' : 'slack_1' },
      })
      expect(await to(`/onboarding/callback${query}`)).toBe('/onboarding')
      expect(audited.filter(({ event }) => event === 'step_started')).toHaveLength(1)
      const { headers } = await get(path)
      expect(headers['location']).toBe(connected ? consentOf('github_1') : undefined)
    }
  },
)

it('a return from a consent page that a second click replaced counts', async () => {
  const { world, to, callbackPath, audited } = await awayAtSlack()
  const path = callbackPath()
  world.now += 60_000
  await to(CLICK)
  world.now += 60_000
  world.waiting = [github]
  expect(await to(path)).toBe(consentOf('github_1'))
  expect(audited.filter(({ event }) => event === 'step_result')).toHaveLength(1)
})

it('a return whose check fails is recorded: the next page checks', async () => {
  const { world, get, page, callbackPath, calls, recordedAt } = await awayAtSlack()
  world.fails = true
  expect((await get(callbackPath())).status).toBe(503)
  world.fails = false
  world.waiting = [github]
  expect(await page('/onboarding')).toMatchObject({ card: { instance: 'github_1' } })
  expect([calls.length, recordedAt.length]).toEqual([3, 2])
  expect(await page('/api/status')).toMatchObject({ connected: 1, pending: 1 })
})

it('a return that is looked at again does not ask while another tab is leaving', async () => {
  const { world, to, page, callbackPath, calls, recordedAt } = await awayAtSlack()
  const path = callbackPath()
  await page(path)
  await to('/onboarding/connect/github_1')
  await page('/onboarding')
  expect(await page(path)).toMatchObject({ confirming: { instance: 'slack_1', focus: false } })
  expect([calls.length, recordedAt.length]).toEqual([3, 3])
  world.now = NOW + 25_000
  await page(path)
  expect([calls.length, recordedAt.length]).toEqual([4, 4])
})

it('a return without a click, in a browser alone, gets a page that continues to the next', async () => {
  const { world, to, page, callbackPath, calls } = setUpWalkRoutes()
  await to(CLICK)
  world.now += 9_999
  world.waiting = [github]
  const path = callbackPath()
  const between = await page(path)
  expect(between).toEqual({
    view: 'onboarding/between',
    title: 'Checking Slack…',
    refresh: { seconds: 0, url: path },
  })
  expect(calls).toHaveLength(1)
  expect(await to(path)).toBe(consentOf('github_1'))
  expect(calls).toHaveLength(2)
  for (const headers of [
    { 'sec-fetch-dest': 'document' },
    { 'sec-fetch-dest': 'document', 'user-agent': 'curl/8' },
    { 'sec-fetch-dest': 'document', 'user-agent': 'not Mozilla/5.0' },
    { 'sec-fetch-dest': 'empty', 'user-agent': 'Mozilla/5.0' },
  ]) {
    const other = setUpWalkRoutes()
    await other.to(CLICK)
    other.world.waiting = [github]
    const { headers: answered } = await other.get(other.callbackPath(), headers)
    expect(answered['location']).toBe(consentOf('github_1'))
  }
})
