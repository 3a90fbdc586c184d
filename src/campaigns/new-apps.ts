// Finds apps that are new for many people at once, for administrators: people become less ready, and no one did anything. Pure.
import type { KeepState, NewApp } from '../people/keep-state.ts'
import { appsOf, isGone, type Person } from '../people/person.ts'
import { isPartOf, sharedCause } from './shared-cause.ts'

const MAX_KEPT = 50

/** `fresh`: when it was noticed for each person, if that wasn't evaluated yet. `known`: people of the newest one found before. */
type Counts = { name: string; fresh: number[]; known: number }

/** @param people on the list @returns the new apps found before, with their present counts, and those found now */
export async function findNewApps(
  people: AsyncIterable<Person> | Iterable<Person>,
  { newApps = [], evaluatedAt = 0 }: KeepState,
  now: number,
): Promise<NewApp[]> {
  const newest = new Map(newApps.map((one) => [one.instance, one]))
  const counts = new Map<string, Counts>()
  let all = 0
  for await (const person of people) {
    if (isGone(person) || person.lastCheck === undefined) continue
    all++
    for (const { instance, name, newAt } of appsOf(person)) {
      if (newAt === undefined) continue
      const count = counts.get(instance) ?? { name, fresh: [], known: 0 }
      const known = newest.get(instance)
      if (known !== undefined && isPartOf(known, newAt)) count.known++
      else if (newAt >= evaluatedAt) count.fresh.push(newAt)
      counts.set(instance, count)
    }
  }
  // People who connected it meanwhile are no longer counted, and it was new for them.
  const before = newApps.map((one) =>
    newest.get(one.instance) === one
      ? { ...one, people: Math.max(one.people, counts.get(one.instance)?.known ?? 0) }
      : one,
  )
  const found = [...counts].flatMap(([instance, { name, fresh }]) => {
    const shared = sharedCause(fresh, all)
    return shared === undefined ? [] : [{ instance, name, noticedAt: now, ...shared }]
  })
  return [...before, ...found].slice(-MAX_KEPT)
}
