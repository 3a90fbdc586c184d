// Records once what happened to an app for many people, for the comparison on /admin and in the digest. Pure.
import { activeMassDisconnects, type KeepState } from './keep-state.ts'

const MAX_EVENTS = 200

type FoundEvent = Omit<NonNullable<KeepState['appEvents']>[number], 'at'>
type FindEvents = (before: KeepState, after: KeepState) => FoundEvent[]

/** @returns `after` with the events by which it differs from `before`. @param at milliseconds since 1970 */
export function withAppEvents<State extends KeepState>(before: KeepState, after: State, at: number): State {
  const found = [...newListings(before, after), ...endedHolds(before, after), ...removals(before, after)]
  const appEvents = [...(after.appEvents ?? []), ...found.map((event) => ({ ...event, at }))]
  return found.length === 0 ? after : { ...after, appEvents: appEvents.slice(-MAX_EVENTS) }
}

/** An app may come to one department after the other: each time counts only the people for whom it is new. */
const newListings: FindEvents = (before, after) =>
  (after.newApps ?? []).flatMap(({ instance, name, since, people }) => {
    const known = before.newApps?.find((app) => app.instance === instance && app.since === since)
    const more = people - (known?.people ?? 0)
    return more > 0 ? { what: 'new', instance, name, people: more } : []
  })

/** A hold ends by `--release`, or once most people have the app again. */
const endedHolds: FindEvents = (before, after) =>
  activeMassDisconnects(before).flatMap((held) => {
    const { instance, name, since } = held
    const now = after.massDisconnects.find((app) => app.instance === instance && app.since === since)
    if (now !== undefined && now.resumedAt === undefined) return []
    const { lapsed: people, had } = now ?? held
    return { what: now === undefined ? 'restored' : 'released', instance, name, people, had }
  })

const removals: FindEvents = (before, after) => {
  const isMarked = ({ delistedApps = [] }: KeepState, instance: string) =>
    delistedApps.some((app) => app.instance === instance && app.markedRemovedAt !== undefined)
  return (after.delistedApps ?? []).flatMap(({ instance, name, people }) =>
    isMarked(after, instance) && !isMarked(before, instance)
      ? { what: 'removed', instance, name, people }
      : [],
  )
}
