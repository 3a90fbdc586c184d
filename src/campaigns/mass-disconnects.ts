// Finds apps that so many people lost at once that one cause must be behind it, which only an administrator can remove. Pure.
import type { KeepState, MassDisconnect } from '../people/keep-state.ts'
import { appsOf, isGone, type Person } from '../people/person.ts'
import { isPartOf, sharedCause, SPREAD_MS } from './shared-cause.ts'

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
    const { name, fresh, had } = count
    const shared = active.has(instance) ? undefined : sharedCause(fresh, had)
    return shared ? [{ instance, name, noticedAt: now, since: shared.since, lapsed: shared.people, had }] : []
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
    const isKnown = known !== undefined && lapsedAt !== undefined && isPartOf(known, lapsedAt)
    const isFresh = !isKnown && lapsedAt !== undefined && lapsedAt >= (state.evaluatedAt ?? 0)
    count.lapsed += Number(isKnown)
    if (isFresh) count.fresh.push(lapsedAt)
    count.had += Number(isFresh || hasIt)
    counts.set(instance, count)
  }
}

/** Most people have the app again. A resumed one is remembered while more lapses may be noticed. */
const hasEnded = ({ lapsed: before, noticedAt, resumedAt }: MassDisconnect, lapsed: number, now: number) =>
  lapsed * 2 < before && (resumedAt === undefined || now >= noticedAt + SPREAD_MS)
