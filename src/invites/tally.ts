// What a run of invitations has done so far, counted, and told in one line. Pure.

export type Tally = {
  rows: number
  asked: number
  sent: number
  /** The mail server said "not now": the next run tries again. */
  deferred: number
  failed: number
  /** May have been sent: this run, or one that was killed, cannot know. Not sent again unless asked. */
  uncertain: number
  already: number
  optedOut: number
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
  uncertain: 0,
  already: 0,
  optedOut: 0,
  tooSoon: 0,
  nothing: 0,
  unknownToService: 0,
  refusedByService: 0,
  unanswered: 0,
  invalid: 0,
  duplicates: 0,
  wouldSend: 0,
})

const WORDS: Record<keyof Tally, string> = {
  rows: 'people',
  asked: 'asked about',
  wouldSend: 'would get a mail',
  sent: 'mails sent',
  deferred: 'put off by the mail server (the next run tries again)',
  failed: 'refused by the mail server',
  uncertain: 'uncertain (may have got it; --retry-unknown sends again)',
  already: 'have their mail already',
  optedOut: 'want no more mails',
  tooSoon: 'got a mail of another campaign only just now (--min-gap)',
  nothing: 'have nothing to connect',
  unknownToService: 'are not known to the service',
  refusedByService: 'the service refuses to say anything about',
  unanswered: 'no answer of the service (the next run asks again)',
  invalid: 'rows are not valid',
  duplicates: 'are in the list twice',
}

/** Every count that is not zero, one a line. */
export const summaryOf = (tally: Tally): string =>
  (Object.keys(WORDS) as (keyof Tally)[])
    .filter((key) => key === 'rows' || tally[key] > 0)
    .map((key) => `  ${String(tally[key]).padStart(7)}  ${WORDS[key]}\n`)
    .join('')

/** Did everybody who should get a mail certainly get it? */
export const isComplete = (tally: Tally): boolean =>
  tally.deferred +
    tally.failed +
    tally.uncertain +
    tally.invalid +
    tally.unanswered +
    tally.unknownToService +
    tally.refusedByService ===
  0

const inWords = (seconds: number) => {
  const minutes = Math.round(seconds / 60)
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return minutes < 90
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
}

export type Speed = {
  /** People a second. */
  perSecond: number
  /** How much of the list was read, 0 to 1; undefined: its length is not known. */
  part: number | undefined
  /** Seconds since the start. */
  seconds: number
}

/** `[####----]  1,234 people · 311 mails · 4.9/s · 12 min left` */
export function progressLine(tally: Tally, { perSecond, part, seconds }: Speed): string {
  const people = `${tally.rows.toLocaleString('en')} people`
  const mails = `${(tally.sent + tally.wouldSend).toLocaleString('en')} mails`
  const trouble = tally.deferred + tally.failed + tally.uncertain
  const full = Math.round((part ?? 0) * 20)
  const left = part === undefined || part <= 0.01 ? undefined : (seconds * (1 - part)) / part
  return [
    ...(part === undefined
      ? []
      : [`[${'#'.repeat(full)}${'-'.repeat(20 - full)}] ${Math.floor(part * 100)} %`]),
    people,
    mails,
    ...(trouble === 0 ? [] : [`${trouble} not certain or not sent`]),
    `${perSecond.toFixed(1)}/s`,
    ...(left === undefined ? [] : [`${inWords(left)} left`]),
  ].join(' · ')
}
