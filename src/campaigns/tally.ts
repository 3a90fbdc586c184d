// What a run of invitations has done so far, counted, and told in one line. Pure.

export type Tally = {
  rows: number
  asked: number
  sent: number
  /** The mail server said "not now": the next run tries again. */
  deferred: number
  failed: number
  /** The mail server refused us rather than the person: the next run tries again. */
  notTaken: number
  /** May have been sent: this run, or one that was killed, cannot know. Not sent again unless asked. */
  uncertain: number
  already: number
  optedOut: number
  /** What is written down about them cannot be read: they may have asked for no mails. */
  inDoubt: number
  tooSoon: number
  nothing: number
  /** The service does not know them, refuses to say, or gave no answer. */
  unknownToService: number
  refusedByService: number
  unanswered: number
  invalid: number
  duplicates: number
  /** Of a dry run. */
  wouldSend: number
}

export const newTally = (): Tally => ({
  rows: 0,
  asked: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  notTaken: 0,
  uncertain: 0,
  already: 0,
  optedOut: 0,
  inDoubt: 0,
  tooSoon: 0,
  nothing: 0,
  unknownToService: 0,
  refusedByService: 0,
  unanswered: 0,
  invalid: 0,
  duplicates: 0,
  wouldSend: 0,
})

const inFigures = (count: number) => count.toLocaleString('en')

const both = (words: string) => [words, words] as const

const WORDS: Record<keyof Tally, readonly [one: string, many: string]> = {
  rows: ['person', 'people'],
  asked: ['the service was asked about', 'the service was asked about'],
  wouldSend: ['would get a mail', 'would get a mail'],
  sent: ['mail sent', 'mails sent'],
  deferred: both('put off by the mail server (the next run tries again)'),
  failed: both('refused by the mail server (--retry-failed sends again)'),
  notTaken: both(
    'not taken: the mail server objects to the sender or this machine (the next run tries again)',
  ),
  uncertain: both('uncertain: may have got it (--retry-unknown sends again)'),
  already: ['has had the mail', 'have had the mail'],
  optedOut: ['wants no more mails', 'want no more mails'],
  inDoubt: both('not mailed: what is written down about them cannot be read (onramp doctor)'),
  tooSoon: both('had a mail of another campaign only just now (--min-gap)'),
  nothing: ['has nothing to connect', 'have nothing to connect'],
  unknownToService: both('not known to the service'),
  refusedByService: both('refused by the service: it says nothing about them (403)'),
  unanswered: both('without an answer of the service (the next run asks again)'),
  invalid: ['row is not valid', 'rows are not valid'],
  duplicates: both('in the list more than once'),
}

/** Every count that is not zero, one a line. */
export const summaryOf = (tally: Tally): string =>
  (Object.keys(WORDS) as (keyof Tally)[])
    .filter((key) => key === 'rows' || tally[key] > 0)
    .map((key) => `${inFigures(tally[key]).padStart(9)}  ${WORDS[key][tally[key] === 1 ? 0 : 1]}\n`)
    .join('')

/** Did everybody who should get a mail certainly get it? */
export const isComplete = (tally: Tally): boolean => troubleIn(tally) + tally.invalid === 0

const inWords = (seconds: number) => {
  const minutes = Math.round(seconds / 60)
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return minutes < 90
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
}

export type Speed = {
  /** People a second, of late. */
  perSecond: number
  /** How many are on the list; undefined: not known. */
  people: number | undefined
}

const BAR = 20

const barOf = (part: number) => {
  const full = Math.round(part * BAR)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${Math.floor(part * 100)} %`
}

/** What needs a look, as it stands. */
const troubleIn = (tally: Tally): number =>
  tally.deferred +
  tally.failed +
  tally.notTaken +
  tally.uncertain +
  tally.inDoubt +
  tally.unanswered +
  tally.unknownToService +
  tally.refusedByService

/** `[####----] 20 % · 2 h 05 left · 4.9/s · 1,234 people · 311 mails`: what matters most first, for narrow terminals. */
export function progressLine(tally: Tally, { perSecond, people }: Speed): string {
  const trouble = troubleIn(tally)
  const done = tally.rows - tally.invalid
  const left = people === undefined || perSecond === 0 ? undefined : (people - done) / perSecond
  const mails = tally.sent + tally.wouldSend
  return [
    ...(people === undefined ? [] : [barOf(Math.min(1, done / Math.max(1, people)))]),
    ...(left === undefined ? [] : [`${inWords(Math.max(0, left))} left`]),
    `${perSecond.toFixed(1)}/s`,
    `${inFigures(tally.rows)} ${WORDS.rows[tally.rows === 1 ? 0 : 1]}`,
    `${inFigures(mails)} ${mails === 1 ? 'mail' : 'mails'}`,
    ...(trouble === 0 ? [] : [`${inFigures(trouble)} to look at`]),
  ].join(' · ')
}
