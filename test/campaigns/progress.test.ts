import { describe, expect, it } from 'vitest'
import { showProgress } from '../../src/cli/invite/progress.ts'
import { newTally, progressLine, summaryOf } from '../../src/campaigns/tally.ts'

const tally = (counts: Partial<ReturnType<typeof newTally>>) => ({ ...newTally(), ...counts })

describe('the line that tells how far a run is', () => {
  it.each([
    [
      { rows: 1_000, sent: 311 },
      4.9,
      5_000,
      '[####----------------] 20% · 14 min left · 4.9/s · 1,000 people · 311 emails',
    ],
    [{ rows: 1, sent: 1 }, 0, 1, '[####################] 100% · 0.0/s · 1 person · 1 email'],
    [
      { rows: 10, invalid: 10 },
      5,
      100,
      '[--------------------] 0% · 20 s left · 5.0/s · 10 people · 0 emails',
    ],
    [{ rows: 100 }, 5, 50_000, '[--------------------] 0% · 2 h 46 left · 5.0/s · 100 people · 0 emails'],
    [
      { rows: 7, sent: 3, failed: 1, unanswered: 1 },
      2,
      undefined,
      '2.0/s · 7 people · 3 emails · 2 with problems',
    ],
  ])('%j', (counts, perSecond, people, line) => {
    expect(progressLine(tally(counts), { perSecond, people })).toBe(line)
  })

  it('renews itself on a terminal, never wider than it, and makes room for what is told', async () => {
    const written: string[] = []
    let now = 0
    const counts = newTally()
    const stderr = { isTTY: true, columns: 40, write: (text: string) => written.push(text) }
    const progress = showProgress({ tally: counts, people: 100, stderr, now: () => now })
    counts.rows = 50
    now = 10_000
    await new Promise((resolve) => setTimeout(resolve, 600))
    progress.print('line 7: mend it\n')
    progress.end()
    const lines = written.filter((text) => text.startsWith('['))
    expect(lines[0]).toMatch(/^\[#{10}-{10}\] 50% · 10 s left…/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(39)
    const told = written.indexOf('line 7: mend it\n')
    expect(written[told - 1]).toBe('\r\u001B[K')
    expect(written.at(-1)).not.toMatch(/^\[/)
  })

  it('goes by the rate of late, not by what an earlier run had done already', async () => {
    const written: string[] = []
    let now = 0
    const counts = newTally()
    const stderr = { isTTY: true, columns: 80, write: (text: string) => written.push(text) }
    const progress = showProgress({ tally: counts, people: 10_000, stderr, now: () => now })
    counts.rows = 5_000
    now = 1_000
    await new Promise((resolve) => setTimeout(resolve, 300))
    now = 40_000
    counts.rows = 5_100
    await new Promise((resolve) => setTimeout(resolve, 300))
    now = 50_000
    counts.rows = 5_150
    await new Promise((resolve) => setTimeout(resolve, 300))
    progress.end()
    expect(written.findLast((text) => text.startsWith('['))).toContain('16 min left · 5.0/s')
  })
})

it('sums up what there is, in one or in many', () => {
  expect(summaryOf(tally({ rows: 1, sent: 1, nothing: 1, optedOut: 1 }))).toBe(
    '        1  person\n        1  email sent\n        1  opted out\n        1  has nothing to connect\n',
  )
  expect(summaryOf(tally({ rows: 50_000, sent: 2, already: 3 }))).toBe(
    '   50,000  people\n        2  emails sent\n        3  already emailed\n',
  )
})
