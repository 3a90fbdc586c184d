// When lapses count as one mass disconnect, and when it is over.
import { expect, it } from 'vitest'
import { findClusters } from '../../src/campaigns/clusters.ts'
import type { KeepState, MassDisconnect } from '../../src/people/keep-state.ts'
import { DAY, HOUR, lostApps, monday, slack } from './lapsed-person.ts'

const NONE: KeepState = { evaluatedAt: monday, massDisconnects: [], zones: {}, days: [] }
const after = (...massDisconnects: MassDisconnect[]): KeepState => ({ ...NONE, massDisconnects })

type Group = [people: number, lapsedAt: number]

/** @param lapses of Slack @param had how many people had it, the others have it still */
async function evaluate(lapses: readonly Group[], had: number, state = NONE, now = monday + 2) {
  const lost = lapses.flatMap(([people, lapsedAt]) =>
    Array.from({ length: people }, () => lostApps([slack], lapsedAt)),
  )
  const others = Array.from({ length: Math.max(0, had - lost.length) }, () => lostApps([], monday))
  return (await findClusters([...lost, ...others], state, now)).massDisconnects
}

const [sixty] = (await evaluate([[60, monday + 1]], 100)) as [MassDisconnect]

it.each([
  [4, 8, 0],
  [5, 25, 1],
  [5, 26, 0],
  [49, 1_000, 0],
  [50, 1_000, 1],
  [50, 20_000, 1],
])('%i lapses among %i people who had the app are %i mass disconnects', async (lost, had, count) => {
  expect(await evaluate([[lost, monday + 1]], had)).toHaveLength(count)
})

const HALF = 12 * HOUR
// prettier-ignore
it.each<[string, number, [number, number][], [number, number][]]>([
  ['five of 25 within a day and a half count', 25, [[4, 0], [1, 3 * HALF - 1]], [[monday, 5]]],
  ['five of 25 over a day and a half don’t count', 25, [[4, 0], [1, 3 * HALF]], []],
  ['fifty of 1,000 within half a day count', 1_000, [[49, 0], [1, HALF - 1]], [[monday, 50]]],
  ['fifty of 1,000 over half a day don’t count', 1_000, [[49, 0], [1, HALF]], []],
  ['ninety of 20,000 over half a day don’t count', 20_000, [[45, 6 * HOUR], [45, 18 * HOUR]], []],
])(
  'lapses are compared by when they were noticed, even months later: %s',
  async (_what, had, noticed, expected) => {
    const lapses = noticed.map(([people, later]): Group => [people, monday + later])
    const found = await evaluate(lapses, had, NONE, monday + 200 * DAY)
    expect(found.map(({ since, lapsed }) => [since, lapsed])).toEqual(expected)
  },
)

it('lapses that were evaluated before don’t count again', async () => {
  expect(await evaluate([[30, monday - 1]], 40)).toEqual([])
})

it.each([
  [31, 1],
  [30, 1],
  [29, 0],
])('a mass disconnect of sixty with %i who still lack the app counts as %i', async (lost, count) => {
  const later = { ...after(sixty), evaluatedAt: monday + 2 }
  expect(sixty).toMatchObject({ instance: 'slack_1', lapsed: 60, had: 100 })
  expect(await evaluate([[lost, monday + 1]], 100, later)).toHaveLength(count)
})

it('a mass disconnect is over once most people have the app again, also gradually', async () => {
  let state = after(sixty)
  for (const lost of [55, 45, 35]) state = after(...(await evaluate([[lost, monday + 1]], 100, state)))
  expect(await evaluate([[29, monday + 1]], 100, state)).toEqual([])
})

it('people who lost the app earlier don’t keep a mass disconnect from being over', async () => {
  expect(await evaluate([[200, monday - DAY]], 200, after(sixty), monday + 3)).toEqual([])
})

it('a resumed mass disconnect isn’t found again for people noticed later', async () => {
  const resumed = { ...sixty, resumedAt: monday + 3 }
  expect(await evaluate([[90, monday + DAY / 2]], 100, after(resumed))).toMatchObject([resumed])
})

it('a mass disconnect that was resumed is found again when it happens again', async () => {
  const resumed = { ...sixty, noticedAt: 1, since: 0, resumedAt: 2 }
  expect(await evaluate([[60, monday + 1]], 100, after(resumed))).toMatchObject([{ noticedAt: monday + 2 }])
})
