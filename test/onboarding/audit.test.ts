// Audit events of a person's steps, also of failed ones and of connections that only a page notices.
import { expect, it } from 'vitest'
import { awayAtSlack, ada, setUpWalkRoutes, github } from './walk-routes.ts'

const CLICK = '/onboarding/connect/slack_1'
const connectedEvent = { event: 'step_result', user: ada, datasource: 'slack_1', result: 'connected' }

it.each(['/onboarding', '/api/status', '/onboarding/connect/github_1'])(
  'an app connected elsewhere is audited once, when %s finds it',
  async (path) => {
    const { setup, locationOf, get, audited } = setUpWalkRoutes()
    await locationOf(CLICK)
    setup.now += 60_000
    setup.unconnectedApps = [github]
    await Promise.all([get(path), get('/onboarding'), get('/api/status')])
    setup.now += 60_000
    await get('/onboarding')
    expect(audited.filter(({ event }) => event === 'step_result')).toEqual([connectedEvent])
  },
)

it('an app found connected by another app’s return is audited, too', async () => {
  const { setup, locationOf, get, callbackPath, audited } = setUpWalkRoutes()
  await locationOf('/onboarding/connect/github_1')
  await locationOf(CLICK)
  setup.now += 10_000
  setup.unconnectedApps = []
  await get(callbackPath())
  expect(audited.filter(({ event }) => event === 'step_result')).toEqual([
    connectedEvent,
    { ...connectedEvent, datasource: 'github_1' },
  ])
})

it('an app that the service drops without a connection isn’t audited', async () => {
  const { setup, get, audited } = setUpWalkRoutes()
  setup.unconnectedApps = []
  await get('/onboarding')
  expect(audited).toEqual([])
})

// prettier-ignore
it.each<[string, string, (setup: ReturnType<typeof setUpWalkRoutes>['setup']) => unknown, object]>([
  ['an unreachable service', CLICK, (setup) => (setup.isServiceDown = true), { datasource: 'slack_1', code: 'service_unavailable' }],
  [
    'an unreachable service, without naming an app',
    '/onboarding/connect',
    (setup) => (setup.isServiceDown = true),
    { datasource: undefined, code: 'service_unavailable' },
  ],
  [
    'an app without an address',
    CLICK,
    (setup) =>
      (setup.unconnectedApps = setup.unconnectedApps.map((app) => ({ ...app, authUrlRelativePath: '' }))),
    { datasource: 'slack_1', code: 'datasource_cannot_start' },
  ],
  // Names invented by strangers are never logged.
  ['someone else’s app', `${CLICK}x`, () => {}, { datasource: undefined, code: 'datasource_unknown' }],
])('a click that ends at %s is audited with person, app and code', async (_title, path, make, failed) => {
  const { setup, get, audited, failures } = setUpWalkRoutes()
  await get('/onboarding')
  make(setup)
  await Promise.all([get(path), get(path)])
  expect(audited).toEqual([{ event: 'step_failed', user: ada, ...failed }])
  const { code, datasource: instance } = failed as { code: string; datasource?: string }
  expect(failures).toEqual([{ user: ada, at: setup.now, code, instance }])
})

it('a page that can’t load the apps is recorded as a failure of no app', async () => {
  const { setup, get, failures } = setUpWalkRoutes()
  setup.isServiceDown = true
  await get('/onboarding')
  expect(failures).toEqual([{ user: ada, at: setup.now, code: 'service_unavailable' }])
})

it('a return during an outage of the service is audited with person, app and code', async () => {
  const { setup, get, callbackPath, audited, failures } = await awayAtSlack()
  setup.isServiceDown = true
  await get(callbackPath())
  const failed = { event: 'step_failed', user: ada, datasource: 'slack_1', code: 'service_unavailable' }
  expect(audited.slice(1)).toEqual([failed])
  expect(failures).toMatchObject([{ at: setup.now, code: 'service_unavailable', instance: 'slack_1' }])
})

it.each([
  ['click', CLICK],
  ['return', ''],
])('a failed %s is audited before its page, even if the person’s record hangs', async (_title, path) => {
  const { setup, get, callbackPath, audited } = await awayAtSlack()
  setup.isServiceDown = true
  setup.recording = new Promise(() => {})
  await get(path || callbackPath())
  expect(audited.at(-1)).toMatchObject({ event: 'step_failed', datasource: 'slack_1' })
})
