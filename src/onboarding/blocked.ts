// "I need my administrator for this": said by the person of a datasource that they cannot authorize alone. It is not
// offered and not nagged about any more, and administrators see it. Pure.
import { skip } from './skipping.ts'
import { type Walk } from './walk.ts'

/** Until the person takes it back, or tries again. */
export function block(walk: Walk, instance: string, now: number): Walk {
  const { known, ...rest } = skip(walk, instance, now)
  return {
    ...rest,
    known: known.map((entry) => {
      if (entry.instance !== instance || entry.status === 'connected') return entry
      const { skippedAt: _skipped, ...others } = entry
      return { ...others, blockedAt: now }
    }),
  }
}

export const unblock = (walk: Walk, instance: string): Walk => ({
  ...walk,
  known: walk.known.map((entry) => {
    const { blockedAt: _blocked, ...rest } = entry
    return entry.instance === instance ? rest : entry
  }),
})

/** Offered where connecting did not work; before that it would only be one more button. */
export const mayBlock = (kind: string) => ['unconfirmed', 'waiting', 'attention', 'skipped'].includes(kind)
