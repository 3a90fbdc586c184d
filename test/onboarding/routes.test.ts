// The overview and clicks on “Connect” over HTTP: checks, redirects and audit events.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { WalkStore } from '../../src/onboarding/walk-store.ts'
import { ada, consentOf, setUpWalkRoutes, github, PLAIN_CHECK, slack } from './walk-routes.ts'

const CLICK = '/onboarding/connect/slack_1'

it('the overview shows the service’s response in the person’s language', async () => {
  const { page, calls } = setUpWalkRoutes()
  expect(await page('/onboarding')).toMatchObject({
    view: 'onboarding/overview',
    state: 'open',
    card: {
      title: 'Connect Slack',
      details: { lines: expect.arrayContaining([{ kind: 'notice', text: 'Talk.' }]) },
    },
    progress: { connected: 0, total: 2 },
  })

  const german = await page('/onboarding', { 'accept-language': 'de' })
  expect(german.card).toMatchObject({
    title: 'Slack verbinden',
    details: { lines: expect.arrayContaining([{ kind: 'notice', text: 'Reden.' }]) },
  })
  expect(calls).toEqual([PLAIN_CHECK, PLAIN_CHECK])
})

it.each([
  ['with a name', 'shared', '/onboarding', {}],
  ['whose sign-in is debugged', 'own', '/onboarding', { isDebugging: true }],
  ['who comes from an app', 'own', '/onboarding?from=slack_1', {}],
  ['with a parameter', 'own', '/onboarding?q=', {}],
  ['without an email', 'shared', '/onboarding', { person: { ...ada, email: undefined, name: 'Ada' } }],
  ['without an email and a name', 'own', '/onboarding', { person: { ...ada, email: undefined } }],
])('a person %s gets the %s overview', async (_title, kind, path, given) => {
  const { setup, page } = setUpWalkRoutes()
  Object.assign(setup, given)

  const { sharedKey, ...shown } = await page(path)

  const hasName = /ada/i.test(JSON.stringify([sharedKey, shown]))
  expect(sharedKey === undefined).toBe(kind === 'own')
  expect(kind === 'shared' && hasName).toBe(false)
})

it('the overview shows the apps of its query, until another query names others', async () => {
  const { page } = setUpWalkRoutes()
  const narrowed = await page('/onboarding?datasource=github&return_to=/search')
  expect(narrowed).toMatchObject({ card: { title: 'Connect GitHub' }, hidesOtherApps: true })
  expect(narrowed['returnTo']).toMatchObject({ href: '/search' })
  const abroad = await page('/onboarding?return_to=https://evil.example/')
  expect(abroad).toMatchObject({ card: { title: 'Connect Slack' }, hidesOtherApps: false })
  expect(abroad['returnTo']).toBeUndefined()
})

it('a click that waits for its turn holds no walk', async () => {
  const { setup, open } = setUpWalkRoutes()
  const { promise, resolve } = Promise.withResolvers<void>()
  setup.beforeResponse = () => promise
  const load = vi.spyOn(WalkStore.prototype, 'load')
  const clicks = Array.from({ length: 9 }, (_, n) => open(`/onboarding/connect/app_${n}`))
  const responses = Promise.all(clicks.map(async (click) => await click))
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(8))
  await nextTurn()
  expect(load).toHaveBeenCalledTimes(8)
  resolve()
  expect((await responses).map(({ status }) => status)).toEqual(Array(9).fill(404))
  load.mockRestore()
})

it('of twenty people’s choices, sixteen are recorded at once, each as a whole', async () => {
  const { setup, post } = setUpWalkRoutes()
  const { promise, resolve } = Promise.withResolvers<void>()
  setup.recording = promise
  const load = vi.spyOn(WalkStore.prototype, 'load')
  const choices = Array.from({ length: 20 }, (_, n) => post('/onboarding/unskip/slack_1', { person: `${n}` }))
  const loaded = () => load.mock.calls.filter(([{ subject }]) => subject !== ada.subject).length
  await vi.waitFor(() => expect(loaded()).toBe(16))
  await nextTurn()
  expect(loaded()).toBe(16)
  resolve()
  expect((await Promise.all(choices)).map(({ status }) => status)).toEqual(Array(20).fill(303))
  load.mockRestore()
})

it.each(['/onboarding', CLICK])(
  '%s fails at once, though its failure can’t be recorded yet',
  async (path) => {
    const { setup, get, failures } = setUpWalkRoutes()
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(setup, { isServiceDown: true, recording: promise })
    expect(await get(path)).toMatchObject({ status: 503 })
    expect(failures).toEqual([])
    resolve()
    await vi.waitFor(() => expect(failures).toHaveLength(1))
  },
)

