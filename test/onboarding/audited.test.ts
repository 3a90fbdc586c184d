// What the audit log has of a person's steps: also those that fail, and those that only a page finds done.
import { expect, it } from 'vitest'
import { awayAtSlack, ada, setUpWalkRoutes, github } from './walk-routes.ts'

const CLICK = '/onboarding/connect/slack_1'
const connected = { event: 'step_result', user: ada, datasource: 'slack_1', result: 'connected' }

it.each(['/onboarding', '/api/status', '/onboarding/connect/github_1'])(
  'an app from a closed tab, or connected elsewhere, is audited once, when %s finds it',
  async (path) => {
    const { world, to, get, audited } = setUpWalkRoutes()
    await to(CLICK)
    world.now += 60_000
    world.waiting = [github]
    await Promise.all([get(path), get('/onboarding'), get('/api/status')])
    world.now += 60_000
    await get('/onboarding')
    expect(audited.filter(({ event }) => event === 'step_result')).toEqual([connected])
  },
)

it('an app found connected by another app’s return is audited beside it', async () => {
  const { world, to, get, callbackPath, audited } = setUpWalkRoutes()
  await to('/onboarding/connect/github_1')
  await to(CLICK)
  world.now += 10_000
  world.waiting = []
  await get(callbackPath())
  expect(audited.filter(({ event }) => event === 'step_result')).toEqual([
    connected,
    { ...connected, datasource: 'github_1' },
  ])
})

it('an app that disappears because the service knew nothing of it is not audited', async () => {
  const { world, get, audited } = setUpWalkRoutes()
  world.waiting = []
  await get('/onboarding')
  expect(audited).toEqual([])
})

it.each<[string, string, (world: ReturnType<typeof setUpWalkRoutes>['world']) => unknown, object]>([
  [
    'a service that is away',
    CLICK,
    (world) => (world.fails = true),
    { datasource: 'slack_1', code: 'service_unavailable' },
  ],
  [
    'a service that is away, without naming an app',
    '/onboarding/connect',
    (world) => (world.fails = true),
    { datasource: undefined, code: 'service_unavailable' },
  ],
  [
    'an app that has no address',
    CLICK,
    (world) => (world.waiting = world.waiting.map((app) => ({ ...app, authUrlRelativePath: '' }))),
    { datasource: 'slack_1', code: 'datasource_cannot_start' },
  ],
  // What a stranger can make up is in no log.
  ['no app of theirs', `${CLICK}x`, () => {}, { datasource: undefined, code: 'datasource_unknown' }],
])(
  'a click that ends at %s is audited with the person, the app and the code',
  async (_what, path, make, failed) => {
    const { world, get, audited, failures } = setUpWalkRoutes()
    await get('/onboarding')
    make(world)
    await Promise.all([get(path), get(path)])
    expect(audited).toEqual([{ event: 'step_failed', user: ada, ...failed }])
    const { code, datasource: instance } = failed as { code: string; datasource?: string }
    expect(failures).toEqual([{ user: ada, at: world.now, code, instance }])
  },
)

it('a return during an outage of the service is audited with person, app and code', async () => {
  const { world, get, callbackPath, audited, failures } = await awayAtSlack()
  world.fails = true
  await get(callbackPath())
  const failed = { event: 'step_failed', user: ada, datasource: 'slack_1', code: 'service_unavailable' }
  expect(audited.slice(1)).toEqual([failed])
  expect(failures).toMatchObject([{ at: world.now, code: 'service_unavailable', instance: 'slack_1' }])
})
