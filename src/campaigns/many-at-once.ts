// Whether so many people met the same thing at once that one cause must be behind it: lost an app, got a new one. Pure.
import { isUnavailable } from '../client-api/app-status.ts'
import { isGone, type AppRecord, type Person } from '../people/person.ts'

const MIN_PEOPLE = 5
const MIN_SHARE = 0.2
/** Enough people within half a day, whatever their share is. */
const MANY = 50
const HALF_DAY_MS = 12 * 3_600_000
/** Everyone is checked once more within this time, even by a daily run. */
export const SPREAD_MS = 36 * 3_600_000

/** People on the list. */
export type Listed = AsyncIterable<Person> | Iterable<Person>

/** Times are milliseconds since 1970. */
type Found = { instance: string; since: number; noticedAt: number }
type Together = { since: number; people: number }

/**
 * `fresh`: when it was noticed for each person, unless that was evaluated. `known`: the people of the newest one found before.
 * The others have the app `connected`, `recently` since the last evaluation, or have it `listed`.
 */
type AppCounts = Record<'known' | 'connected' | 'recently' | 'listed', number> & {
  name: string
  fresh: number[]
}

/** @param noticedAt when it was noticed for a person; undefined: it wasn't */
export async function countNoticed(
  people: Listed,
  { found = [], evaluatedAt = 0 }: { found?: readonly Found[] | undefined; evaluatedAt?: number | undefined },
  noticedAt: (app: AppRecord) => number | undefined,
) {
  const newest = new Map(found.map((one) => [one.instance, one]))
  const apps = new Map<string, AppCounts>()
  let all = 0
  for await (const person of people) {
    if (isGone(person) || person.lastCheck === undefined) continue
    all++
    for (const app of person.lastCheck.apps) {
      const { instance, name, status, since } = app
      if (isUnavailable(status)) continue
      const zeros = { known: 0, connected: 0, recently: 0, listed: 0 }
      const count = apps.get(instance) ?? { name, fresh: [], ...zeros }
      apps.set(instance, count)
      const at = noticedAt(app)
      const known = newest.get(instance)
      if (at !== undefined && known !== undefined && isPartOf(known, at)) count.known++
      else if (at !== undefined && at >= evaluatedAt) count.fresh.push(at)
      else if (status !== 'connected') count.listed++
      else count[since >= evaluatedAt ? 'recently' : 'connected']++
    }
  }
  return { apps, all }
}

/** Others who meet it before or after must not keep it from being over. */
const isPartOf = ({ since, noticedAt }: Found, at: number): boolean =>
  at >= since && at < noticedAt + SPREAD_MS

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
