// What a run says of itself: its summary word by word, and its line while it goes on.
import { describe, expect, it } from 'vitest'
import { isComplete, newTally, progressLine, summaryOf, type Tally } from '../../src/campaigns/tally.ts'

const tally = (counts: Partial<Tally>): Tally => ({ ...newTally(), ...counts })

/** In the order of the summary. A problem is someone who should have had an email and has none for certain. */
const COUNTS: [keyof Tally, one: string, many: string, kind?: 'problem'][] = [
  ['rows', 'person', 'people'],
  ['asked', 'checked with the service', 'checked with the service'],
  ['wouldSend', 'would be emailed', 'would be emailed'],
  ['sent', 'email sent', 'emails sent'],
  ['deferred', ...same('delayed by the mail server (retried next run)'), 'problem'],
  ['putOff', ...same('delayed by the mail server again and again (retry with --retry-failed)'), 'problem'],
  ['failed', ...same('rejected by the mail server (retry with --retry-failed)'), 'problem'],
  [
    'notTaken',
    ...same('not accepted: the mail server objects to the sender or this machine (retried next run)'),
    'problem',
  ],
  ['uncertain', ...same('delivery unknown (resend with --retry-unknown)'), 'problem'],
  ['already', ...same('already emailed')],
  ['optedOut', ...same('opted out')],
  [
    'inDoubt',
    ...same("not emailed: the data stored about them can't be read (see onramp doctor)"),
    'problem',
  ],
  ['tooSoon', ...same('emailed recently by another campaign (--min-gap)')],
  ['nothing', 'has nothing to connect', 'have nothing to connect'],
  ['unknownToService', ...same('unknown to the service'), 'problem'],
  ['refusedByService', ...same('not allowed to look up (403)'), 'problem'],
  ['unanswered', ...same('no usable answer from the service (retried next run)'), 'problem'],
  ['invalid', 'invalid row', 'invalid rows'],
  ['duplicates', ...same('on the list more than once')],
]

function same(words: string): [string, string] {
  return [words, words]
}

const all = (count: number) => tally(Object.fromEntries(COUNTS.map(([key]) => [key, count])))

describe('the summary of a run', () => {
  it('has a line for each count that is not zero, and always one for the people', () => {
    expect(summaryOf(all(1))).toBe(COUNTS.map(([, one]) => `        1  ${one}\n`).join(''))
    expect(summaryOf(all(2_345))).toBe(COUNTS.map(([, , many]) => `    2,345  ${many}\n`).join(''))
    expect(summaryOf(all(0))).toBe('        0  people\n')
  })

  it.each(COUNTS)('knows whether %s leaves someone without their email', (key, _one, _many, kind) => {
    // The next run could do nothing else about these.
    const isWorthALook = key === 'unknownToService' || key === 'refusedByService'
    const isDone = isWorthALook || (kind === undefined && key !== 'invalid')
    expect(isComplete(tally({ [key]: 2 }))).toBe(isDone)
    expect(isComplete(tally({ rows: 1, sent: 1, [key]: 2 }))).toBe(isDone)
    const line = progressLine(tally({ [key]: 1_234 }), { perSecond: 1, people: undefined })
    expect(line.endsWith(' · 1,234 with problems')).toBe(kind === 'problem')
  })

  it('does not take one problem for another’s absence', () => {
    expect(isComplete(all(1))).toBe(false)
    expect(isComplete(tally({ failed: 1, invalid: 1 }))).toBe(false)
    const line = progressLine(all(1), { perSecond: 1, people: undefined })
    expect(line).toBe('1.0/s · 1 person · 2 emails · 9 with problems')
  })
})

describe('the line of a run', () => {
  const line = (counts: Partial<Tally>, perSecond: number, people?: number) =>
    progressLine(tally(counts), { perSecond, people })

  it.each([
    [89, 1, '89 s left'],
    [89.1, 1, '90 s left'],
    [90, 1, '2 min left'],
    [89.4 * 60, 1, '89 min left'],
    [89.5 * 60, 1, '1 h 30 left'],
    [125 * 60, 1, '2 h 05 left'],
    [3_000, 0.5, '1 h 40 left'],
  ])('says how long %d people still take at %d a second: %s', (people, perSecond, left) => {
    expect(line({}, perSecond, people)).toBe(
      `[--------------------] 0% · ${left} · ${perSecond.toFixed(1)}/s · 0 people · 0 emails`,
    )
  })

  it.each<[Partial<Tally>, number, string]>([
    [{ rows: 999 }, 1_000, '[####################] 99% · 1 s left · 1.0/s · 999 people · 0 emails'],
    [{ rows: 12 }, 10, '[####################] 100% · 0 s left · 1.0/s · 12 people · 0 emails'],
    [{ rows: 0 }, 0, '[--------------------] 0% · 0 s left · 1.0/s · 0 people · 0 emails'],
    [{ rows: 4, invalid: 2 }, 10, '[####----------------] 20% · 8 s left · 1.0/s · 4 people · 0 emails'],
    [{ rows: 5, wouldSend: 1 }, 10, '[##########----------] 50% · 5 s left · 1.0/s · 5 people · 1 email'],
    [
      { rows: 5, wouldSend: 1_000, sent: 2 },
      10,
      '[##########----------] 50% · 5 s left · 1.0/s · 5 people · 1,002 emails',
    ],
  ])('of %j of %i people', (counts, people, whole) => {
    expect(line(counts, 1, people)).toBe(whole)
  })

  it('promises no end while nothing moves, or where no one knows how long the list is', () => {
    expect(line({ rows: 5 }, 0, 10)).toBe('[##########----------] 50% · 0.0/s · 5 people · 0 emails')
    expect(line({ rows: 5 }, 2)).toBe('2.0/s · 5 people · 0 emails')
  })
})
