// Finds apps that left many lists at once without anyone having walked: no one may have connected them. Pure.
import type { KeepState, RemovedApp } from '../people/keep-state.ts'
import { countNoticed, sharedCause, type Listed } from './many-at-once.ts'

/** For each run that noticed it, so many pages at most: people who just looked. Of an app that people connect, nearly all. */
const MAX_NOTICED_BY_PAGES = 0.5

/** @returns those that most people don't have listed again, and new ones */
export async function findRemovedApps(people: Listed, state: KeepState, now: number): Promise<RemovedApp[]> {
  const { removedApps = [], evaluatedAt } = state
  const before = { found: removedApps, evaluatedAt }
  const { apps } = await countNoticed(people, before, ({ vanishedAt }) => vanishedAt)
  const ongoing = removedApps.filter((one) => (apps.get(one.instance)?.known ?? 0) * 2 >= one.people)
  const found = new Map(ongoing.map((one) => [one.instance, one]))
  for (const [instance, { name, fresh, recently, listed }] of apps) {
    const isWalked = recently > fresh.length * MAX_NOTICED_BY_PAGES
    const shared = isWalked ? undefined : sharedCause(fresh, fresh.length + listed)
    if (shared !== undefined) found.set(instance, { instance, name, noticedAt: now, ...shared })
  }
  return [...found.values()]
}