it('the overview refuses return addresses of more than 1,024 characters with a reason', async () => {
  const { get } = setUpWalkRoutes()
  const of = async (length: number) => await get(`/onboarding?return_to=/${'x'.repeat(length - 1)}`)
  expect((await of(1_024)).body).toMatchObject({ returnTo: { href: expect.stringMatching(/^.x{1023}$/) } })
  expect(await of(1_025)).toMatchObject({ status: 400, body: { code: 'return_to_too_long' } })
})

it('a check is recorded with the time of its start, not of its response', async () => {
  const { setup, get, recordedTimes } = setUpWalkRoutes()
  const [first, responseDelayMs] = [setup.now, 9_000]
  Object.assign(setup, { responseDelayMs })
  for (const path of ['/onboarding', CLICK]) await get(path)
  expect(recordedTimes).toEqual([first, first + responseDelayMs])
})

it('the overview begins with the app of its query, unless it names two', async () => {
  const { setup, page } = setUpWalkRoutes()
  await page('/onboarding')
  setup.unconnectedApps = [github]
  expect(await page('/onboarding?from=slack_1')).toMatchObject({ banner: { title: 'Slack connected' } })
  setup.unconnectedApps = []
  expect(await page('/onboarding?from=github_1')).toMatchObject({ focusesHeadline: true })
  expect(await page('/onboarding?from=github_1&from=slack_1')).toMatchObject({ focusesHeadline: false })
})

it.each([
  ['cancels the check of the overview', '/onboarding', true],
  ['doesn’t cancel the check of a click', CLICK, undefined],
])('a browser that disconnects %s', async (_title, path, isAborted) => {
  const { setup, open } = setUpWalkRoutes()
  const started = Promise.withResolvers<AbortSignal | null | undefined>()
  const answered = Promise.withResolvers<void>()
  setup.beforeResponse = (signal) => (started.resolve(signal), answered.promise)
  const view = open(path)
  view.end(() => {})
  const signal = await started.promise
  view.abort()
  await vi.waitFor(() => expect(signal?.aborted).toBe(isAborted))
  answered.resolve()
})

it('a click redirects to the consent URL of the check that it caused', async () => {
  const { locationOf, calls, audited, callbackPath } = setUpWalkRoutes()
  expect(await locationOf(CLICK)).toBe(consentOf('slack_1'))
  expect(calls).toHaveLength(1)
  expect(calls[0]).toMatch(/^https:\/\/onramp\.example\/onboarding\/callback\?step=[\da-f]{32}$/)
  expect(audited).toEqual([{ event: 'step_started', user: ada, datasource: 'slack_1' }])
  const first = callbackPath()
  await locationOf('/onboarding/connect/github_1')
  expect(callbackPath()).not.toBe(first)
})

it('a click interrupted by a sign-in is not lost: the page offers that app', async () => {
  const { setup, locationOf, page, calls } = setUpWalkRoutes()
  await page('/onboarding?datasource=slack&datasource=github')
  const crossSiteHeaders = { 'sec-fetch-site': 'cross-site' }
  const path = '/onboarding?datasource=slack&datasource=github&from=github_1&again=yes'
  setup.now += 59_999

  expect(await locationOf('/onboarding/connect/github_1', crossSiteHeaders)).toBe(path)
  expect(calls).toHaveLength(1)
  expect(await page(path)).toMatchObject({
    banner: { title: 'You’re signed in again' },
    card: { main: { href: '/onboarding/connect/github_1', label: 'Continue to GitHub' }, hasFocus: false },
    focusesMain: true,
  })
  expect(await locationOf('/onboarding/connect', crossSiteHeaders)).toMatch(/github&again=yes$/)
  expect(await page('/onboarding?again=yes')).toMatchObject({
    card: { instance: 'slack_1' },
    focusesMain: true,
  })

  setup.unconnectedApps = [slack]
  // GitHub was connected in the meantime.
  expect(await page(path)).toMatchObject({ card: { instance: 'slack_1' }, focusesMain: true })

  setup.now += 1
  expect(await locationOf('/onboarding/connect/github_1', crossSiteHeaders)).toBe('/onboarding')
  // Another site can link to the same address at any time.
  const linked = await page('/onboarding?from=slack_1&again=yes')
  expect(linked.banner).toBeUndefined()
  expect(linked['focusesMain']).toBe(false)
})

