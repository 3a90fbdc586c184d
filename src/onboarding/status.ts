// How far a person is, in figures: GET /api/status, for the intranet. Pure.
import type { Known, Walk } from './walk.ts'

export type Status = { signedIn: true; connected: number; pending: number; skipped: number }

type Standing = 'connected' | 'pending' | 'skipped' | 'blocked' | 'off'

/** `blocked` and `off` are nothing that the person could do, and nothing that waits for them. */
function standingOf({ status, skippedAt, blockedAt }: Known): Standing {
  if (status === 'connected') return 'connected'
  if (blockedAt !== undefined) return 'blocked'
  if (skippedAt !== undefined) return 'skipped'
  return status === 'disabled' ? 'off' : 'pending'
}

/** Of all datasources, whatever the visit was narrowed to. */
export function statusOf({ known }: Walk): Status {
  const count = (wanted: Standing) => known.filter((entry) => standingOf(entry) === wanted).length
  return {
    signedIn: true,
    connected: count('connected'),
    pending: count('pending'),
    skipped: count('skipped'),
  }
}
