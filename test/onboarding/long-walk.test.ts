// A person with many apps starts with five, in the company's order, with a summary page after these.
import { expect, it } from 'vitest'
import { automaticNext, nextStep, walkStates } from '../../src/onboarding/next-step.ts'
import { statusOf } from '../../src/onboarding/status.ts'
import { finishReturn, startConsent, skip } from '../../src/onboarding/walk.ts'
import type { UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { NOW, returnedWalk, overviewPage, checkedWalk, unconnectedApp } from './overview-pages.ts'

const apps = (count: number) =>
  Array.from({ length: count }, (_, at) => unconnectedApp(`app_${at}`, `App ${at}`))
const fortyApps = apps(40)
const ids = (from: number, to: number) => fortyApps.slice(from, to).map(({ instance }) => instance)
/** A walk whose first apps are connected. */
const afterConnecting = (connected: number, all = fortyApps) =>
  checkedWalk(all.slice(connected), checkedWalk(all))
const isAny = () => true

const offApp = unconnectedApp('off_1', 'Off', 'disabled')
const oddApp = unconnectedApp('odd_1', 'Odd', 'attention')
// prettier-ignore
it.each<[title: string, listed: UnconnectedApp[], first: string[] | undefined]>([
  ['ten apps shows all of them', apps(10), undefined],
  ['eleven apps begins with five', apps(11), ids(0, 5)],
  ['ten apps, beside some that no one can connect, shows all', [offApp, oddApp, ...apps(10)], undefined],
  ['eleven apps, after some that no one can connect, begins with five', [offApp, oddApp, ...apps(11)], ids(0, 5)],
])('a walk of %s', (_title, listed, first) => {
  const found = walkStates(checkedWalk(listed), NOW).firstApps
  expect(found && [...found]).toEqual(first)
})

// prettier-ignore
it.each<[string, Walk, showsFirstApps: boolean]>([
  ['still only the first five once those are connected', afterConnecting(5), true],
  ['all apps once a sixth is connected', afterConnecting(6), false],
  ['all apps once one of the others is connected out of turn', checkedWalk(fortyApps.slice(0, 39), checkedWalk(fortyApps)), false],
  [
    'all apps if one of the others had been connected before',
    checkedWalk([...fortyApps.slice(0, 39), unconnectedApp('app_39', 'App 39', 'stale')]),
    false,
  ],
  ['all apps of a visit to two', { ...checkedWalk(fortyApps), visit: { datasources: ids(0, 2) } }, false],
])('a long walk shows %s', (_title, walk, showsFirstApps) => {
  expect(walkStates(walk, NOW).firstApps !== undefined).toBe(showsFirstApps)
})

it('a return redirects within the first five apps, and later again', () => {
  const onFrom = (connected: number) => automaticNext(walkStates(afterConnecting(connected), NOW), isAny)
  expect([0, 4].map(onFrom)).toEqual(['app_0', 'app_4'])
  expect(onFrom(5)).toBeUndefined()
  expect(nextStep(walkStates(afterConnecting(5), NOW))).toEqual({ kind: 'finished' })
  expect(onFrom(6)).toBe('app_6')
})

it('an unconfirmed return offers no app beyond the five', () => {
  const last = startConsent(afterConnecting(4), { instance: 'app_4', step: 's', now: NOW })
  expect(nextStep(walkStates(finishReturn(last, 's', NOW).walk, NOW))).toMatchObject({
    kind: 'confirming',
    otherApp: undefined,
  })
})

// prettier-ignore
it.each<[title: string, walk: Walk, figures: object]>([
  ['at the start', checkedWalk(fortyApps), { connected: 0, pending: 5, skipped: 0 }],
  ['on the way', skip(afterConnecting(2), 'app_2', NOW), { connected: 2, pending: 2, skipped: 1 }],
  ['narrowed to two', { ...afterConnecting(2), visit: { datasources: ids(0, 2) } }, { connected: 2, pending: 3, skipped: 0 }],
  ['after the five', afterConnecting(5), { connected: 5, pending: 35, skipped: 0 }],
  ['beyond the five', afterConnecting(6), { connected: 6, pending: 34, skipped: 0 }],
])('the status for the intranet has the counts of the page, %s', (_title, walk, figures) => {
  expect(statusOf(walkStates(walk, NOW))).toEqual(figures)
})

it('the page starts with five apps, and folds the others behind “can wait”', () => {
  const page = overviewPage(checkedWalk(fortyApps))
  expect(page).toMatchObject({
    title: '0 of 5 connected - Connect your apps to search',
    lead: 'Start with these 5. The other 35 can wait.',
    moreTitle: 'The other 35 can wait',
    progress: { total: 5, minutes: 'About 5 minutes left' },
  })
  expect(page.rows.map(({ instance }) => instance)).toEqual(ids(1, 5))
  expect(page.more.map(({ instance }) => instance)).toEqual(ids(5, 40))
  expect(overviewPage(afterConnecting(2)).lead).toBe('')
  expect(overviewPage(afterConnecting(4)).card?.explain).toBe('Allow access in App 4, and you’re done.')
})

it('the page has a summary after the five, with a link to the other apps', () => {
  const page = overviewPage(afterConnecting(5), { from: 'app_4' })
  expect(page).toMatchObject({
    state: 'done',
    heading: 'Your first 5 apps are connected',
    lead: 'Search can now find your work there. The other 35 can wait.',
    offersSearch: true,
    card: undefined,
    resume: { href: '/onboarding/connect/app_5', label: 'Connect more apps', forApp: 'App 5' },
  })
  expect(page.icons).toHaveLength(5)
})

it('after skips among the five, the page links to the other apps', () => {
  const skipped = skip(afterConnecting(4), 'app_4', NOW)
  expect(overviewPage(skipped)).toMatchObject({
    state: 'incomplete',
    heading: 'That’s everything for now',
    resume: { label: 'Connect more apps', forApp: 'App 5' },
  })
})

it('the page counts all apps once the person has continued beyond the five', () => {
  expect(overviewPage(afterConnecting(6))).toMatchObject({
    progress: { label: '6 of 40 connected' },
    card: { instance: 'app_6' },
  })
})

it('an app that needs the person is among the first rows', () => {
  const [slack] = returnedWalk([unconnectedApp('slack_1', 'Slack')]).apps
  const walk = checkedWalk(fortyApps)
  const confirming = { ...walk, apps: [...walk.apps, ...(slack ? [slack] : [])] }
  expect(overviewPage(confirming).rows.map(({ instance }) => instance)).toContain('slack_1')
})
