// The graph of one app with every event, and of two apps with most of them. `npm run proof` has three apps.
import { expect, it } from 'vitest'
import { explore } from './graph.ts'
import { holdToRules } from './graph-rules.ts'

it.each([
  { apps: 1, isWhole: true, states: 645, moves: 7_913 },
  { apps: 2, isWhole: false, states: 10_076, moves: 125_122 },
])('a walk of $apps apps in two tabs keeps the rules in every state', ({ apps, isWhole, ...counts }) => {
  expect(explore({ apps, isWhole }, holdToRules)).toEqual(counts)
})
