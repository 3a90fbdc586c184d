// The graph of one app with every event, and of two apps with most of them. `npm run proof` has three apps.
import { expect, it } from 'vitest'
import { explore } from './graph.ts'
import { holdToRules } from './graph-rules.ts'

it.each([
  { apps: 1, isWhole: true, states: 491, moves: 5_841 },
  { apps: 2, isWhole: false, states: 7_352, moves: 89_890 },
])('a walk of $apps apps in two tabs keeps the rules in every state', ({ apps, isWhole, ...counts }) => {
  expect(explore({ apps, isWhole }, holdToRules)).toEqual(counts)
})
