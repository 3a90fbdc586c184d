// The graph of the walk: one app with everything that can happen, two apps with what makes up a walk. Three are in
// `npm run proof`.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DOCUMENT, draw, inDocument } from './diagram.ts'
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

  it('is what docs/how-it-works.md draws: `npm run proof -- --draw` draws it again', () => {
    const document = readFileSync(DOCUMENT, 'utf8')
    expect(document).toContain('stateDiagram-v2')
    expect(inDocument(draw())).toBe(document)
  })
})
