// Returns from an app over HTTP: a check follows, then the redirect to the next app without a click, and never a loop.
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { awayAtSlack, ada, consentOf, setUpWalkRoutes, github, slack } from './walk-routes.ts'
import { NOW } from './overview-pages.ts'

const CLICK = '/onboarding/connect/slack_1'

it('a confirmed return leads straight to the next app', async () => {
  const { setup, locationOf, page, callbackPath, calls, audited } = await awayAtSlack()
  setup.unconnectedApps = [github]

  expect(await locationOf(callbackPath())).toBe(consentOf('github_1'))
  // More than a day later, when no attempt explains the connection.
  setup.now += 90_000_000
  setup.unconnectedApps = []
  expect(await page(callbackPath())).toMatchObject({ state: 'done', focusesHeadline: true })
  expect(calls).toHaveLength(3)
  expect(audited.map((entry) => ({ ...entry, user: undefined }))).toEqual([
    { event: 'step_started', datasource: 'slack_1' },
    { event: 'step_result', datasource: 'slack_1', result: 'connected' },
    { event: 'step_started', datasource: 'github_1' },
    { event: 'step_result', datasource: 'github_1', result: 'connected' },
  ])
  expect(audited.every((entry) => 'user' in entry && entry.user === ada)).toBe(true)
})

const CONNECTED_AT = NOW + 20_000
it.each([
  ['records an app connected within a minute', 59_999, [CONNECTED_AT]],
  ['doesn’t record an app connected a minute ago', 60_000, []],
])('a page without a check %s', async (_title, milliseconds, expected) => {
  const { setup, locationOf, page, callbackPath, calls, recordedTimes } = await awayAtSlack()
  setup.now = CONNECTED_AT
  setup.unconnectedApps = [github]
  await locationOf(callbackPath())
  setup.now = CONNECTED_AT + milliseconds - 10_000
  await locationOf('/onboarding/connect/github_1')
  setup.now = CONNECTED_AT + milliseconds
  const [checks, records] = [calls.length, recordedTimes.length]

  await page('/onboarding')

  expect(calls).toHaveLength(checks)
  expect(recordedTimes.slice(records)).toEqual(expected)
})

it('a return keeps the visit’s apps and return address', async () => {
  const { setup, locationOf, page, callbackPath } = setUpWalkRoutes()
  await page('/onboarding?datasource=slack&return_to=/search')
  await locationOf(CLICK)
  setup.now += 10_000
  setup.unconnectedApps = [github]
  expect(await page(callbackPath())).toMatchObject({ state: 'done', returnTo: { href: '/search' } })
})

const vpn = { help: 'Connect to the VPN first.' }
const RETURN_ADVICE = 'Allow access in Slack, and we’ll bring you back here.'
// prettier-ignore
it.each<[string, Parameters<typeof setUpWalkRoutes>[0], hasAdvice: boolean, status: number]>([
  ['goes on to an app without a description', {}, false, 303],
  ['goes on to an app with a general description without help', { all: { account: 'yours', never: ['Post.'], why: 'Plans.' } }, false, 303],
  ['goes on although the connected app has help', { slack: vpn }, false, 303],
  ['pauses on a page if the next app has help', { github: vpn }, true, 200],
  ['pauses on a page for help in another language', { github: { help: { de: 'Erst das VPN.' } } }, true, 200],
  ['pauses on a page for general help', { all: vpn }, true, 200],
])('a return %s', async (_title, datasources, hasAdvice, status) => {
  const { setup, get, page, locationOf, callbackPath } = setUpWalkRoutes(datasources)
  const { card } = await page('/onboarding')
  expect(JSON.stringify(card).includes(RETURN_ADVICE)).toBe(hasAdvice)
  await locationOf(CLICK)
  setup.now += 10_000
  setup.unconnectedApps = [github]
  expect((await get(callbackPath())).status).toBe(status)
})

it('an unconfirmed return shows the page, which polls on its own', async () => {
  const { page, callbackPath, audited } = await awayAtSlack()
  const path = callbackPath()
  const found = await page(path)
  expect(found).toMatchObject({
    confirming: { title: 'Checking Slack…', hasFocus: true },
    refresh: { seconds: 5, url: `${path}&unattended=yes` },
    polling: { url: `${path}&unattended=yes` },
  })
  await page(path)
  expect(audited.filter(({ event }) => event === 'step_result')).toEqual([
    { event: 'step_result', user: ada, datasource: 'slack_1', result: 'waiting' },
  ])
})

