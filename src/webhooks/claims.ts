// Who sends an event, and when again. Every process may try, so each takes what is due by a change of the person's record
// first, and the others leave it alone. One that dies meanwhile holds it for a minute: it may go out twice then, with the
// same id, and never not at all.
import type { People } from '../people/people.ts'
import type { OutboxEvent, Person } from '../people/person.ts'
import { TIME_LIMIT_MS, type Outcome } from './post.ts'

const HELD_MS = 60_000
/** So many of a person at once: they go one after the other, and each may take TIME_LIMIT_MS (post.ts) while it is held. */
export const MAX_AT_ONCE = Math.floor(HELD_MS / TIME_LIMIT_MS) - 1
/** After this the receiver will not want it. */
export const MAX_AGE_MS = 3 * 86_400_000

/** Between tries; the last one repeats. */
const PAUSES_SECONDS = [5, 30, 120, 600, 1800, 3600, 7200]
const MAX_PAUSE_SECONDS = 7200

/** When it is tried again. Pure. @param tries so far @param wait seconds that the receiver asked for @param random below 1 */
export function pauseMs(tries: number, wait = 0, random = Math.random()): number {
  const usual = PAUSES_SECONDS[Math.max(0, tries - 1)] ?? MAX_PAUSE_SECONDS
  return Math.round(1000 * Math.max(usual * (0.8 + 0.4 * random), Math.min(wait, MAX_PAUSE_SECONDS)))
}

const withOutbox = ({ outbox: _outbox, ...person }: Person, outbox: OutboxEvent[]): Person =>
  outbox.length > 0 ? { ...person, outbox } : person

/** Takes what is due of a person, the oldest first, and drops what is too old. @throws {StoreUnavailable} */
export async function claim(people: Pick<People, 'change'>, email: string, now: number) {
  let due: OutboxEvent[] = []
  let dropped = 0
  const person = await people.change(email, (before) => {
    const all = before.outbox ?? []
    const kept = all.filter(({ at }) => now - at < MAX_AGE_MS)
    due = kept.filter(({ dueAt }) => dueAt <= now).slice(0, MAX_AT_ONCE)
    dropped = all.length - kept.length
    if (due.length === 0 && dropped === 0) return before
    const held = (event: OutboxEvent) => ({ ...event, tries: event.tries + 1, dueAt: now + HELD_MS })
    return withOutbox(
      before,
      kept.map((event) => (due.includes(event) ? held(event) : event)),
    )
  })
  return { person, events: due, dropped }
}

/** Removes what was taken, and says when the rest is tried again. @throws {StoreUnavailable} */
export async function settle(
  people: Pick<People, 'change'>,
  email: string,
  outcomes: ReadonlyMap<string, Outcome>,
  now: number,
): Promise<Person> {
  return await people.change(email, (before) => {
    // Forgotten meanwhile, or nothing was sent.
    if (before.outbox === undefined || outcomes.size === 0) return before
    const left = before.outbox.flatMap((event) => {
      const outcome = outcomes.get(event.id)
      if (outcome === undefined) return event
      const wait = outcome.kind === 'refused' ? outcome.wait : undefined
      return outcome.kind === 'taken' ? [] : { ...event, dueAt: now + pauseMs(event.tries, wait) }
    })
    return withOutbox(before, left)
  })
}

/** When something of a person is due next, and when the oldest of it came to be. */
export type Waiting = { dueAt: number; since: number }

/** Undefined: there are no events. */
export const waitingOf = ({ outbox = [] }: Person): Waiting | undefined =>
  outbox.length === 0
    ? undefined
    : { dueAt: Math.min(...outbox.map(({ dueAt }) => dueAt)), since: Math.min(...outbox.map(({ at }) => at)) }
