// Walks that tell when one has changed, for those who keep count. A page view that changes nothing tells nothing.
import type { Followed } from '../arrivals/follow.ts'
import type { User } from '../session/signed-in.ts'
import { standingIn } from './course.ts'
import { figureOf, type Standing } from './standing.ts'
import type { Known, Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/** Must not throw: what is counted is no reason to fail a person's request. */
export type OnWalkChanged = (user: User, told: readonly Followed[]) => Promise<void>

const sinceOf = (standing: Standing) => ('since' in standing ? standing.since : undefined)

export function toldOf(walk: Walk, now: number): Followed[] {
  return walk.known.map((entry) => {
    const { instance, name, firstSeen } = entry
    const standing = standingIn(walk, entry, now)
    const figure = figureOf(standing)
    const at = figure === 'pending' ? firstSeen : (sinceOf(standing) ?? firstSeen)
    const word = figure === 'off' ? wordOf(walk, entry, now) : undefined
    return { instance, name, figure, at, ...(word && { word }) }
  })
}

/** What it would be if it were switched on again. */
function wordOf(walk: Walk, entry: Known, now: number): Followed['word'] {
  const standing = standingIn(walk, { ...entry, status: 'awaiting' }, now)
  return standing.kind === 'skipped' || standing.kind === 'blocked'
    ? { figure: standing.kind, at: standing.since }
    : undefined
}

/** Most pages change nothing, and then the walk is the very same; one with nothing in it may be a person's first. */
function isCounted(before: Walk, after: Walk, now: number): boolean {
  if (after.known.length === 0) return true
  if (before.known === after.known && before.attempts === after.attempts) return false
  const figures = (walk: Walk) =>
    JSON.stringify(toldOf(walk, now).map(({ instance, figure, word }) => [instance, figure, word?.figure]))
  return figures(before) !== figures(after)
}

/** @param now milliseconds since 1970 */
export function watchWalks(walks: Walks, onChanged: OnWalkChanged, now: () => number): Walks {
  return {
    load: (user) => walks.load(user),
    async update(user, change, from) {
      let before = from
      const after = await walks.update(user, (walk) => change((before = walk)), from)
      const at = now()
      if (before === undefined || isCounted(before, after, at)) await onChanged(user, toldOf(after, at))
      return after
    },
  }
}
