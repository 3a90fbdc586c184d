// Adds the end and the return of access to the history of a person. Pure.
import type { Person } from './person.ts'

const MAX_ACCESS_EVENTS = 40

/** Adds losses and returns of access. An app that left the list without a consent is no return: it may be removed. */
export function withAccessEvents(before: Person, after: Person): Person {
  if (before.lastCheck === after.lastCheck) return after
  const formerApps = new Map(before.lastCheck?.apps.map((app) => [app.instance, app]))
  let events = after.accessEvents ?? []
  for (const { instance, status, since, lapsedAt, delistedAt } of after.lastCheck?.apps ?? []) {
    const former = formerApps.get(instance)
    const lostAt = former?.lapsedAt ?? (former?.movedFrom && former.previousLapsedAt)
    const isBack = former?.status !== 'connected' && status === 'connected' && delistedAt === undefined
    const isKnown = events.some((event) => event.instance === instance && event.at === lapsedAt)
    if (lapsedAt !== undefined && former?.lapsedAt === undefined && !isKnown) {
      // Without a consent, only the next loss shows that the person had the app again.
      const isEnd = former?.delistedAt !== undefined && former.previousLapsedAt !== undefined
      const end = isEnd ? [{ at: former.since, what: 'back', instance } as const] : []
      events = [...events, ...end, { at: lapsedAt, what: 'lost', instance }]
    } else if (isBack && lostAt !== undefined) events = [...events, { at: since, what: 'back', instance }]
  }
  return events.length === 0 ? after : { ...after, accessEvents: events.slice(-MAX_ACCESS_EVENTS) }
}
