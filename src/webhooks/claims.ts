// Who sends a piece of outbox, and when again. Every process may try, so each takes what is due by a change of the person's
// record first, and the others leave it alone. One that dies meanwhile holds it for a minute: it may go out twice then,
// with the same id, and never not at all.
import type { Person, OutboxEvent } from '../people/person.ts'
import type { People } from '../people/people.ts'
import { TIME_LIMIT_MS, type Outcome } from './post.ts'

const HELD_MS = 60_000
/** So many of a person at once: they go one after the other, and each may take TIME_LIMIT_MS (post.ts) while it is held. */
export const MAX_AT_ONCE = Math.floor(HELD_MS / TIME_LIMIT_MS) - 1
/** After this the receiver will not want it. */
export const MAX_AGE_MS = 3 * 86_400_000

const SECOND_MS = 1000
/** Between tries; the last one repeats. */
const PAUSES_SECONDS = [5, 30, 120, 600, 1800, 3600, 7200] as const
const MAX_PAUSE_SECONDS = 7200

/** When it is tried again. Pure. @param tries so far @param wait seconds that the receiver asked for @param random below 1 */
export function pauseMs(tries: number, wait = 0, random = Math.random()): number {
  const usual = PAUSES_SECONDS[Math.max(0, tries - 1)] ?? MAX_PAUSE_SECONDS
  const seconds = Math.max(usual * (0.8 + 0.4 * random), Math.min(wait, MAX_PAUSE_SECONDS))
  return Math.round(seconds * SECOND_MS)
}

export type Claimed = { arrival: Person; outbox: readonly OutboxEvent[]; dropped: number }

type Changes = Pick<People, 'change'>

const withOutboxOf = ({ outbox: _news, ...arrival }: Person, outbox: OutboxEvent[]): Person =>
  outbox.length > 0 ? { ...arrival, outbox } : arrival

/** Takes what is due of a person, the oldest first, and drops what is too old. @throws {StoreUnavailable} */
export async function claim(people: Changes, email: string, now: number): Promise<Claimed> {
  let claimed: Omit<Claimed, 'arrival'> = { outbox: [], dropped: 0 }
  const arrival = await people.change(email, (before) => {
    const all = before.outbox ?? []
    const kept = all.filter(({ at }) => now - at < MAX_AGE_MS)
    const due = kept.filter(({ dueAt }) => dueAt <= now).slice(0, MAX_AT_ONCE)
    claimed = { outbox: due, dropped: all.length - kept.length }
    if (due.length === 0 && claimed.dropped === 0) return before
    const held = (piece: OutboxEvent) => ({ ...piece, tries: piece.tries + 1, dueAt: now + HELD_MS })
    return withOutboxOf(
      before,
      kept.map((piece) => (due.includes(piece) ? held(piece) : piece)),
    )
  })
  return { arrival, ...claimed }
}

/** Removes what was taken, and says when the rest is tried again. @throws {StoreUnavailable} */
export async function settle(
  people: Changes,
  email: string,
  outcomes: ReadonlyMap<string, Outcome>,
  now: number,
): Promise<Person> {
  return await people.change(email, (before) => {
    // Forgotten meanwhile, or nothing was sent.
    if (before.outbox === undefined || outcomes.size === 0) return before
    const left = before.outbox.filter(({ id }) => outcomes.get(id)?.kind !== 'taken')
    const outbox = left.map((piece) => {
      const outcome = outcomes.get(piece.id)
      if (outcome === undefined) return piece
      const wait = outcome.kind === 'refused' ? outcome.wait : undefined
      return { ...piece, dueAt: now + pauseMs(piece.tries, wait) }
    })
    return withOutboxOf(before, outbox)
  })
}

/** When something of a person is due next, and when the oldest of it came to be. */
export type Waiting = { dueAt: number; since: number }

/** Undefined: there is no outbox. */
export const waitingOf = ({ outbox = [] }: Person): Waiting | undefined =>
  outbox.length === 0
    ? undefined
    : { dueAt: Math.min(...outbox.map(({ dueAt }) => dueAt)), since: Math.min(...outbox.map(({ at }) => at)) }
