import { describe, expect, it } from 'vitest'
import { block, skip } from '../../src/onboarding/set-aside.ts'
import { statusOf } from '../../src/onboarding/status.ts'
import { observe, startWalk, type Waiting, type Walk } from '../../src/onboarding/walk.ts'

const at = Date.parse('2026-11-02T09:00:00Z')
const slack: Waiting = { instance: 'slack_1', name: 'Slack', status: 'awaiting' }
const github: Waiting = { instance: 'github_1', name: 'GitHub', status: 'stale' }
const jira: Waiting = { instance: 'jira_1', name: 'Jira', status: 'disabled' }
const figures = (walk: Walk) => statusOf(walk, at)
const seen = (waiting: Waiting[], from = startWalk(at)) => observe(from, waiting, at, 90)

describe('how far a person is, for the intranet', () => {
  it('counts each datasource once', () => {
    const all = seen([slack, github, jira])
    expect(figures(all)).toEqual({ signedIn: true, connected: 0, pending: 2, skipped: 0 })
    expect(figures(seen([github, jira], all))).toMatchObject({ connected: 1, pending: 1 })
    expect(figures(skip(all, 'slack_1', at))).toMatchObject({ pending: 1, skipped: 1 })
    expect(figures(skip(block(all, 'slack_1', at), 'slack_1', at))).toMatchObject({ pending: 1, skipped: 1 })
    expect(figures(startWalk(at))).toMatchObject({ connected: 0, pending: 0, skipped: 0 })
  })

  it('counts all of them, whatever the visit is about', () => {
    const narrowed = { ...seen([slack, github]), visit: { only: ['slack'] } }
    expect(figures(narrowed)).toMatchObject({ pending: 2 })
  })
})
