// Finds apps that many people lost at once: a shared cause, which only an administrator can remove. Pure.
import type { KeepState, MassDisconnect } from '../people/keep-state.ts'
import { countNoticed, findCluster, SPREAD_MS, type Listed } from './many-at-once.ts'

/** @returns ongoing mass disconnects, and new ones */
export async function findMassDisconnects(
  people: Listed,
  { massDisconnects, evaluatedAt }: KeepState,
  now: number,
): Promise<MassDisconnect[]> {
  const before = { found: massDisconnects, evaluatedAt }
  const { apps } = await countNoticed(people, before, ({ lapsedAt }) => lapsedAt)
  const found = new Map<string, MassDisconnect>()
  for (const one of massDisconnects) {
    const known = apps.get(one.instance)?.known ?? 0
    const lapsed = one.resumedAt === undefined ? Math.max(one.lapsed, known) : one.lapsed
    if (!hasEnded(one, known, now)) found.set(one.instance, { ...one, lapsed })
  }
  for (const [instance, { name, fresh, connected, recently }] of apps) {
    const known = found.get(instance)
    const had = fresh.length + connected + recently
    const shared = known === undefined || known.resumedAt !== undefined ? findCluster(fresh, had) : undefined
    if (shared === undefined) continue
    const { since, people: lapsed } = shared
    found.set(instance, { instance, name, noticedAt: now, since, lapsed, had })
  }
  return [...found.values()]
}

/** True once most people have the app again. A resumed one is kept until its last lapses can be noticed. */
const hasEnded = ({ lapsed: before, noticedAt, resumedAt }: MassDisconnect, lapsed: number, now: number) =>
  lapsed * 2 < before && (resumedAt === undefined || now >= noticedAt + SPREAD_MS)
