// Finds apps that are new for many people at once, for administrators: people become less ready, and no one did anything. Pure.
import type { KeepState, NewApp } from '../people/keep-state.ts'
import { countNoticed, sharedCause } from './many-at-once.ts'

const MAX_KEPT = 50

/** @param people on the list @returns the new apps found before, with their present counts, and those found now */
export async function findNewApps(
  people: Parameters<typeof countNoticed>[0],
  { newApps = [], evaluatedAt }: KeepState,
  now: number,
): Promise<NewApp[]> {
  const { apps, all } = await countNoticed(people, { found: newApps, evaluatedAt }, ({ newAt }) => newAt)
  // People who connected it meanwhile are no longer counted, and it was new for them.
  const before = newApps.map((one) => ({
    ...one,
    people: Math.max(one.people, apps.get(one.instance)?.known ?? 0),
  }))
  const begun = [...apps].flatMap(([instance, { name, fresh }]) => {
    const shared = sharedCause(fresh, all)
    return shared === undefined ? [] : [{ instance, name, noticedAt: now, ...shared }]
  })
  const others = before.filter(({ instance }) => begun.every((one) => one.instance !== instance))
  return [...others, ...begun].slice(-MAX_KEPT)
}
