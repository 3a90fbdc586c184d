// The headline of the overview, for every combination of counts.
import { expect, it } from 'vitest'
import { countsOf, headlineOf } from '../../src/onboarding/overview/headline.ts'
import { t } from '../helpers/texts.ts'

type OverviewCounts = Parameters<typeof headlineOf>[0]

type Outcome = ReturnType<typeof headlineOf>['outcome']

type Counts = ReturnType<typeof countsOf>

const BUCKETS = ['connected', 'pending', 'skipped', 'blocked', 'off'] as const
const AMOUNTS = [0, 1, 2]

type BucketCounts = Partial<Record<(typeof BUCKETS)[number], number>>

const countsWith = (amounts: BucketCounts = {}): Counts => ({
  ...countsOf([]),
  ...amounts,
  offByStatus: amounts.off === undefined ? {} : { disabled: amounts.off },
})
const counts = (...amounts: number[]): Counts =>
  countsWith(Object.fromEntries(BUCKETS.map((count, index) => [count, amounts[index] ?? 0])))

function* shownCounts(): Generator<Counts> {
  for (let number = 0; number < AMOUNTS.length ** BUCKETS.length; number++)
    yield counts(...BUCKETS.map((_, index) => Math.floor(number / AMOUNTS.length ** index) % AMOUNTS.length))
}

function* countCombinations(): Generator<OverviewCounts> {
  const hiddenCounts = [
    counts(),
    counts(1),
    counts(0, 1),
    counts(0, 0, 1),
    counts(0, 0, 0, 1),
    counts(0, 0, 0, 0, 1),
  ]
  for (const shown of shownCounts()) {
    yield { shown, hidden: counts(), isNarrowed: false }
    for (const hidden of hiddenCounts) yield { shown, hidden, isNarrowed: true }
  }
}

const allFound = 'Search can now find your work there.'
const inConnected = 'Search can find your work in the connected apps.'
const hours = 'Older content can take a few hours to appear.'

it.each<
  [
    Outcome,
    shown: BucketCounts,
    hidden: BucketCounts | undefined,
    state: string,
    heading: string,
    lead: string,
  ]
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
  ['nothing', {}, undefined, 'done', 'Search is ready for you', t('overview.nothingKnown')],
  ['all', { connected: 3 }, undefined, 'done', 'You’re all set', `All 3 apps are connected. ${hours}`],
  [
    'all-but-off',
    { connected: 1, off: 1 },
    { off: 1 },
    'done',
    'Every app you can connect is connected',
    'Search can now find your work in your connected apps. Search says that 2 apps are turned off.',
  ],
  [
    'these',
    { connected: 1, off: 1 },
    { connected: 1, pending: 1, skipped: 2, blocked: 3, off: 1 },
    'done',
    'These apps are connected',
    `${allFound} 6 of your other apps aren’t connected.`,
  ],
  [
    'some',
    { connected: 1, skipped: 1, blocked: 2, off: 1 },
    undefined,
    'incomplete',
    'That’s everything for now',
    `${inConnected} You skipped one app. You can come back and connect it any time. 2 apps are waiting for an admin. Search says that one app is turned off.`,
  ],
  [
    'some',
    { connected: 1, blocked: 1 },
    { pending: 1 },
    'incomplete',
    'Some of these apps are connected',
    `${inConnected} One app is waiting for an admin.`,
  ],
  [
    'none',
    { skipped: 1, off: 1 },
    undefined,
    'incomplete',
    'Nothing is connected yet',
    'Search can’t find your work in these apps. You skipped one app. You can come back and connect it any time. Search says that one app is turned off.',
  ],
  [
    'none',
    { blocked: 1 },
    { connected: 1 },
    'incomplete',
    'This app isn’t connected yet',
    'Search can’t find your work in this app. It needs an admin’s approval.',
  ],
  [
    'off',
    { off: 2 },
    undefined,
    'incomplete',
    'Your apps are turned off for now',
    'Search still works outside these apps. You don’t need to do anything.',
  ],
  [
    'off',
    { off: 1 },
    undefined,
    'incomplete',
    'This app is turned off',
    'Search still works outside this app. You don’t need to do anything.',
  ],
  [
    'off',
    { off: 1 },
    { pending: 1 },
    'incomplete',
    'This app is turned off',
    'Search can’t find your work in this app.',
  ],
])(
  'the headline for %s fits the shown apps %j and hidden apps %j',
  (outcome, shown, hidden, state, heading, lead) => {
    const pageCounts = {
      shown: countsWith(shown),
      hidden: countsWith(hidden),
      isNarrowed: hidden !== undefined,
    }
    const headline = headlineOf(pageCounts, t)
    expect(headline).toMatchObject({ outcome, state, heading, lead })
    expect(headline.offersSearch).toBe(
      state === 'done' || outcome === 'some' || lead.startsWith('Search still works'),
    )
  },
)

it('the overview explains an app without a usable address, and where search still works', () => {
  const headlineWith = (off: number, offByStatus: Counts['offByStatus']) => {
    const pageCounts = {
      shown: { ...countsWith({ off }), offByStatus },
      hidden: countsWith({}),
      isNarrowed: false,
    }
    return headlineOf(pageCounts, t)
  }

  expect(headlineWith(1, { attention: 1 })).toMatchObject({
    state: 'incomplete',
    offersSearch: true,
    heading: 'We can’t connect this app right now',
    lead: 'Search has no working link to this app. Your admins can see this. You don’t need to do anything.',
  })
  expect(headlineWith(2, { attention: 1, disabled: 1 })).toMatchObject({
    state: 'incomplete',
    offersSearch: true,
    heading: 'We can’t connect these apps right now',
    lead: 'Search has no working link to one app. Your admins can see this. Search says that one app is turned off. Search still works outside these apps. You don’t need to do anything.',
  })
})

it('the headline never makes a false claim, for any combination of counts', () => {
  let checked = 0
  for (const pageCounts of countCombinations()) {
    const { shown, hidden, isNarrowed } = pageCounts
    const message = JSON.stringify(pageCounts)
    const { state, heading, lead, offersSearch } = headlineOf(pageCounts, t)
    const listed = BUCKETS.reduce((sum, count) => sum + shown[count] + hidden[count], 0)
    const words = `${heading} ${lead}`

    const connected = shown.connected + hidden.connected
    const remaining = shown.pending + shown.skipped + shown.blocked
    const claims: [isClaimed: boolean, isTrue: boolean][] = [
      [heading === t('finished.title'), connected === listed],
      [words.includes('all your apps'), heading === t('finished.title')],
      [state === 'done', remaining === 0],
      [/all set|everything/i.test(heading), shown.connected > 0],
      [offersSearch && listed > 0, shown.connected > 0 || (remaining === 0 && listed === shown.off)],
      [/^nothing is connected/i.test(heading), connected === 0],
      [
        heading === t('finished.titleOff'),
        remaining + hidden.pending + hidden.skipped + hidden.blocked === 0,
      ],
      [heading === t('finished.titleSome'), hidden.pending === 0],
    ]
    for (const [isClaimed, isTrue] of claims) expect(isClaimed && !isTrue, message).toBe(false)
    expect(state === 'open', message).toBe(
      shown.pending > 0 || (isNarrowed && BUCKETS.every((count) => shown[count] === 0)),
    )
    expect(words, message).not.toMatch(/undefined|NaN|\b0 apps|\b1 apps/)
    checked++
  }
  expect(checked).toBe(243 * 7)
})