it('a waiting page never redirects to the next app, but offers its button', async () => {
  const { setup, page, callbackPath, calls } = await awayAtSlack()
  const path = callbackPath()
  await page(path)
  setup.now += 5_000
  setup.unconnectedApps = [github]
  const ended = await page(`${path}&unattended=yes`)
  expect(ended).toMatchObject({
    banner: { title: 'Slack connected', text: 'Next up: GitHub.' },
    card: { main: { href: '/onboarding/connect/github_1' } },
    focusesMain: true,
  })
  expect(ended['refresh']).toBeUndefined()
  expect(calls).toHaveLength(3)
})

it('a return delayed by another tab shows a page', async () => {
  const { setup, locationOf, page, callbackPath } = setUpWalkRoutes()
  await locationOf(CLICK)
  const path = callbackPath()
  setup.now += 10_000
  await page(path)
  await locationOf('/onboarding/connect/github_1')
  await page(path)
  setup.now += 20_000
  setup.unconnectedApps = [github]
  expect(await page(path)).toMatchObject({ banner: { title: 'Slack connected' } })
})

it('a return whose first checks failed shows a page', async () => {
  const { setup, get, page, callbackPath } = await awayAtSlack()
  const path = callbackPath()
  setup.isServiceDown = true
  for (let tries = 0; tries < 2; tries++) expect((await get(path)).status).toBe(503)
  setup.now += 20_000
  Object.assign(setup, { isServiceDown: false, unconnectedApps: [github] })
  expect(await page(path)).toMatchObject({ banner: { title: 'Slack connected' } })
})

it.each(['access_denied', 'server_error'])('a return with error=%s ends the wait', async (error) => {
  const { page, callbackPath, failures } = await awayAtSlack()
  const { confirming, refresh, card } = await page(`${callbackPath()}&error=${error}`)
  expect(failures).toMatchObject([{ instance: 'slack_1', code: 'declined' }])
  expect(confirming).toBeUndefined()
  expect(refresh).toBeUndefined()
  expect(card).toMatchObject({
    title: 'Slack isn’t connected yet',
    paragraphs: [expect.stringContaining('Access wasn’t allowed')],
  })
})

it('a return that is requested twice at once checks once', async () => {
  const { setup, locationOf, callbackPath, calls, audited } = await awayAtSlack()
  setup.unconnectedApps = [github]
  const path = callbackPath()
  expect(await Promise.all([locationOf(path), locationOf(path)])).toEqual([
    consentOf('github_1'),
    consentOf('github_1'),
  ])
  expect(calls).toHaveLength(2)
  expect(audited).toHaveLength(3)
})

const forgedQueries = ['', '?step=', '?step=lost', '?status=success', '?error=1', '?step=made-up&error=1']
it.each(
  forgedQueries.flatMap((query) => [
    ['while Slack is listed', query, false] as const,
    ['once Slack is connected', query, true] as const,
  ]),
)(
  '%s, another site’s link to the callback (%s) starts no app and changes no walk',
  async (_title, query, connected) => {
    const { setup, get, locationOf, page, callbackPath, calls, audited } = await awayAtSlack()
    const path = callbackPath()
    if (connected) setup.unconnectedApps = [github]
    expect(await locationOf(`/onboarding/callback${query}`)).toBe('/onboarding')
    expect(calls).toHaveLength(1)
    expect(audited).toHaveLength(1)
    // A day later it is neither unconfirmed nor gone on from.
    setup.now += 90_000_000
    expect(await page('/onboarding')).toMatchObject({
      card: { instance: connected ? 'github_1' : 'slack_1' },
    })
    expect(await locationOf(`/onboarding/callback${query}`)).toBe('/onboarding')
    expect(audited.filter(({ event }) => event === 'step_started')).toHaveLength(1)
    const { headers } = await get(path)
    expect(headers['location']).toBe(connected ? consentOf('github_1') : undefined)
  },
)

it('a return whose check fails is recorded: the next page checks', async () => {
  const { setup, get, page, callbackPath, calls, recordedTimes } = await awayAtSlack()
  setup.isServiceDown = true
  expect((await get(callbackPath())).status).toBe(503)
  setup.isServiceDown = false
  setup.unconnectedApps = [github]
  expect(await page('/onboarding')).toMatchObject({ card: { instance: 'github_1' } })
  expect(calls).toHaveLength(3)
  expect(recordedTimes).toHaveLength(2)
  expect(await page('/api/status')).toMatchObject({ connected: 1, pending: 1 })
})

it.each([
  ['whose check fails', 503, { isServiceDown: true }],
  ['without a click', 200, { now: NOW }],
])('a return %s is stored before it is answered', async (_title, status, given) => {
  const { setup, get, callbackPath } = await awayAtSlack()
  let written = 0
  const beforeWalkWrite = () => delay(50).then(() => void written++)
  Object.assign(setup, { beforeWalkWrite, ...given })

  expect((await get(callbackPath())).status).toBe(status)

  const writtenBefore = written
  await delay(100)
  expect(writtenBefore).toBeGreaterThan(0)
  expect(written).toBe(writtenBefore)
})

