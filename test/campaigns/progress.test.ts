// The progress line and the summary of a run.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { RunProgress } from '../../src/cli/invite/progress.ts'
import { isAllDelivered, newTally, progressLine, formatSummary } from '../../src/campaigns/tally.ts'
import type { Tally } from '../../src/campaigns/tally.ts'

const tally = (counts: Partial<Tally>): Tally => ({ ...newTally(), ...counts })

// prettier-ignore
it.each<[Partial<Tally>, number, string]>([
  [{ rows: 1_000, sent: 311 }, 5_000, '20% · 1,000 people · 311 emails'],
  [{ rows: 1, sent: 1 }, 1, '100% · 1 person · 1 email'],
  [{ rows: 10, invalid: 10 }, 100, '0% · 10 people · 0 emails'],
  [{ rows: 999 }, 1_000, '99% · 999 people · 0 emails'],
  [{ rows: 12 }, 10, '100% · 12 people · 0 emails'],
  [{ rows: 7, sent: 3, failed: 1, deferred: 1, uncertain: 1, unknownToService: 1 }, 8, '87% · 7 people · 3 emails · 4 with problems'],
])('the progress line of %j has the share and the counts', (counts, people, line) => {
  expect(progressLine(tally(counts), people)).toBe(line)
})

describe('a terminal of 24 columns', () => {
  let written: string[]
  beforeAll(() => {
    vi.useFakeTimers()
    written = []
    const stderr = { isTTY: true, columns: 24, write: (text: string) => written.push(text) }
    const progress = new RunProgress(tally({ rows: 50 }), 100, stderr)
    vi.advanceTimersByTime(600)
    progress.print('line 7: a fault\n')
    progress.end()
    vi.useRealTimers()
  })

  it('the progress line is never wider than the terminal', () => {
    expect(written[0]).toBe('50% · 50 people · 0 em…')
  })

  it('the progress line makes room for other lines', () => {
    expect(written.slice(-2)).toEqual(['\r\u001B[K', 'line 7: a fault\n'])
  })
})

it('a run’s summary has a line for each count above zero', () => {
  const problems = { deferred: 2, failed: 3, uncertain: 4, refused: 2, unknownToService: 5, invalid: 1 }
  expect(formatSummary(tally({ rows: 1_020, sent: 1, ...problems }), { isDryRun: false, isComplete: true }))
    .toBe(`    1,020  people
        1  email sent
        2  not sent this time (retried next run)
        3  rejected by the mail server (correct their addresses)
        4  delivery unknown (resend with invite send --retry-unknown)
        2  refused by the service: its token lacks a permission, or is invalid (see onramp doctor)
        5  unknown to the service
        1  invalid row
    1,002  not due: already emailed, nothing to connect, on hold, opted out, or listed twice
`)
  expect(formatSummary(tally({ rows: 1, sent: 1 }), { isDryRun: true, isComplete: true })).toBe(
    '        1  person\n        1  would be emailed\n',
  )
  // A run that ended early doesn't know about the others.
  expect(formatSummary(tally({ rows: 9, sent: 2 }), { isDryRun: false, isComplete: false })).toBe(
    '        9  people\n        2  emails sent\n',
  )
  expect(formatSummary(tally({}), { isDryRun: false, isComplete: true })).toBe('        0  people\n')
})

it('a run is complete once everyone with an account has certainly got their email', () => {
  expect(isAllDelivered(tally({ rows: 9, sent: 2, unknownToService: 3 }))).toBe(true)
  for (const what of ['deferred', 'failed', 'uncertain', 'refused', 'invalid'] as const)
    expect(isAllDelivered(tally({ rows: 9, sent: 2, [what]: 1 }))).toBe(false)
})
