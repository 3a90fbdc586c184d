import { describe, expect, it } from 'vitest'
import {
  isToConnect,
  newArrival,
  optedIn,
  reached,
  withLeft,
  type Arrival,
} from '../../src/invites/arrival.ts'
import { due, withMailing, type Policy } from '../../src/invites/campaign.ts'
import { parse } from 'csv-parse/sync'
import { peopleCsv } from '../../src/invites/people-csv.ts'
import { plotOf } from '../../src/invites/plot.ts'
import { makeReport } from '../../src/invites/report.ts'

const at = Date.UTC(2026, 10, 2, 9)
const DAY = 86_400_000
const slack = { instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }
const github = { instance: 'github_1', name: 'GitHub', status: 'awaiting' as const }

async function* these(...arrivals: Arrival[]) {
  yield* arrivals
}

const sent = (arrival: Arrival, wave = 0, now = at) =>
  withMailing(arrival, { campaign: 'c', wave, state: 'sent', now })

describe('what is known of a person', () => {
  it('takes a datasource that the service no longer lists for connected', () => {
    const before = withLeft(newArrival('ada@acme.example', at), [slack, github], at)
    const after = withLeft(before, [github], at + 1000)
    expect(after.sources.map(({ instance, state }) => [instance, state])).toEqual([
      ['slack_1', 'connected'],
      ['github_1', 'waiting'],
    ])
    expect(after.finishedAt).toBeUndefined()
    expect(withLeft(after, [], at + 2000).finishedAt).toBe(at + 2000)
  })

  it('keeps the person’s own word that their administrator has to act', () => {
    const known = withLeft(newArrival('ada@acme.example', at), [slack], at)
    const blocked = { ...known, sources: known.sources.map((s) => ({ ...s, state: 'blocked' as const })) }
    expect(withLeft(blocked, [slack], at + 1).sources[0]?.state).toBe('blocked')
  })

  it('counts only what the person can do something about', () => {
    expect(isToConnect({ ...slack, status: 'disabled' })).toBe(false)
    expect(isToConnect({ ...slack, status: 'stale' })).toBe(true)
  })
})

describe('who is due', () => {
  const policy: Policy = {
    campaign: 'c',
    maxReminders: 1,
    retryUnknown: false,
    retryFailed: false,
    minGapMs: 0,
    freshMs: 0,
    remindAfterMs: DAY,
  }
  const ada = newArrival('ada@acme.example', at)

  it('is whoever got no mail, then whoever was not reminded, then nobody', () => {
    expect(due(ada, policy, at)).toEqual({ kind: 'mail', wave: 0 })
    expect(due(sent(ada), policy, at + DAY - 1)).toEqual({ kind: 'rest', why: 'sent' })
    expect(due(sent(ada), policy, at + DAY)).toEqual({ kind: 'mail', wave: 1 })
    expect(due(sent(sent(ada), 1), policy, at + 9 * DAY)).toEqual({ kind: 'rest', why: 'sent' })
  })

  it('is nobody who wants no more mails, until they take it back', () => {
    const out = reached(sent(ada), 'optedOutAt', at)
    expect(due(out, policy, at + DAY)).toEqual({ kind: 'rest', why: 'opted-out' })
    expect(due(optedIn(out), policy, at + DAY)).toEqual({ kind: 'mail', wave: 1 })
  })

  it('is not whose mail a crash left uncertain, unless it is asked for', () => {
    const open = withMailing(ada, { campaign: 'c', wave: 0, state: 'sending', now: at })
    expect(due(open, policy, at + DAY)).toEqual({ kind: 'left-open', wave: 0 })
    const unknown = withMailing(ada, { campaign: 'c', wave: 0, state: 'unknown', now: at })
    expect(due(unknown, policy, at + 9 * DAY)).toEqual({ kind: 'rest', why: 'uncertain' })
    expect(due(unknown, { ...policy, retryUnknown: true }, at)).toEqual({ kind: 'mail', wave: 0 })
  })
})

describe('the report', () => {
  it('counts people once, by what they reached, and days by when they did', async () => {
    const ada = { ...withLeft(sent(newArrival('ada@acme.example', at)), [slack], at), signedInAt: at + DAY }
    const bob = withLeft(sent(newArrival('bob@acme.example', at), 0, at + DAY), [], at + DAY)
    const report = await makeReport(these(ada, bob), at + 2 * DAY)
    expect(report).toMatchObject({ people: 2, invited: 2, signedIn: 1, finished: 1, uncertain: 0 })
    expect(report.asOf).toBe(new Date(at).toISOString())
    expect(report.datasources).toMatchObject([{ instance: 'slack_1', counts: { waiting: 1, connected: 0 } }])
    expect(report.days).toEqual([
      { day: '2026-11-02', invited: 1, signedIn: 0, finished: 0 },
      { day: '2026-11-03', invited: 1, signedIn: 1, finished: 1 },
    ])
    const plot = plotOf(report.days, at + 2 * DAY)
    expect(plot?.lines.map(({ what, total }) => [what, total])).toEqual([
      ['invited', 2],
      ['signedIn', 1],
      ['finished', 1],
    ])
    expect(JSON.stringify(plot)).not.toContain('NaN')
    expect(plotOf([], at)).toBeUndefined()
  })

  it('is no formula in a spreadsheet, whatever the datasources are called', async () => {
    const names = ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1', '＝1']
    const left = names.map((name, index) => ({ instance: `x_${index}`, name, status: 'awaiting' as const }))
    for (const one of left) {
      const arrival = withLeft(newArrival('=cmd@acme.example', at), [one], at)
      const lines: string[] = []
      for await (const line of peopleCsv(these(arrival))) lines.push(line)
      const [, record = []] = parse(lines.join(''))
      expect(record.filter((cell) => /^[=+\-@\t＝]/.test(cell))).toEqual([])
      expect(record[0]).toBe("'=cmd@acme.example")
    }
  })
})
