// The graph of the walk: one app with everything that can happen, two apps with what makes up a walk. Three are in
// `npm run proof`.
import { describe, expect, it } from 'vitest'
import { explore } from './graph.ts'
import { holdToRules } from './graph-rules.ts'

describe('the graph of the walk', () => {
  it('of one app keeps the rules in every state, with two tabs and every answer', () => {
    const { states, moves } = explore({ apps: 1, maxTabs: 2, isWhole: true }, holdToRules)
    expect({ states, moves }).toEqual({ states: 491, moves: 5_841 })
  })

  it('of two apps keeps the rules in every state', () => {
    const { states, moves } = explore({ apps: 2, maxTabs: 2, isWhole: false }, holdToRules)
    expect({ states, moves }).toEqual({ states: 7_352, moves: 89_890 })
  })
})
