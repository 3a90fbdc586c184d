// The page of a person who waits for an admin's approval, and the moment at which the app is offered again.
import { expect, it } from 'vitest'
import type { Approval } from '../../src/people/keep-state.ts'
import { NOW } from './overview-pages.ts'
import { setUpWalkRoutes } from './walk-routes.ts'

const DAY = 86_400_000
const request: Approval = {
  instance: 'slack_1',
  name: 'Slack',
  stage: 'unapproved',
  stageChangedAt: 0,
  waitingPeople: 6,
  since: NOW - DAY,
  owners: ['grace@acme.example'],
  requestedAt: NOW,
  requestedForCount: 6,
  approvedAt: 0,
}
const nextDay = NOW + DAY
const approvedRequest = {
  ...request,
  stage: 'approved',
  stageChangedAt: nextDay,
  approvedAt: nextDay,
} as const

/** The page of someone who marked Slack as needing an admin. */
async function openBlockedPage(approvals: Approval[]) {
  const routes = setUpWalkRoutes()
  await routes.page('/onboarding')
  expect(routes.setup.keepStateLoads).toBe(0)
  await routes.post('/onboarding/blocked/slack_1')
  expect(routes.setup.pressed, 'Recorded at once').toMatchObject([{ blockedAt: NOW }, {}])
  routes.setup.approvals = approvals
  routes.setup.now = nextDay + DAY
  return routes
}
const rowOf = async ({ page }: ReturnType<typeof setUpWalkRoutes>) => {
  const { rows } = (await page('/onboarding')) as unknown as {
    rows: { instance: string; kind: string; notes: string[] }[]
  }
  return rows.find(({ instance }) => instance === 'slack_1')
}

// prettier-ignore
it.each([
  ['no run has seen it', [], /^Waiting for an admin since .*You can try again any time\.$/],
  ['others wait, too', [request], /^Waiting .* We asked the Slack admins on .* 5 others are waiting, too\.$/],
  ['no one else waits, and no email was sent', [{ ...request, requestedAt: 0, waitingPeople: 1 }], /^Waiting for an admin since [^.]*\.$/],
  ['it was approved, and this person is the tester', [{ ...approvedRequest, testers: [NOW] }], /^It was approved on .* You can connect it now\.$/],
  ['it was approved, and someone else is the tester', [{ ...approvedRequest, testers: [NOW - 1] }], /^Waiting .* We asked the Slack admins on .* 5 others/],
  ['its owner was asked before an earlier confirmation', [{ ...request, stage: 'confirmed', stageChangedAt: NOW - 1, requestedAt: NOW - 2, waitingPeople: 1 }], /^Waiting for an admin since [^.]*\.$/],
  ['its test failed', [{ ...approvedRequest, stage: 'failed', testers: [NOW] }], /^Waiting for an admin since/],
] as const)(
  'the row of an app waiting for an admin shows the approval’s progress: %s',
  async (_title, approvals, note) => {
    const row = await rowOf(await openBlockedPage([...approvals]))
    const isTester = note.source.startsWith('^It was approved')
    const [status, label] = isTester ? ['', 'Connect'] : ['Waiting for admin', 'Approved? Try again']
    expect(row).toMatchObject({
      kind: 'blocked',
      status,
      connect: { label },
      notes: [expect.stringMatching(note) as string],
    })
    expect(JSON.stringify(row)).not.toContain('grace')
  },
)

// prettier-ignore
it.each([
  ['says that there is nothing to do before an approval', request, true],
  ['says that there is nothing to do while someone else is the tester', { ...approvedRequest, testers: [NOW - 1] }, true],
  ['doesn’t say so to the tester', { ...approvedRequest, testers: [NOW] }, false],
] as const)('the banner of someone who waits for an approval %s', async (_title, approval, isShown) => {
  const { page } = await openBlockedPage([approval])
  const { banner } = await page('/onboarding?from=slack_1')
  expect(banner?.title === 'Slack is waiting for an admin').toBe(isShown)
})

const OFFERED = { isOffered: true, kind: undefined, blockedAt: undefined }
const STILL_BLOCKED = { isOffered: false, kind: 'blocked', blockedAt: NOW }
// prettier-ignore
it.each([
  ['is offered again once it works for another person', { ...approvedRequest, stage: 'confirmed' }, '/onboarding', OFFERED],
  ['is offered again to the tester who was emailed', approvedRequest, '/onboarding?datasource=slack_1', OFFERED],
  ['isn’t offered to others during the test', approvedRequest, '/onboarding', STILL_BLOCKED],
  ['isn’t offered once another app works', { ...approvedRequest, instance: 'slack_2', stage: 'confirmed' }, '/onboarding', STILL_BLOCKED],
  ['isn’t offered after a newer request', { ...approvedRequest, stage: 'confirmed', stageChangedAt: NOW }, '/onboarding', STILL_BLOCKED],
  ['is offered again once it works after the request', { ...approvedRequest, stage: 'confirmed', stageChangedAt: NOW + 1 }, '/onboarding', OFFERED],
] as const)(
  'an app that waited for an approval %s',
  async (_title, approval, path, { isOffered, kind, blockedAt }) => {
    const routes = await openBlockedPage([approval])
    const { card } = await routes.page(path)
    expect(card?.title === 'Connect Slack').toBe(isOffered)
    expect((await rowOf(routes))?.kind).toBe(kind)
    const [slack] = routes.setup.pressed
    expect(slack?.blockedAt, 'Admins see it at once').toBe(blockedAt)
  },
)
