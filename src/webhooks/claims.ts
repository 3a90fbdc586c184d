// Who sends a piece of news, and when again. Every process may try, so each takes what is due by a change of the person's
// record first, and the others leave it alone. One that dies meanwhile holds it for a minute: it may go out twice then,
// with the same id, and never not at all.
import type { Arrival, News } from '../people/arrival.ts'
import type { Arrivals } from '../people/arrivals.ts'
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

export type Claimed = { arrival: Arrival; news: readonly News[]; dropped: number }

type Changes = Pick<Arrivals, 'change'>

const withNewsOf = ({ news: _news, ...arrival }: Arrival, news: News[]): Arrival =>
  news.length > 0 ? { ...arrival, news } : arrival

/** Takes what is due of a person, the oldest first, and drops what is too old. @throws {StoreUnavailable} */
export async function claim(arrivals: Changes, email: string, now: number): Promise<Claimed> {
  let claimed: Omit<Claimed, 'arrival'> = { news: [], dropped: 0 }
  const arrival = await arrivals.change(email, (before) => {
    const all = before.news ?? []
    const kept = all.filter(({ at }) => now - at < MAX_AGE_MS)
    const due = kept.filter(({ dueAt }) => dueAt <= now).slice(0, MAX_AT_ONCE)
    claimed = { news: due, dropped: all.length - kept.length }
    if (due.length === 0 && claimed.dropped === 0) return before
    const held = (piece: News) => ({ ...piece, tries: piece.tries + 1, dueAt: now + HELD_MS })
    return withNewsOf(
      before,
      kept.map((piece) => (due.includes(piece) ? held(piece) : piece)),
    )
  })
  return { arrival, ...claimed }
}

/** Removes what was taken, and says when the rest is tried again. @throws {StoreUnavailable} */
export async function settle(
  arrivals: Changes,
  email: string,
  outcomes: ReadonlyMap<string, Outcome>,
  now: number,
): Promise<Arrival> {
  return await arrivals.change(email, (before) => {
    // Forgotten meanwhile, or nothing was sent.
    if (before.news === undefined || outcomes.size === 0) return before
    const left = before.news.filter(({ id }) => outcomes.get(id)?.kind !== 'taken')
    const news = left.map((piece) => {
      const outcome = outcomes.get(piece.id)
      if (outcome === undefined) return piece
      const wait = outcome.kind === 'refused' ? outcome.wait : undefined
      return { ...piece, dueAt: now + pauseMs(piece.tries, wait) }
    })
    return withNewsOf(before, news)
  })
}

/** When something of a person is due next, and when the oldest of it came to be. */
export type Waiting = { dueAt: number; since: number }

/** Undefined: there is no news. */
export const waitingOf = ({ news = [] }: Arrival): Waiting | undefined =>
  news.length === 0
    ? undefined
    : { dueAt: Math.min(...news.map(({ dueAt }) => dueAt)), since: Math.min(...news.map(({ at }) => at)) }
