// Walks that tell when one has changed, for those who keep count. A page view that changes nothing tells nothing.
import type { Source } from '../arrivals/arrival.ts'
import type { User } from '../session/signed-in.ts'
import { standingIn } from './course.ts'
import { figureOf, type Figure } from './standing.ts'
import type { Known, Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/** Must not throw: what is counted is no reason to fail a person's request. */
export type OnWalkChanged = (user: User, sources: readonly Source[]) => Promise<void>

const STATES = {
  connected: 'connected',
  pending: 'waiting',
  skipped: 'skipped',
  blocked: 'blocked',
  off: 'off',
} as const satisfies Record<Figure, Source['state']>

/** Each app of a walk as the report keeps it. */
export function sourcesOf(walk: Walk, now: number): Source[] {
  return walk.known.map((entry) => {
    const { instance, name, firstSeen } = entry
    const standing = standingIn(walk, entry, now)
    const state = STATES[figureOf(standing)]
    const since = state !== 'waiting' && 'since' in standing ? standing.since : undefined
    const word = state === 'off' ? wordOf(walk, entry, now) : undefined
    return {
      instance,
      name,
      state,
      at: since ?? firstSeen,
      ...(word && { word }),
      ...(standing.kind === 'unconfirmed' && { unconfirmed: true as const }),
    }
  })
}

/** What it would be if it were switched on again. */
function wordOf(walk: Walk, entry: Known, now: number): Source['word'] {
  const standing = standingIn(walk, { ...entry, status: 'awaiting' }, now)
  return standing.kind === 'skipped' || standing.kind === 'blocked'
    ? { state: standing.kind, at: standing.since }
    : undefined
}

/** Most pages change nothing, and then the walk is the very same; one with nothing in it may be a person's first. */
function isCounted(before: Walk, after: Walk, now: number): boolean {
  if (after.known.length === 0) return true
  if (before.known === after.known && before.attempts === after.attempts) return false
  const states = (walk: Walk) =>
    JSON.stringify(
      sourcesOf(walk, now).map(({ instance, state, word, unconfirmed }) => [
        instance,
        state,
        word?.state,
        unconfirmed,
      ]),
    )
  return states(before) !== states(after)
}

/** @param now milliseconds since 1970 */
export function watchWalks(walks: Walks, onChanged: OnWalkChanged, now: () => number): Walks {
  return {
    load: (user) => walks.load(user),
    async update(user, change, from) {
      let before = from
      const after = await walks.update(user, (walk) => change((before = walk)), from)
      const at = now()
      if (before === undefined || isCounted(before, after, at)) await onChanged(user, sourcesOf(after, at))
      return after
    },
  }
}
