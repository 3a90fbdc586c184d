// Finds clusters: an app that many people lost, or got, within a short time. They have a shared cause. Pure.
import { isUnavailable } from '../client-api/app-status.ts'
import { isGone, type AppRecord, type Person } from '../people/person.ts'

const MIN_PEOPLE = 5
const MIN_SHARE = 0.2
/** Enough within half a day, at any share. */
const MIN_PEOPLE_HALF_DAY = 50
const HALF_DAY_MS = 12 * 3_600_000
/** Everyone is checked once more within this time, even by a daily run. */
export const SPREAD_MS = 36 * 3_600_000

/** People on the list. */
export type Listed = AsyncIterable<Person> | Iterable<Person>

/** Times are milliseconds since 1970. */
type FoundCluster = { instance: string; since: number; noticedAt: number }
type Cluster = { since: number; people: number }

/**
 * `fresh`: when it was noticed for each person since the last evaluation. `known`: people of the newest cluster found before.
 * Other people have the app `connected`, `recently` since the last evaluation, or `listed` as unconnected.
 */
type AppCounts = Record<'known' | 'connected' | 'recently' | 'listed', number> & {
  name: string
  fresh: number[]
}

/** @param noticedAt when the change was noticed for a person; undefined: no change */
export async function countNoticed(
  people: Listed,
  {
    found = [],
    evaluatedAt = 0,
  }: { found?: readonly FoundCluster[] | undefined; evaluatedAt?: number | undefined },
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

/** Counts only lapses of this cluster; later ones don't keep it open. */
const isPartOf = ({ since, noticedAt }: FoundCluster, at: number): boolean =>
  at >= since && at < noticedAt + SPREAD_MS

/**
 * The largest cluster, by the times of notice, at any time in the past. The limits are above chance: at 1% a week, some thirty
 * of 50,000 people lose an app in half a day.
 * @param noticedAt milliseconds since 1970, one for each person @param population people who could be in it
 */
export function findCluster(noticedAt: readonly number[], population: number): Cluster | undefined {
  const times = noticedAt.toSorted((one, other) => one - other)
  const cluster = mostWithin(times, SPREAD_MS)
  const isLargeShare = cluster.people >= MIN_PEOPLE && cluster.people >= population * MIN_SHARE
  return isLargeShare || mostWithin(times, HALF_DAY_MS).people >= MIN_PEOPLE_HALF_DAY ? cluster : undefined
}

/** The largest number of times within `spanMs` of the first one. @param times sorted */
function mostWithin(times: readonly number[], spanMs: number): Cluster {
  let most = { since: 0, people: 0 }
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && times[end]! - since < spanMs) end++
    if (end - start > most.people) most = { since, people: end - start }
  }
  return most
}
