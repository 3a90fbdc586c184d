// What a run of invitations has done so far: counted, summed up, and as one line. Pure.

const same = (words: string) => [words, words] as const

/** In the order of the summary; each count in words, for one and for many. */
const WORDS = {
  rows: ['person', 'people'],
  asked: same('checked with the service'),
  /** In a dry run. */
  wouldSend: same('would be emailed'),
  sent: ['email sent', 'emails sent'],
  deferred: same('delayed by the mail server (retried next run)'),
  /** As often as it is tried. */
  putOff: same('delayed by the mail server again and again (retry with --retry-failed)'),
  failed: same('rejected by the mail server (retry with --retry-failed)'),
  /** The mail server refused us rather than the person. */
  notTaken: same('not accepted: the mail server objects to the sender or this machine (retried next run)'),
  /** May have been sent: this run, or one that was killed, cannot know. */
  uncertain: same('delivery unknown (resend with --retry-unknown)'),
  already: same('already emailed'),
  optedOut: same('opted out'),
  /** They may have asked for no emails. */
  inDoubt: same("not emailed: the data stored about them can't be read (see onramp doctor)"),
  tooSoon: same('emailed recently by another campaign (--min-gap)'),
  nothing: ['has nothing to connect', 'have nothing to connect'],
  unknownToService: same('unknown to the service'),
  refusedByService: same('not allowed to look up (403)'),
  unanswered: same('no usable answer from the service (retried next run)'),
  invalid: ['invalid row', 'invalid rows'],
  duplicates: same('on the list more than once'),
} satisfies Record<string, readonly [one: string, many: string]>

export type Tally = Record<keyof typeof WORDS, number>

const KEYS = Object.keys(WORDS) as (keyof Tally)[]

export const newTally = () => Object.fromEntries(KEYS.map((key) => [key, 0])) as Tally

const inFigures = (count: number) => count.toLocaleString('en')

/** Every count that is not zero, one a line. */
export const summaryOf = (tally: Tally): string =>
  KEYS.filter((key) => key === 'rows' || tally[key] > 0)
    .map((key) => `${inFigures(tally[key]).padStart(9)}  ${WORDS[key][tally[key] === 1 ? 0 : 1]}\n`)
    .join('')

/** How many people need a look. */
const troubleIn = (tally: Tally): number =>
  tally.deferred +
  tally.putOff +
  tally.failed +
  tally.notTaken +
  tally.uncertain +
  tally.inDoubt +
  tally.unanswered +
  tally.unknownToService +
  tally.refusedByService

/**
 * Did everyone who should get an email, and whom the service knows, certainly get it? People whom it does not know, or lets no
 * one look up, are only worth a look: the next run could do nothing else.
 */
export const isComplete = (tally: Tally): boolean =>
  troubleIn(tally) - tally.unknownToService - tally.refusedByService + tally.invalid === 0

const timeInWords = (seconds: number) => {
  const minutes = Math.round(seconds / 60)
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return minutes < 90
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
}

export type Speed = {
  /** People a second, recently. */
  perSecond: number
  /** How many are on the list; undefined: not known. */
  people: number | undefined
}

const BAR = 20

function barOf(part: number): string {
  const full = Math.round(part * BAR)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${Math.floor(part * 100)}%`
}

/** `[####----] 20% · 2 h 05 left · 4.9/s · 1,234 people · 311 emails`: what matters most first, for narrow terminals. */
export function progressLine(tally: Tally, { perSecond, people }: Speed): string {
  const trouble = troubleIn(tally)
  const done = tally.rows - tally.invalid
  const emails = tally.sent + tally.wouldSend
  const parts = [
    people !== undefined && barOf(Math.min(1, done / Math.max(1, people))),
    people !== undefined && perSecond > 0 && `${timeInWords(Math.max(0, (people - done) / perSecond))} left`,
    `${perSecond.toFixed(1)}/s`,
    `${inFigures(tally.rows)} ${WORDS.rows[tally.rows === 1 ? 0 : 1]}`,
    `${inFigures(emails)} ${emails === 1 ? 'email' : 'emails'}`,
    trouble > 0 && `${inFigures(trouble)} with problems`,
  ]
  return parts.filter(Boolean).join(' · ')
}
