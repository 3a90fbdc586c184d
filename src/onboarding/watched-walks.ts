// Walks that tell when one has changed, for whoever keeps count. A page view that changes nothing tells nothing.
import type { User } from '../session/session.ts'
import type { Known, Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/** Must not throw: what is counted is no reason to fail a person's request. */
export type OnWalkChanged = (user: User, known: readonly Known[]) => Promise<void>

/** What counts of a walk: the rest of it changes with every departure. */
const figure = ({ known }: Walk) =>
  JSON.stringify(
    known.map((entry) => [
      entry.instance,
      entry.status === 'connected' || entry.status === 'disabled' ? entry.status : '',
      entry.skippedAt !== undefined,
      entry.blockedAt !== undefined,
    ]),
  )

/** Most pages change nothing, and then the walk is the very same; one with nothing in it may be somebody's first. */
const isCounted = (before: Walk, after: Walk): boolean =>
  after.known.length === 0 || (before.known !== after.known && figure(before) !== figure(after))

export function watchWalks(walks: Walks, onChanged: OnWalkChanged): Walks {
  return {
    load: (user) => walks.load(user),
    async update(user, change, from) {
      let before = from
      const after = await walks.update(user, (walk) => change((before = walk)), from)
      if (before === undefined || isCounted(before, after)) await onChanged(user, after.known)
      return after
    },
  }
}
