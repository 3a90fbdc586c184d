// Whether so many people met the same thing at once that one cause must be behind it. Pure.
const MIN_PEOPLE = 5
const MIN_SHARE = 0.2
/** Enough people within half a day, whatever their share is. */
const MANY = 50
const HALF_DAY_MS = 12 * 3_600_000
/** Everyone is checked once more within this time, even by a daily run. */
export const SPREAD_MS = 36 * 3_600_000

/** Since when; milliseconds since 1970. */
type Together = { since: number; people: number }

/**
 * Those with a shared cause, by when each was noticed, however long ago. Of 50,000 people who have an app, some thirty lose it
 * by themselves in half a day, at 1% a week.
 * @param noticed milliseconds since 1970 @param of how many people it could have met
 */
export function sharedCause(noticed: readonly number[], of: number): Together | undefined {
  const times = noticed.toSorted((one, other) => one - other)
  const together = mostWithin(times, SPREAD_MS)
  const isLargeShare = together.people >= MIN_PEOPLE && together.people >= of * MIN_SHARE
  return isLargeShare || mostWithin(times, HALF_DAY_MS).people >= MANY ? together : undefined
}

/** Others who meet it before or after must not keep it from being over. */
export const isPartOf = ({ since, noticedAt }: { since: number; noticedAt: number }, at: number): boolean =>
  at >= since && at < noticedAt + SPREAD_MS

/** The most within `spanMs` of the first one. @param times sorted */
function mostWithin(times: readonly number[], spanMs: number): Together {
  let most = { since: 0, people: 0 }
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && times[end]! - since < spanMs) end++
    if (end - start > most.people) most = { since, people: end - start }
  }
  return most
}
