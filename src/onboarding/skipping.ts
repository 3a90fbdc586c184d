// "Not now", and taking it back: pure.
import { isReturned, type Walk } from './walk.ts'

/** "Not now": it stays on the list and is not offered again in this walk. */
export function skip(walk: Walk, instance: string, now: number): Walk {
  const known = walk.known.map((entry) => {
    if (entry.instance !== instance || entry.status === 'connected') return entry
    const { unconfirmedAt: _unconfirmed, ...rest } = entry
    return { ...rest, skippedAt: now }
  })
  const attempts = walk.attempts.map((attempt) =>
    attempt.instance === instance && isReturned(attempt) ? { ...attempt, done: true as const } : attempt,
  )
  return { ...walk, known, attempts }
}

export const unskip = (walk: Walk, instance: string): Walk => ({
  ...walk,
  known: walk.known.map((entry) => {
    const { skippedAt: _skipped, ...rest } = entry
    return entry.instance === instance ? rest : entry
  }),
})
