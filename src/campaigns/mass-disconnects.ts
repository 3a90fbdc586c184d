// Finds apps that so many people lost at once that one cause must be behind it, which only an administrator can remove. Pure.
import type { KeepState, MassDisconnect } from '../people/keep-state.ts'
import { countNoticed, sharedCause, SPREAD_MS } from './many-at-once.ts'

/** @param people on the list @returns the mass disconnects that go on, and new ones */
export async function findMassDisconnects(
  people: Parameters<typeof countNoticed>[0],
  { massDisconnects, evaluatedAt }: KeepState,
  now: number,
): Promise<MassDisconnect[]> {
  const before = { found: massDisconnects, evaluatedAt }
  const { apps } = await countNoticed(people, before, ({ lapsedAt }) => lapsedAt)
  const ongoing = massDisconnects.flatMap((known): MassDisconnect[] => {
    const lapsed = apps.get(known.instance)?.known ?? 0
    if (hasEnded(known, lapsed, now)) return []
    return [known.resumedAt === undefined ? { ...known, lapsed: Math.max(known.lapsed, lapsed) } : known]
  })
  const active = new Set(
    ongoing.filter(({ resumedAt }) => resumedAt === undefined).map(({ instance }) => instance),
  )
  const begun = [...apps].flatMap(([instance, { name, fresh, connected, recently }]): MassDisconnect[] => {
    const had = fresh.length + connected + recently
    const shared = active.has(instance) ? undefined : sharedCause(fresh, had)
    return shared ? [{ instance, name, noticedAt: now, since: shared.since, lapsed: shared.people, had }] : []
  })
  const replaced = new Set(begun.map(({ instance }) => instance))
  return [...ongoing.filter(({ instance }) => !replaced.has(instance)), ...begun]
}

/** Most people have the app again. A resumed one is remembered while more lapses may be noticed. */
const hasEnded = ({ lapsed: before, noticedAt, resumedAt }: MassDisconnect, lapsed: number, now: number) =>
  lapsed * 2 < before && (resumedAt === undefined || now >= noticedAt + SPREAD_MS)
