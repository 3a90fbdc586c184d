// Finds apps that disappeared from many lists though few pages saw it: probably removed, not connected. Pure.
import type { KeepState, RemovedApp } from '../people/keep-state.ts'
import { countNoticed, findCluster, type Listed } from './many-at-once.ts'

/** For each run that noticed it, so many pages at most: people who just looked. Of an app that people connect, nearly all. */
const MAX_NOTICED_BY_PAGES = 0.5

/** @returns removed apps that most lists don't have again, and new ones */
export async function findRemovedApps(people: Listed, state: KeepState, now: number): Promise<RemovedApp[]> {
  const { removedApps = [], evaluatedAt } = state
  const before = { found: removedApps, evaluatedAt }
  const { apps } = await countNoticed(people, before, ({ vanishedAt }) => vanishedAt)
  const ongoing = removedApps.filter((one) => (apps.get(one.instance)?.known ?? 0) * 2 >= one.people)
  const found = new Map(ongoing.map((one) => [one.instance, one]))
  for (const [instance, { name, fresh, recently, listed }] of apps) {
    const wasSeenByPages = recently > fresh.length * MAX_NOTICED_BY_PAGES
    const shared = wasSeenByPages ? undefined : findCluster(fresh, fresh.length + listed)
    if (shared !== undefined) found.set(instance, { instance, name, noticedAt: now, ...shared })
  }
  return [...found.values()]
}
