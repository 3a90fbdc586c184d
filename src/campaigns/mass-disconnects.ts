// Finds apps that so many people lost at once that one cause must be behind it, which only an administrator can remove. Pure.
import type { KeepState, MassDisconnect } from '../people/keep-state.ts'
import { appsOf, isGone, type Person } from '../people/person.ts'

const MIN_PEOPLE = 5
const MIN_SHARE = 0.2
/** Enough lapses within half a day, whatever their share is. */
const MANY = 50
const HALF_DAY_MS = 12 * 3_600_000
/** Everyone is checked once more within this time, even by a daily run. */
const SPREAD_MS = 36 * 3_600_000

/** `fresh`: when each lapse was noticed that wasn't evaluated yet; milliseconds since 1970. */
type AppLapses = { name: string; had: number; fresh: number[]; lapsed: number }

/** @param people on the list @returns the mass disconnects that go on, and new ones */
export async function findMassDisconnects(
  people: AsyncIterable<Person> | Iterable<Person>,
  state: KeepState,
  now: number,
): Promise<MassDisconnect[]> {
  const counts = new Map<string, AppLapses>()
  for await (const person of people) if (!isGone(person)) countLapses(person, state, counts)
  const ongoing = state.massDisconnects.flatMap((known): MassDisconnect[] => {
    const lapsed = counts.get(known.instance)?.lapsed ?? 0
    if (hasEnded(known, lapsed, now)) return []
    return [known.resumedAt === undefined ? { ...known, lapsed: Math.max(known.lapsed, lapsed) } : known]
  })
  const active = new Set(
    ongoing.filter(({ resumedAt }) => resumedAt === undefined).map(({ instance }) => instance),
  )
  const begun = [...counts].flatMap(([instance, count]): MassDisconnect[] => {
    const shared = active.has(instance) ? undefined : sharedLapses(count)
    return shared ? [{ instance, name: count.name, noticedAt: now, ...shared, had: count.had }] : []
  })
  const replaced = new Set(begun.map(({ instance }) => instance))
  return [...ongoing.filter(({ instance }) => !replaced.has(instance)), ...begun]
}

function countLapses(person: Person, state: KeepState, counts: Map<string, AppLapses>): void {
  for (const { instance, name, state: appState, lapsedAt } of appsOf(person)) {
    const hasIt = appState === 'connected'
    if (!hasIt && lapsedAt === undefined) continue
    const count = counts.get(instance) ?? { name, had: 0, fresh: [], lapsed: 0 }
    const known = state.massDisconnects.findLast((one) => one.instance === instance)
    const isKnown = known !== undefined && lapsedAt !== undefined && includes(known, lapsedAt)
    const isFresh = !isKnown && lapsedAt !== undefined && lapsedAt >= (state.evaluatedAt ?? 0)
    count.lapsed += Number(isKnown)
    if (isFresh) count.fresh.push(lapsedAt)
    count.had += Number(isFresh || hasIt)
    counts.set(instance, count)
  }
}

/** Others who lose the app before or after must not keep a mass disconnect from being over. */
const includes = ({ since, noticedAt }: MassDisconnect, lapsedAt: number): boolean =>
  lapsedAt >= since && lapsedAt < noticedAt + SPREAD_MS

/** Most people have the app again. A resumed one is remembered while more lapses may be noticed. */
const hasEnded = ({ lapsed: before, noticedAt, resumedAt }: MassDisconnect, lapsed: number, now: number) =>
  lapsed * 2 < before && (resumedAt === undefined || now >= noticedAt + SPREAD_MS)

/**
 * The lapses with a shared cause, by when they were noticed, however long ago. Of 50,000 people who have an app, some thirty
 * lose it by themselves in half a day, at 1% a week.
 */
function sharedLapses({ fresh, had }: AppLapses): { since: number; lapsed: number } | undefined {
  const times = fresh.toSorted((one, other) => one - other)
  const together = mostWithin(times, SPREAD_MS)
  const isLargeShare = together.lapsed >= MIN_PEOPLE && together.lapsed >= had * MIN_SHARE
  return isLargeShare || mostWithin(times, HALF_DAY_MS).lapsed >= MANY ? together : undefined
}

/** The most lapses within `spanMs` of the first one. @param times sorted */
function mostWithin(times: readonly number[], spanMs: number): { since: number; lapsed: number } {
  let most = { since: 0, lapsed: 0 }
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && times[end]! - since < spanMs) end++
    if (end - start > most.lapsed) most = { since, lapsed: end - start }
  }
  return most
}
