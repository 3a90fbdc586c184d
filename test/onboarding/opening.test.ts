// The words that a list opens with, for each way in which it can end.
import { describe, expect, it } from 'vitest'
import { countsOf, openingOf, type endingOf } from '../../src/onboarding/overview/opening.ts'
import { t } from '../helpers/texts.ts'

type Ending = ReturnType<typeof endingOf>

type Counts = ReturnType<typeof countsOf>

type Figures = Partial<Record<'connected' | 'pending' | 'skipped' | 'blocked' | 'off', number>>

const counts = (figures: Figures = {}): Counts => ({
  ...countsOf([]),
  ...figures,
  offBy: figures.off === undefined ? {} : { disabled: figures.off },
})

const there = 'Search can now find your work there.'
const inConnected = 'Search can find your work in the connected apps.'
const hours = 'Older content can take a few hours to appear.'

describe('a list opens with words that fit it', () => {
  it.each<
    [Ending, shown: Figures, hidden: Figures | undefined, state: string, heading: string, lead: string]
  >([
    ['open', { pending: 2 }, undefined, 'open', 'Connect your apps to search', t('overview.lead')],
    ['open', { connected: 1, pending: 1 }, undefined, 'open', 'Connect your apps to search', ''],
    [
      'open',
      { pending: 1 },
      {},
      'open',
      'Connect your apps to search',
      'The link you followed is for this app only.',
    ],
    ['unknown-name', {}, {}, 'open', t('overview.titleUnderName'), t('overview.nothingUnderName')],
    ['nothing', {}, undefined, 'done', 'You have nothing to connect', t('overview.nothingKnown')],
    ['all', { connected: 3 }, undefined, 'done', 'You’re all set', `All 3 apps are connected. ${hours}`],
    [
      'all-but-off',
      { connected: 1, off: 1 },
      { off: 1 },
      'done',
      'Every app you can connect is connected',
      'Search can now find your work in your connected apps. Your admin has turned 2 apps off.',
    ],
    [
      'these',
      { connected: 1, off: 1 },
      { connected: 1, pending: 1, skipped: 2, blocked: 3, off: 1 },
      'done',
      'These apps are connected',
      `${there} 6 of your other apps aren’t connected.`,
    ],
    [
      'some',
      { connected: 1, skipped: 1, blocked: 2, off: 1 },
      undefined,
      'rest',
      'That’s everything for now',
      `${inConnected} You skipped one app. You can come back and connect it any time. 2 apps are waiting for an admin. Your admin has turned one app off.`,
    ],
    [
      'some',
      { connected: 1, blocked: 1 },
      { pending: 1 },
      'rest',
      'Some of these apps are connected',
      `${inConnected} One app is waiting for an admin.`,
    ],
    [
      'none',
      { skipped: 1, off: 1 },
      undefined,
      'rest',
      'Nothing is connected yet',
      'Search can’t find your work in these apps. You skipped one app. You can come back and connect it any time. Your admin has turned one app off.',
    ],
    [
      'none',
      { blocked: 1 },
      { connected: 1 },
      'rest',
      'This app isn’t connected yet',
      'Search can’t find your work in this app. It needs an admin’s approval.',
    ],
    [
      'off',
      { off: 2 },
      undefined,
      'rest',
      'There’s nothing you can connect',
      'Your admin has turned 2 apps off.',
    ],
    [
      'off',
      { off: 1 },
      { pending: 1 },
      'rest',
      'This app is turned off',
      'Search can’t find your work in this app.',
    ],
  ])('%s: %j, besides %j', (ending, shown, hidden, state, heading, lead) => {
    const seen = { shown: counts(shown), hidden: counts(hidden), isNarrowed: hidden !== undefined }
    const opening = openingOf(ending, seen, t)
    expect(opening).toMatchObject({ state, heading, lead })
    expect(opening.search).toBe(state === 'done' || ending === 'some')
    expect(opening.ending).toBe(ending)
  })
})