it('a poll doesn’t check while another tab is leaving for an app', async () => {
  const { setup, locationOf, page, callbackPath, calls, recordedTimes } = await awayAtSlack()
  const path = callbackPath()
  await page(path)
  await locationOf('/onboarding/connect/github_1')
  await page('/onboarding')
  expect(await page(path)).toMatchObject({ confirming: { instance: 'slack_1', hasFocus: false } })
  expect(calls).toHaveLength(3)
  expect(recordedTimes).toHaveLength(3)
  setup.now = NOW + 25_000
  await page(path)
  expect(calls).toHaveLength(4)
  expect(recordedTimes).toHaveLength(4)
})

it('a return without a click gets a page that continues in browsers', async () => {
  const { setup, locationOf, page, callbackPath, calls } = setUpWalkRoutes()
  await locationOf(CLICK)
  setup.now += 9_999
  setup.unconnectedApps = [github]
  const path = callbackPath()

  const between = await page(path)

  expect(between).toEqual({
    view: 'web/interstitial',
    title: 'Checking Slack…',
    refresh: { seconds: 0, url: path },
  })
  expect(calls).toHaveLength(1)
  expect(await locationOf(path)).toBe(consentOf('github_1'))
  expect(calls).toHaveLength(2)
})

it.each([
  ['no user agent', { 'sec-fetch-dest': 'document' }],
  ['another client', { 'sec-fetch-dest': 'document', 'user-agent': 'curl/8' }],
  ['a browser’s name in the middle', { 'sec-fetch-dest': 'document', 'user-agent': 'not Mozilla/5.0' }],
  ['a script’s request', { 'sec-fetch-dest': 'empty', 'user-agent': 'Mozilla/5.0' }],
])('a return without a click is redirected at once for %s', async (_title, headers) => {
  const { setup, get, locationOf, callbackPath } = setUpWalkRoutes()
  await locationOf(CLICK)
  setup.unconnectedApps = [github]
  const response = await get(callbackPath(), headers)
  expect(response.headers['location']).toBe(consentOf('github_1'))
})

/** The overview was opened once. */
async function openedWalk() {
  const opened = { ...setUpWalkRoutes(), callbackPath: () => CLICK }
  await opened.page('/onboarding')
  return opened
}

// prettier-ignore
it.each([
  { kind: 'a click', open: openedWalk, pathOf: () => CLICK, apps: [slack, github] },
  { kind: 'a return', open: awayAtSlack, pathOf: ({ callbackPath }: Awaited<ReturnType<typeof awayAtSlack>>) => callbackPath(), apps: [github] },
])('while $kind waits for its path, no other page voids it by a check', async ({ open, pathOf, apps }) => {
  const routes = await open()
  const { setup, get, page, calls } = routes
  const path = pathOf(routes)
  setup.unconnectedApps = apps
  // Beyond the time of an app in flight, which prevents checks as well.
  setup.now += 60_000
  const [started, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  setup.beforeResponse = () => (started.resolve(), answered.promise)
  const leaving = get(path)
  await started.promise
  setup.beforeResponse = undefined
  const before = calls.length

  for (const other of ['/api/status', '/onboarding']) await page(other)
  expect(calls).toHaveLength(before)

  answered.resolve()
  const { headers } = await leaving
  expect(headers['location']).toBe(consentOf(apps[0]!.instance))
})

it('while a waiting page is checked, other pages check without voiding a click', async () => {
  const { setup, get, page, callbackPath, calls } = await awayAtSlack()
  const path = callbackPath()
  await page(path)
  setup.now += 20_000
  const hold = () => {
    const [started, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    setup.beforeResponse = () => (started.resolve(), answered.promise)
    return { started: started.promise, answer: answered.resolve }
  }

  const poll = hold()
  const waiting = page(path)
  await poll.started
  setup.beforeResponse = undefined
  await page('/onboarding')
  expect(calls).toHaveLength(4)

  setup.now += 1
  const click = hold()
  const leaving = get('/onboarding/connect/github_1')
  await click.started
  poll.answer()
  await waiting
  await page('/onboarding')
  expect(calls).toHaveLength(5)

  click.answer()
  expect((await leaving).headers['location']).toBe(consentOf('github_1'))
})

it('after a click whose check failed, the next page checks at once', async () => {
  const { setup, get, page, calls } = await openedWalk()
  setup.isServiceDown = true
  expect((await get(CLICK)).status).toBe(503)
  setup.isServiceDown = false

  await page('/onboarding')
  expect(calls).toHaveLength(3)
})
