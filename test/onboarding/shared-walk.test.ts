// The walks whose overview is rendered once for many people, and that each has the overview of its own.
import { expect, it } from 'vitest'
import { sharedWalk } from '../../src/onboarding/overview/overview.ts'
import { applyCheck, block, skip, startConsent } from '../../src/onboarding/walk.ts'
import type { UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import {
  checkedWalk,
  CONFIRM,
  drive,
  github,
  listedApp,
  NOW,
  overviewPage,
  returnedWalk,
  slack,
  unconfirmedWalk,
} from './overview-pages.ts'

const listed = (count: number) => Array.from({ length: count }, (_, at) => listedApp(`app_${at}`))
const laterWalk = (unconnected: UnconnectedApp[], milliseconds: number) =>
  applyCheck(checkedWalk([slack, github]), unconnected, NOW + milliseconds, CONFIRM)
const started = startConsent(checkedWalk([slack]), { instance: 'slack_1', step: 'step-1', now: NOW })
const lapsedWalk = applyCheck(laterWalk([github], 1), [slack, github], NOW, CONFIRM)

it.each<[string, 'shared' | 'own', Walk]>([
  ['apps to connect', 'shared', checkedWalk([slack, github])],
  ['a connected app and another', 'shared', laterWalk([github], 1)],
  ['connected apps only', 'own', laterWalk([], 1)],
  ['no apps', 'own', checkedWalk([])],
  ['an app that came after a minute', 'shared', laterWalk([slack, github, drive], 60_000)],
  ['an app that came later', 'own', laterWalk([slack, github, drive], 60_001)],
  ['ten apps', 'shared', checkedWalk(listed(10))],
  ['eleven apps', 'own', checkedWalk(listed(11))],
  ['a started app', 'own', started],
  ['a returned app', 'own', returnedWalk([slack])],
  ['an unconfirmed app', 'own', unconfirmedWalk([slack])],
  ['a skipped app', 'own', skip(checkedWalk([slack]), 'slack_1', NOW)],
  ['a blocked app', 'own', block(checkedWalk([slack]), 'slack_1', NOW)],
  ['an app that was connected before', 'own', lapsedWalk],
  ['an app whose access has ended', 'own', checkedWalk([listedApp('slack_1', 'stale')])],
  ['an app that is off', 'own', checkedWalk([slack, listedApp('github_1', 'disabled')])],
])('a person with %s gets the %s overview', (_title, kind, walk) => {
  const own = { now: NOW + 120_000, name: 'Ada' }

  const shared = sharedWalk(walk)

  expect(shared !== undefined).toBe(kind === 'shared')
  expect(overviewPage(shared ?? walk, shared ? { now: 0 } : own)).toEqual(overviewPage(walk, own))
})
