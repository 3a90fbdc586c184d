// Banners and waiting cards of the overview.
import { expect, it } from 'vitest'
import { block, finishReturn, startConsent, skip } from '../../src/onboarding/walk.ts'
import type { UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import {
  CONFIRM,
  LATE,
  NOW,
  drive,
  github,
  unconfirmedWalk,
  returnedWalk,
  overviewPage,
  checkedWalk,
  slack,
  unconnectedApp,
} from './overview-pages.ts'

const connect = '/onboarding/connect/slack_1'

const lateAndOver = (apps: UnconnectedApp[]) => {
  const other = startConsent(unconfirmedWalk(apps), { instance: 'github_1', step: 'step-2', now: LATE })
  return finishReturn(other, 'step-2', LATE, true).walk
}
const offSlack = unconnectedApp('slack_1', 'Slack', 'disabled')

// prettier-ignore
it.each<[string, Walk, object | undefined]>([
  [
    'connected, with the next app',
    checkedWalk([github], checkedWalk([slack, github])),
    { kind: 'good', title: 'Slack connected', text: 'Next up: GitHub.' },
  ],
  ['connected, the last one: no banner beside the page’s headline', checkedWalk([], checkedWalk([slack, github])), undefined],
  [
    'skipped',
    skip(checkedWalk([slack, github]), 'slack_1', NOW),
    {
      kind: 'notice',
      title: 'Slack skipped',
      text: 'It’s still on your list, so you can connect it any time.',
    },
  ],
  ['skipped, the last one', skip(checkedWalk([slack]), 'slack_1', NOW), undefined],
  [
    'for an admin',
    block(checkedWalk([slack, github]), 'slack_1', NOW),
    {
      kind: 'notice',
      title: 'Slack is waiting for an admin',
      text: 'Your admins can see this. You don’t need to do anything.',
    },
  ],
  [
    'turned off',
    checkedWalk([offSlack, github]),
    {
      kind: 'notice',
      title: 'Slack is turned off',
      text: 'Search says that this app is turned off. You don’t need to do anything.',
    },
  ],
  [
    'without a usable address or a next app',
    checkedWalk([unconnectedApp('slack_1', 'Slack', 'attention'), github]),
    {
      kind: 'notice',
      title: 'We can’t connect Slack right now',
      text: 'Search has no working link to this app. Your admins can see this. You don’t need to do anything.',
    },
  ],
  [
    'connected, and only an app without an address is left',
    checkedWalk(
      [unconnectedApp('evil_1', 'Evil App', 'attention')],
      checkedWalk([slack, unconnectedApp('evil_1', 'Evil App', 'attention')]),
    ),
    undefined,
  ],
  [
    'not confirmed, while another app comes first',
    lateAndOver([github, slack]),
    { kind: 'bad', title: 'Slack isn’t connected yet', text: 'Try again from the list.' },
  ],
  ['still to connect', checkedWalk([slack, github]), undefined],
  ['hidden in this visit', { ...checkedWalk([slack, github]), visit: { datasources: ['github'] } }, undefined],
])('the banner shows the result of the app from which the person returned: %s', (_title, walk, banner) => {
  expect(overviewPage(walk, { from: 'slack_1', now: LATE }).banner).toEqual(
    banner && { nameLine: '', ...banner },
  )
})

it('the banner about a long name begins with the result, and has the name once', () => {
  const long = unconnectedApp('slack_1', 'Quarterly planning, reporting and forecasting app')
  const other = unconnectedApp('plan_2', 'Quarterly planning, reporting and forecasting for EMEA')
  const notified = (walk: Walk) => {
    const { banner } = overviewPage(walk, { from: 'slack_1' })
    expect([banner?.title, banner?.text].join()).not.toContain('Quarterly')
    return [banner?.title, banner?.nameLine, banner?.text]
  }
  const both = checkedWalk([long, other])

  expect(notified(checkedWalk([other], both))).toEqual(['Connected', long.name, ''])
  expect(notified(checkedWalk([github], checkedWalk([long, github])))).toEqual([
    'Connected',
    long.name,
    'Next up: GitHub.',
  ])
  expect(notified(skip(both, 'slack_1', NOW)).slice(0, 2)).toEqual(['Skipped', long.name])
  expect(notified(block(both, 'slack_1', NOW)).slice(0, 2)).toEqual(['Waiting for admin', long.name])

  const isOff = checkedWalk([{ ...long, status: 'disabled' }, other])
  expect(notified(isOff).slice(0, 2)).toEqual(['Turned off', long.name])
})

// prettier-ignore
it.each<[string, Walk, object | undefined]>([
  ['to connect a skipped app', skip(checkedWalk([slack]), 'slack_1', NOW), { href: connect, label: 'Connect Slack', notes: [] }],
  [
    'to connect a skipped app again whose access had ended',
    skip(checkedWalk([unconnectedApp('slack_1', 'Slack', 'stale')]), 'slack_1', NOW),
    { href: connect, label: 'Connect Slack again', notes: ['Use the same account or workspace as before.'] },
  ],
  ['no app that needs an admin', block(checkedWalk([slack]), 'slack_1', NOW), undefined],
  ['no skipped app while another one is left', skip(checkedWalk([slack, github]), 'slack_1', NOW), undefined],
  ['no connected app', checkedWalk([], checkedWalk([slack])), undefined],
])('the overview offers %s', (_title, walk, way) => {
  expect(overviewPage(walk).resume).toEqual(way)
})

it('an app being confirmed polls, and leaves the main action to the next app', () => {
  const walk = {
    ...returnedWalk([slack, github, drive]),
    visit: { datasources: ['slack', 'github', 'gdrive'], returnTo: '/search' },
  }
  const { refresh, confirming, card } = overviewPage(walk, { from: 'slack_1' })

  expect(refresh).toEqual({ seconds: 5, url: '/onboarding/callback?step=step-1' })
  expect(confirming).toMatchObject({
    title: 'Checking Slack…',
    decline: { href: '/onboarding/declined/slack_1', label: 'I didn’t allow it' },
    control: {
      checkAgain: '/onboarding/callback?step=step-1',
      stop: '/onboarding?datasource=slack&datasource=github&datasource=gdrive&return_to=%2Fsearch&still=yes',
    },
  })
  expect(card).toMatchObject({
    kind: 'connect',
    main: { href: '/onboarding/connect/github_1', label: 'Continue to GitHub' },
    hasFocus: false,
  })
})

it('the page gives the script the polling intervals and the time limit', () => {
  const returnedOnce = returnedWalk([slack, github])
  const polling = { url: '/onboarding/callback?step=step-1', status: '0 2 0', secondsLeft: CONFIRM }
  expect(overviewPage(returnedOnce).polling).toEqual({ ...polling, oftenSeconds: 60 })
  const at = (seconds: number) => overviewPage(returnedOnce, { now: NOW + seconds * 1_000 }).polling
  expect(at(51)).toEqual({ ...polling, oftenSeconds: 9, secondsLeft: CONFIRM - 51 })
  expect(at(60)).toMatchObject({ oftenSeconds: 0, secondsLeft: CONFIRM - 60 })
  expect(at(CONFIRM * 2)).toMatchObject({ oftenSeconds: 0, secondsLeft: 0 })
  expect(overviewPage(checkedWalk([slack])).polling).toBeUndefined()
})

it('polls don’t move the focus to the confirming app again', () => {
  const returnedAgain = (apps: UnconnectedApp[]) =>
    finishReturn(returnedWalk(apps), 'step-1', NOW + 2_000).walk
  const from = 'slack_1'
  expect(overviewPage(returnedAgain([slack, github]), { from })).toMatchObject({
    confirming: { hasFocus: false },
    banner: undefined,
  })
  expect(overviewPage(returnedAgain([slack]), { from })).toMatchObject({
    card: { hasFocus: false },
    banner: undefined,
  })
})
