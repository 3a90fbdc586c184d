// Walks that tell when one has changed, for those who keep count. A page tells of a change that this process has not told of
// yet, because the one that made it may have died before, and again once a minute, because `invite send` may know otherwise.
import type { Source } from '../people/person.ts'
import type { Told } from '../people/follow.ts'
import { standsOf } from '../people/sources.ts'
import { createRemembered } from '../session/remembered.ts'
import { personKey, type User } from '../session/signed-in.ts'
import { standingIn } from './next-step.ts'
import { figureOf, type Figure } from './standing.ts'
import { isAsked, type Known, type Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/**
 * Must not throw: what is counted is no reason to fail a person's request.
 * @returns whether it is counted
 */
export type OnWalkChanged = (user: User, told: Told) => Promise<boolean>

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
    const standing = standingIn(entry, now)
    const state = STATES[figureOf(standing)]
    const since = state !== 'waiting' && 'since' in standing ? standing.since : undefined
    const word = state === 'off' ? wordOf(entry, now) : undefined
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
function wordOf(entry: Known, now: number): Source['word'] {
  const standing = standingIn({ ...entry, status: 'awaiting' }, now)
  return standing.kind === 'skipped' || standing.kind === 'blocked'
    ? { state: standing.kind, at: standing.since }
    : undefined
}

/** Does the report see a difference? Most pages change nothing, and then the walk is the very same. */
function isCounted(before: Walk, after: Walk, now: number): boolean {
  if (isAsked(before) !== isAsked(after)) return true
  if (before.known === after.known) return false
  return standsOf(sourcesOf(before, now)) !== standsOf(sourcesOf(after, now))
}

/** So many people are known to have been told of in this minute. */
const MAX_TOLD = 10_000
const MINUTE_MS = 60_000

/** @param now milliseconds since 1970 */
export function watchWalks(walks: Walks, onChanged: OnWalkChanged, now: () => number): Walks {
  /** By person: what this process told last, and in which minute. */
  const told = createRemembered<true | undefined>(MAX_TOLD)
  return {
    load: (user) => walks.load(user),
    async update(user, change, basis = {}) {
      const at = now()
      let isOurs = false
      const counted = (before: Walk): Walk => {
        const after = change(before)
        isOurs = isCounted(before, after, at)
        return isOurs ? { ...after, revisedAt: Math.max(at, (before.revisedAt ?? 0) + 1) } : after
      }
      const after = await walks.update(user, counted, basis)
      const { startedAt, revisedAt = 0 } = after
      const { isAsked: isService = false } = basis
      const [person, what] = [personKey(user), `${startedAt} ${revisedAt} ${Math.floor(at / MINUTE_MS)}`]
      const isNews = isService ? told.of(person, what, () => undefined) !== true : isOurs
      if (!isAsked(after) || !isNews) return after
      const isTold = await onChanged(user, {
        sources: sourcesOf(after, at),
        at,
        startedAt,
        revisedAt,
        isAsked: isService,
      })
      if (isTold && isService) told.of(person, what, () => true)
      return after
    },
  }
}
