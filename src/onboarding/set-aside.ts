// "Not now" and "I need an admin to approve this", and taking each of them back. Pure. Neither is offered again; the
// second is not nagged about either, and administrators see it.
import { NOTHING_SAID, settled, withKnown, type Known, type Walk } from './walk.ts'

function setAside(walk: Walk, instance: string, said: Partial<Known>): Walk {
  const change = (entry: Known) =>
    entry.status === 'connected' ? entry : { ...entry, ...NOTHING_SAID, ...said }
  const attempts = settled(walk.attempts, (other) => other === instance)
  return { ...withKnown(walk, instance, change), attempts }
}

/** "Not now": it stays on the list and is not offered again in this walk. */
export const skip = (walk: Walk, instance: string, now: number): Walk =>
  setAside(walk, instance, { skippedAt: now })

export const unskip = (walk: Walk, instance: string): Walk =>
  withKnown(walk, instance, (entry) => ({ ...entry, skippedAt: undefined }))

/** "I need an admin to approve this", until the person takes it back or tries again. */
export const block = (walk: Walk, instance: string, now: number): Walk =>
  setAside(walk, instance, { blockedAt: now })

export const unblock = (walk: Walk, instance: string): Walk =>
  withKnown(walk, instance, (entry) => ({ ...entry, blockedAt: undefined }))