it('a click on another site’s link starts nothing', async () => {
  const { setup, locationOf, calls } = setUpWalkRoutes()
  setup.now += 60_000
  for (const site of ['cross-site', 'same-site', 'none'])
    expect(await locationOf(CLICK, { 'sec-fetch-site': site })).toBe('/onboarding')
  expect(await locationOf(CLICK, { referer: 'https://evil.example/' })).toBe('/onboarding')
  // “Try again” on an error page repeats the request of the link.
  expect(await locationOf(`${CLICK}?unattended=yes`, { 'sec-fetch-site': 'same-origin' })).toBe('/onboarding')
  expect(calls).toEqual([])
  expect(await locationOf(CLICK, { referer: 'https://onramp.example/onboarding' })).toBe(consentOf('slack_1'))
})

it('a double click counts once for each app and person', async () => {
  const { locationOf, calls, audited } = setUpWalkRoutes()
  const both = await Promise.all([locationOf(CLICK), locationOf(CLICK)])
  expect(both).toEqual([consentOf('slack_1'), consentOf('slack_1')])
  expect(calls).toHaveLength(1)
  expect(audited).toHaveLength(1)
  const two = await Promise.all([
    locationOf(CLICK),
    locationOf('/onboarding/connect/github_1'),
    locationOf('/onboarding/connect'),
  ])
  expect(two[1]).toBe(consentOf('github_1'))
  expect(calls).toHaveLength(4)
  await Promise.all([locationOf(CLICK), locationOf(CLICK, { person: 'bob' })])
  expect(calls).toHaveLength(6)
})

it('a click on an app connected meanwhile leads to the overview', async () => {
  const { setup, get, locationOf, audited } = setUpWalkRoutes()
  await get('/onboarding?datasource=slack&datasource=github')
  setup.unconnectedApps = [github]
  expect(await locationOf(CLICK)).toBe('/onboarding?datasource=slack&datasource=github&from=slack_1')
  expect(audited).toMatchObject([{ event: 'step_result', datasource: 'slack_1', result: 'connected' }])
})

it.each([
  ['no address', undefined],
  ['an address elsewhere', '//evil.example/auth/datasource/slack_1'],
  ['another app’s address', github.authUrlRelativePath],
])('a click on an app with %s is refused with the app’s name', async (_title, authUrlRelativePath) => {
  const { setup, get, audited } = setUpWalkRoutes()
  setup.unconnectedApps = [github, { ...slack, authUrlRelativePath }]
  const { status, body } = await get(CLICK)
  const title = 'We can’t connect Slack right now'
  expect({ status, body }).toEqual({ status: 502, body: { code: 'datasource_cannot_start', title } })
  expect(audited).toMatchObject([
    { event: 'step_failed', datasource: 'slack_1', code: 'datasource_cannot_start' },
  ])
})

it.each([
  ['cross-site', 1, 20],
  ['same-origin', 0, 8],
])('of 21 overviews at once that a %s page opens, %i are refused', async (site, refused, running) => {
  const { setup, get } = setUpWalkRoutes()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let arrived = 0
  setup.beforeResponse = () => (arrived++, answered)
  const opened = Array.from({ length: 21 }, () => get('/onboarding', { 'sec-fetch-site': site }))
  await expect.poll(() => arrived, { interval: 1 }).toBe(running)

  answer()

  const statuses = (await Promise.all(opened)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(refused)
})

it('a page that waits for its turn doesn’t void the link of a click meanwhile', async () => {
  const { setup, get, calls, limited, locationOf } = setUpWalkRoutes()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let arrived = 0
  const open = (person: string) => get('/onboarding', { 'sec-fetch-site': 'cross-site', person })
  setup.beforeResponse = () => (arrived++, answered)
  const others = Array.from({ length: 64 }, (_, n) => open(`person ${n % 4}`))
  await expect.poll(() => arrived, { interval: 1 }).toBe(64)
  const waiting = open('ada')
  await expect.poll(() => limited.length, { interval: 1 }).toBe(65)
  setup.beforeResponse = undefined

  expect(await locationOf(CLICK)).toBe(consentOf('slack_1'))
  answer()

  expect(await waiting).toMatchObject({ status: 200, body: { view: 'onboarding/overview' } })
  await Promise.all(others)
  expect(calls).toHaveLength(64 + 1)
})

it.each([
  ['is refused to a link on another site', 'cross-site', 'navigate', [403, 0]],
  ['can be opened by its address', 'none', 'navigate', [200, 1]],
  ['can be fetched by another site', 'cross-site', 'cors', [200, 1]],
])('the status %s', async (_title, site, mode, statusAndCalls) => {
  const { get, calls } = setUpWalkRoutes()
  const answer = await get('/api/status', { 'sec-fetch-site': site, 'sec-fetch-mode': mode })
  expect([answer.status, calls.length]).toEqual(statusAndCalls)
})
