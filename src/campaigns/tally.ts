// Formats the counts of a run as a summary and as a line of progress. Pure.

const LABELS = {
  rows: ['person', 'people'],
  sent: ['email sent', 'emails sent'],
  deferred: 'not sent this time (retried next run)',
  failed: 'rejected by the mail server (correct their addresses)',
  uncertain: 'delivery unknown (resend with invite send --retry-unknown)',
  refused: 'refused by the service: its token lacks a permission, or is invalid (see onramp doctor)',
  limited: 'waiting for the limit of four emails in a quarter',
  emptied: 'not recorded: their lists are empty at once, so the service may be failing',
  unknownToService: 'unknown to the service',
  unreadable: "not emailed: what is stored about them can't be read (see onramp doctor)",
  invalid: ['invalid row', 'invalid rows'],
} satisfies Record<string, string | readonly [one: string, many: string]>

export type Tally = Record<keyof typeof LABELS, number>

const KEYS = Object.keys(LABELS) as (keyof Tally)[]

export const newTally = () => Object.fromEntries(KEYS.map((key) => [key, 0])) as Tally

const formatCount = (count: number) => count.toLocaleString('en')

const labelOf = (label: string | readonly [one: string, many: string], count: number): string =>
  typeof label === 'string' ? label : count === 1 ? label[0] : label[1]

/** `isComplete`: the run completed its list. `perMinute`: the mail server's limit. @returns counts, one a line */
export function formatSummary(
  tally: Tally,
  options: { isDryRun: boolean; isComplete: boolean; perMinute?: number | undefined },
): string {
  const { isDryRun, isComplete, perMinute } = options
  const { rows, ...others } = tally
  const notDue = isComplete ? Object.values(others).reduce((rest, count) => rest - count, rows) : 0
  const lines = KEYS.map((key): [number, string] => [
    tally[key],
    key === 'sent' && isDryRun ? 'would be emailed' : labelOf(LABELS[key], tally[key]),
  ])
  lines.push([notDue, 'not due: already emailed, nothing to connect, on hold, opted out, or listed twice'])
  const counts = lines
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, label]) => `${formatCount(count).padStart(9)}  ${label}\n`)
  if (perMinute !== undefined)
    counts.push(
      `The mail server limits how fast it takes emails: in the end they left at ${perMinute} a minute.\n`,
    )
  return counts.join('')
}

/** True if no one is left for another run: every email was accepted, or the service doesn't know the person. */
export const isAllDelivered = (tally: Tally): boolean =>
  (['deferred', 'failed', 'uncertain', 'refused', 'emptied', 'unreadable', 'invalid'] as const).every(
    (problem) => tally[problem] === 0,
  )

/** `20% · 1,234 people · 311 emails · 2 with problems` @param people on the list */
export function progressLine(tally: Tally, people: number): string {
  const { rows, sent, deferred, failed, uncertain, refused, unknownToService, invalid } = tally
  const trouble = deferred + failed + uncertain + refused + unknownToService
  const share = Math.min(1, (rows - invalid) / Math.max(1, people))
  const parts = [
    `${Math.floor(share * 100)}%`,
    `${formatCount(rows)} ${labelOf(LABELS.rows, rows)}`,
    `${formatCount(sent)} ${sent === 1 ? 'email' : 'emails'}`,
    trouble > 0 && `${formatCount(trouble)} with problems`,
  ]
  return parts.filter(Boolean).join(' · ')
}
