// Finds apps that left many lists at once without anyone having walked: no one may have connected them. Pure.
import type { KeepState, RemovedApp } from '../people/keep-state.ts'
import { countNoticed, sharedCause } from './many-at-once.ts'

/** A page noticed so many of them at most: people who just looked. Where people connect an app, pages notice nearly all. */
const MAX_NOTICED_BY_PAGES = 0.1

/** @param people on the list @returns those that most people don't have listed again, and new ones */
export async function findRemovedApps(
  people: Parameters<typeof countNoticed>[0],
  { removedApps = [], evaluatedAt }: KeepState,
  now: number,
): Promise<RemovedApp[]> {
  const before = { found: removedApps, evaluatedAt }
  const { apps } = await countNoticed(people, before, ({ vanishedAt }) => vanishedAt)
  const ongoing = removedApps.filter((one) => (apps.get(one.instance)?.known ?? 0) * 2 >= one.people)
  const begun = [...apps].flatMap(([instance, { name, fresh, recently, listed }]) => {
    const isWalked = recently > fresh.length * MAX_NOTICED_BY_PAGES
    const shared = isWalked ? undefined : sharedCause(fresh, fresh.length + listed)
    return shared === undefined ? [] : [{ instance, name, noticedAt: now, ...shared }]
  })
  return [...ongoing.filter(({ instance }) => begun.every((one) => one.instance !== instance)), ...begun]
}
