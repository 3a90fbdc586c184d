// Finds apps that are new for many people at once. They explain to administrators why fewer people are ready. Pure.
import type { KeepState, NewApp } from '../people/keep-state.ts'
import { countNoticed, findCluster, type Listed } from './many-at-once.ts'

const MAX_KEPT = 50

/** @returns the new apps found before, with their present counts, and those found now */
export async function findNewApps(people: Listed, state: KeepState, now: number): Promise<NewApp[]> {
  const { newApps = [], evaluatedAt } = state
  const moved = new Set<string>()
  const counted = { found: newApps, evaluatedAt }
  const { apps, all } = await countNoticed(people, counted, ({ instance, newAt, movedFrom }) => {
    if (movedFrom !== undefined) moved.add(instance)
    return newAt
  })
  const found = new Map(newApps.map((one) => [one.instance, one]))
  for (const [instance, { name, fresh, known }] of apps) {
    const before = found.get(instance)
    const shared = findCluster(fresh, all)
    if (shared !== undefined) found.set(instance, { instance, name, noticedAt: now, ...shared })
    // The count only rises: people who have connected the app since had it as new, too.
    else if (before !== undefined && known > before.people) found.set(instance, { ...before, people: known })
  }
  const newest = [...found.values()].slice(-MAX_KEPT)
  return newest.map((one) => (moved.has(one.instance) ? { ...one, isMoved: true } : one))
}
