// What the audit log has of a person's steps: also those that fail, and those that only a page finds done.
import { expect, it } from 'vitest'
import { ada, frontDoor, github } from './front-door.ts'

const CLICK = '/onboarding/connect/slack_1'
const connected = { event: 'step_result', user: ada, datasource: 'slack_1', result: 'connected' }

it.each(['/onboarding', '/api/status', '/onboarding/connect/github_1'])(
  'an app whose tab was closed, or that was connected elsewhere, is audited once, when %s finds it',
  async (path) => {
    const { at, to, get, notes } = frontDoor()
    await to(CLICK)
    at.now += 60_000
    at.waiting = [github]
    await Promise.all([get(path), get('/onboarding'), get('/api/status')])
    at.now += 60_000
    await get('/onboarding')
    expect(notes.filter(({ event }) => event === 'step_result')).toEqual([connected])
  },
)

it('an app that another return finds connected is audited beside the one that the person is back from', async () => {
  const { at, to, get, back, notes } = frontDoor()
  await to('/onboarding/connect/github_1')
  await to(CLICK)
  at.now += 10_000
  at.waiting = []
  await get(back())
  expect(notes.filter(({ event }) => event === 'step_result')).toEqual([
    connected,
    { ...connected, datasource: 'github_1' },
  ])
})

it('an app that is only listed no more because nothing was known of it is not audited', async () => {
  const { at, get, notes } = frontDoor()
  at.waiting = []
  await get('/onboarding')
  expect(notes).toEqual([])
})

it.each<[string, string, (at: ReturnType<typeof frontDoor>['at']) => unknown, object]>([
  [
    'a service that is away',
    CLICK,
    (at) => (at.fails = true),
    { datasource: 'slack_1', code: 'service_unavailable' },
  ],
  [
    'a service that is away, without naming an app',
    '/onboarding/connect',
    (at) => (at.fails = true),
    { datasource: undefined, code: 'service_unavailable' },
  ],
  [
    'an app that has no address',
    CLICK,
    (at) => (at.waiting = at.waiting.map((app) => ({ ...app, authUrlRelativePath: '' }))),
    { datasource: 'slack_1', code: 'datasource_cannot_start' },
  ],
  // What a stranger can make up is in no log.
  ['no app of theirs', `${CLICK}x`, () => {}, { datasource: undefined, code: 'datasource_unknown' }],
])(
  'a click that ends at %s is audited with the person, the app and the code',
  async (_what, path, make, failed) => {
    const { at, get, notes } = frontDoor()
    await get('/onboarding')
    make(at)
    await Promise.all([get(path), get(path)])
    expect(notes).toEqual([{ event: 'step_failed', user: ada, ...failed }])
  },
)

it('a return that ends at a service which is away is audited with the person, the app and the code', async () => {
  const { at, to, get, back, notes } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  at.fails = true
  await get(back())
  const failed = { event: 'step_failed', user: ada, datasource: 'slack_1', code: 'service_unavailable' }
  expect(notes.slice(1)).toEqual([failed])
})
