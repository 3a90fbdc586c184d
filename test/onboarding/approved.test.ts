// A person who waits for an admin's approval: what their page says about it, and when the app is theirs to connect again.
import { expect, it } from 'vitest'
import type { Approval } from '../../src/people/keep-state.ts'
import { NOW } from './overview-pages.ts'
import { setUpWalkRoutes } from './walk-routes.ts'

const DAY = 86_400_000
const request: Approval = {
  instance: 'slack_1',
  name: 'Slack',
  stage: 'waiting',
  stageAt: 0,
  waiting: 6,
  since: NOW - DAY,
  owners: ['grace@acme.example'],
  requestedAt: NOW,
  requestedFor: 6,
  approvedAt: 0,
}
const later = NOW + DAY
const approved = { ...request, stage: 'approved', stageAt: later, approvedAt: later } as const

/** Someone who said that Slack needs an admin. */
async function blocked(approvals: Approval[]) {
  const one = setUpWalkRoutes()
  await one.page('/onboarding')
  expect(one.world.keepStateLoads).toBe(0)
  await one.post('/onboarding/blocked/slack_1')
  one.world.approvals = approvals
  one.world.now = later + DAY
  return one
}
const rowOf = async ({ page }: ReturnType<typeof setUpWalkRoutes>) => {
  const { entries } = (await page('/onboarding')) as unknown as {
    entries: { app: string; kind: string; notes: string[] }[]
  }
  return entries.find(({ app }) => app === 'slack_1')
}

it.each([
  ['no run has seen it', [], /^Waiting for an admin since .*You can try again any time\.$/],
  ['others wait, too', [request], /^Waiting .* We asked the Slack admins on .* 5 others are waiting, too\.$/],
  [
    'no one else waits, and no email was sent',
    [{ ...request, requestedAt: 0, waiting: 1 }],
    /^Waiting for an admin since [^.]*\.$/,
  ],
  [
    'it was approved, and this person is to try it',
    [{ ...approved, testers: [NOW] }],
    /^It was approved on .* You can connect it now\.$/,
  ],
  [
    'it was approved, and someone else is to try it',
    [{ ...approved, testers: [NOW - 1] }],
    /^Waiting .* 5 others/,
  ],
  ['it failed since', [{ ...approved, stage: 'failed', testers: [NOW] }], /^Waiting for an admin since/],
] as const)(
  'the row of an app waiting for an admin shows the approval’s progress: %s',
  async (_what, approvals, note) => {
    const row = await rowOf(await blocked([...approvals]))
    expect(row).toMatchObject({ kind: 'blocked', notes: [expect.stringMatching(note) as string] })
    expect(JSON.stringify(row)).not.toContain('grace')
  },
)

it.each([
  ['no one has approved it', request, true],
  ['someone else is to try it', { ...approved, testers: [NOW - 1] }, true],
  ['this person is to try it', { ...approved, testers: [NOW] }, false],
] as const)(
  'the banner says that there is nothing to do only while that is so: %s',
  async (_when, approval, isShown) => {
    const { page } = await blocked([approval])
    const { banner } = await page('/onboarding?from=slack_1')
    expect(banner?.title === 'Slack is waiting for an admin').toBe(isShown)
  },
)

it.each([
  ['once it works for another person', { ...approved, stage: 'confirmed' }, '/onboarding', true],
  ['where an email asks this person to try it', approved, '/onboarding?datasource=slack_1', true],
  ['but not for everyone while one tries it', approved, '/onboarding', false],
  [
    'nor if they asked again since',
    { ...approved, stage: 'confirmed', stageAt: NOW - 1 },
    '/onboarding',
    false,
  ],
] as const)('an approved app is offered again %s', async (_when, approval, path, isOffered) => {
  const one = await blocked([approval])
  const { card } = await one.page(path)
  expect(card?.title === 'Connect Slack').toBe(isOffered)
  expect((await rowOf(one))?.kind).toBe(isOffered ? undefined : 'blocked')
})
