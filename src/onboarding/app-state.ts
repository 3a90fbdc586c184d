// Derives the state of one app for pages, buckets, /api/status and the audit log. Pure; imports nothing. The service's
// status beats the person's choice, and a later choice an earlier one.

/** Times are milliseconds since 1970. */
export type AppState =
  | { kind: 'connected'; since: number | undefined }
  | { kind: 'off' }
  /** The person is back from the app, but the service doesn't show the consent yet. */
  | { kind: 'confirming' }
  | { kind: 'blocked'; since: number }
  | { kind: 'unconfirmed'; since: number }
  /** The consent was started a moment ago, perhaps in another tab. */
  | { kind: 'in-flight' }
  | { kind: 'skipped'; since: number }
  | { kind: 'unconnected' }

/** @param app the newest check and the person's later actions; times are milliseconds since 1970 */
export function appStateOf(app: {
  availability: 'connected' | 'off' | 'unconnected'
  isConfirming: boolean
  isInFlight: boolean
  connectedAt?: number | undefined
  skippedAt?: number | undefined
  blockedAt?: number | undefined
  unconfirmedAt?: number | undefined
}): AppState {
  if (app.availability === 'connected') return { kind: 'connected', since: app.connectedAt }
  if (app.availability === 'off') return { kind: 'off' }
  if (app.isConfirming) return { kind: 'confirming' }
  if (app.blockedAt !== undefined) return { kind: 'blocked', since: app.blockedAt }
  if (app.unconfirmedAt !== undefined) return { kind: 'unconfirmed', since: app.unconfirmedAt }
  // "Not now" counts at once, even if another tab has the app open. Starting the app again undoes it.
  if (app.skippedAt !== undefined) return { kind: 'skipped', since: app.skippedAt }
  return app.isInFlight ? { kind: 'in-flight' } : { kind: 'unconnected' }
}

/** Each app is in exactly one bucket of a count. `pending`: unconnected, confirming, unconfirmed, or in flight. */
type Bucket = 'connected' | 'pending' | 'skipped' | 'blocked' | 'off'

const BUCKETS: Record<AppState['kind'], Bucket> = {
  connected: 'connected',
  off: 'off',
  blocked: 'blocked',
  skipped: 'skipped',
  confirming: 'pending',
  unconfirmed: 'pending',
  'in-flight': 'pending',
  unconnected: 'pending',
}

export const bucketOf = ({ kind }: AppState): Bucket => BUCKETS[kind]
