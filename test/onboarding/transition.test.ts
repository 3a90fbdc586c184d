// Transitions after a click or a return, and their audit events.
import { expect, it } from 'vitest'
import { nextStep, walkStates } from '../../src/onboarding/next-step.ts'
import { afterClick, afterReturn, stepResultOf } from '../../src/onboarding/transition.ts'
import type { TransitionCheck } from '../../src/onboarding/transition.ts'
import { findReturn, markReturned, newWalk } from '../../src/onboarding/walk.ts'
import type { StartedApp, UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { listedApp } from './overview-pages.ts'

const checkOf = (unconnected: UnconnectedApp[], more: Partial<TransitionCheck> = {}): TransitionCheck => ({
  now: 1_000,
  confirmSeconds: 30,
  step: 'new',
  unconnected,
  isStartable: () => true,
  hasInstructions: () => false,
  ...more,
})
const twoApps = [listedApp('slack_1'), listedApp('github_1')]
const click = (unconnected = twoApps, wanted?: string, more: Partial<TransitionCheck> = {}) =>
  afterClick(newWalk(0), checkOf(unconnected, { step: 's1', ...more }), wanted)
const slackReturn = { step: 's1', instance: 'slack_1', isAutomatic: true }
const returnFromSlack = (
  unconnected: UnconnectedApp[],
  more: Partial<TransitionCheck> = {},
  overrides: object = {},
) => afterReturn(click().walk, checkOf(unconnected, more), { ...slackReturn, ...overrides })

it('a click on connect starts the next app, under the step id of its check', () => {
  expect(click()).toMatchObject({ kind: 'leave', instance: 'slack_1' })
  expect(findReturn(click().walk, 's1')).toMatchObject({
    instance: 'slack_1',
    attempt: { consentStartedAt: 1_000 },
  })
  expect(click(twoApps, 'github_1')).toMatchObject({ kind: 'leave', instance: 'github_1' })
})

it.each(['other_1', '__proto__', 'constructor', '../slack_1', 'x'.repeat(10_000)])(
  'a click on connect for an app that was never listed (%.20s) is refused',
  (wanted) =>
    expect(() => click(twoApps, wanted)).toThrow(expect.objectContaining({ code: 'datasource_unknown' })),
)

it('a click on connect for a disabled or connected app leads to the overview', () => {
  const toOverview = { kind: 'redirect', from: 'slack_1' }
  expect(click([listedApp('slack_1', 'disabled')], 'slack_1')).toMatchObject(toOverview)
  expect(afterClick(click().walk, checkOf([listedApp('github_1')]), 'slack_1')).toMatchObject(toOverview)
})

it('a click on connect without an app skips apps without an address or under confirmation', () => {
  const isStartable = (instance: string) => instance !== 'slack_1'
  expect(click(twoApps, undefined, { isStartable })).toMatchObject({ kind: 'leave', instance: 'github_1' })
  const { walk } = returnFromSlack(twoApps)
  const nextTransition = afterClick(walk, checkOf(twoApps, { step: 's2' }), undefined)
  expect(nextTransition).toMatchObject({ kind: 'leave', instance: 'github_1' })
  expect(afterClick(walk, checkOf([listedApp('slack_1')]), undefined)).toMatchObject({ kind: 'redirect' })
})

const threeApps = [listedApp('slack_1'), listedApp('github_1'), listedApp('jira_1')]
/** A link that the person followed since their click narrows the visit to Jira. */
const visitOfLink = { datasources: ['jira_1'], returnTo: 'https://intranet.example/' }
const withLink = (walk: Walk): Walk => ({ ...walk, visit: visitOfLink })
const awayWithLink = withLink(click(threeApps).walk)
const afterQuickReturn = markReturned(awayWithLink, findReturn(awayWithLink, 's1') as StartedApp, 900)

it.each([
  ['at once', awayWithLink],
  ['after a page between two apps', afterQuickReturn],
])('a return %s goes on in its click’s visit, not a later link’s', (_title, away) => {
  const next = afterReturn(away, checkOf(threeApps.slice(1)), slackReturn)
  expect(next).toMatchObject({ kind: 'leave', instance: 'github_1', walk: { visit: { datasources: [] } } })
})

it('a page that waits for a return stays in the visit of its click', () => {
  const waiting = afterReturn(awayWithLink, checkOf(threeApps), slackReturn).walk
  expect(waiting.visit.datasources).toEqual([])
  const again = afterReturn(withLink(waiting), checkOf(threeApps), slackReturn).walk
  expect(again.visit.datasources).toEqual([])
})

it('a return that has ended leaves the visit as it is', () => {
  const ended = afterReturn(awayWithLink, checkOf(threeApps.slice(1)), slackReturn).walk
  const later = afterReturn(withLink(ended), checkOf(threeApps.slice(1)), slackReturn)
  expect(later.walk.visit).toEqual(visitOfLink)
})

it('a click on connect without an app leads to the last, unconfirmed one', () => {
  const only = [listedApp('slack_1')]
  const { walk } = afterReturn(click(only).walk, checkOf(only), slackReturn)
  const lateTransition = afterClick(walk, checkOf(only, { now: 31_000, step: 's2' }), undefined)
  expect(lateTransition).toMatchObject({ kind: 'leave', instance: 'slack_1' })
})

it('a click on connect without a startable app starts nothing', () => {
  expect(click([])).toMatchObject({ kind: 'redirect' })
  expect(click(twoApps, undefined, { isStartable: () => false })).toMatchObject({ kind: 'redirect' })
  const named = () => click(twoApps, 'slack_1', { isStartable: () => false })
  const datasource = {
    instance: 'slack_1',
    personsApps: click(twoApps, undefined, { isStartable: () => false }).walk.apps,
  }
  expect(named).toThrow(expect.objectContaining({ code: 'datasource_cannot_start', datasource }))
})

const page = { kind: 'show', from: 'slack_1' }

it('a confirmed return redirects to the next app, like a click', () => {
  const transition = returnFromSlack([listedApp('github_1')])
  expect(transition).toMatchObject({ kind: 'leave', instance: 'github_1', walk: { clicks: 1 } })
  expect(findReturn(transition.walk, 's1')).toBeUndefined()
  expect(findReturn(transition.walk, 'new')).toMatchObject({ instance: 'github_1' })
})

it('a return handled by two servers at once redirects only once', () => {
  const otherApps = [listedApp('github_1'), listedApp('gdrive_1')]
  const first = returnFromSlack(otherApps, { step: 's2' })
  expect(first).toMatchObject({ kind: 'leave', instance: 'github_1' })
  const later = afterReturn(first.walk, checkOf(otherApps, { step: 's3' }), slackReturn)
  expect(later).toMatchObject(page)
  expect(later.walk).toEqual(first.walk)
})

it.each([
  ['if onramp asks before each app', returnFromSlack([listedApp('github_1')], {}, { isAutomatic: false })],
  ['after the last app', afterReturn(click([listedApp('slack_1')]).walk, checkOf([]), slackReturn)],
  ['while the app is listed', returnFromSlack(twoApps)],
])('a return shows the page %s', (_title, transition) => {
  expect(transition).toMatchObject(page)
})

it('a return with an error is checked, not believed', () => {
  const listed = returnFromSlack(twoApps, {}, { hasError: true })
  expect(listed).toMatchObject({ ...page, walk: { apps: [{ unconfirmedAt: 1_000 }, {}] } })
  expect(returnFromSlack([listedApp('github_1')], {}, { hasError: true })).toMatchObject({ kind: 'leave' })
})

it('a return redirects to the app that the page would offer', () => {
  const otherApps = [listedApp('odd_1', 'attention'), listedApp('github_1')]
  expect(returnFromSlack(otherApps)).toMatchObject({ kind: 'leave', instance: 'github_1' })
  const { walk } = returnFromSlack(otherApps, {}, { isAutomatic: false })
  expect(nextStep(walkStates(walk, 1_000))).toMatchObject({ kind: 'connect', instance: 'github_1' })
})

const returnAt = (before: Walk, now: number, unconnected = twoApps) => {
  const after = afterReturn(before, checkOf(unconnected, { now }), slackReturn).walk
  return { after, result: stepResultOf(before, after, findReturn(before, 's1') as StartedApp, now) }
}

it('a return is audited once as waiting, and again when its result changes', () => {
  const first = returnAt(click().walk, 2_000)
  expect(first.result).toBe('waiting')
  const second = returnAt(first.after, 4_000)
  expect(second.result).toBeUndefined()
  expect(returnAt(second.after, 9_000, [listedApp('github_1')]).result).toBe('connected')
  expect(returnAt(second.after, 32_000).result).toBe('unconfirmed')
  expect(returnAt(click(twoApps, 'github_1').walk, 2_000, [listedApp('slack_1')]).result).toBe('connected')
  const connected = afterClick(click().walk, checkOf([]), undefined).walk
  expect(returnAt(connected, 2_000, []).result).toBeUndefined()
})
