// How one app of a walk is doing, decided in this one place for pages, figures and the audit log (`standingIn` of
// next-step.ts has the facts from the walk; the report has people/person.ts). Pure; imports nothing. What surprises: the
// service's word beats the person's, and a later word beats an earlier one.

/** What is known of one app: what the service's last word means, and what the person did. Times are milliseconds since 1970. */
type AppFacts = {
  /** Does the walk lead to it, as the service's word has it? over: it is connected. */
  priority: 'first' | 'never' | 'over'
  connectedAt?: number | undefined
  skippedAt?: number | undefined
  blockedAt?: number | undefined
  unconfirmedAt?: number | undefined
  /** The person is back from it, and the service does not show the consent yet. */
  isConfirming: boolean
  /** The person left for it a moment ago and is not back. */
  isUnderWay: boolean
}

export type AppState =
  | { kind: 'connected'; since: number | undefined }
  /** The person can do nothing about it. */
  | { kind: 'off' }
  | { kind: 'confirming' }
  /** The person waits for an administrator. */
  | { kind: 'blocked'; since: number }
  /** A consent that never showed. */
  | { kind: 'unconfirmed'; since: number }
  /** Under way, perhaps in another tab. */
  | { kind: 'elsewhere' }
  | { kind: 'skipped'; since: number }
  | { kind: 'todo' }

/** A later word beats an earlier one. */
export function appStateOf(facts: AppFacts): AppState {
  const { priority, connectedAt, blockedAt, unconfirmedAt, skippedAt } = facts
  if (priority === 'over') return { kind: 'connected', since: connectedAt }
  if (priority === 'never') return { kind: 'off' }
  if (facts.isConfirming) return { kind: 'confirming' }
  if (blockedAt !== undefined) return { kind: 'blocked', since: blockedAt }
  if (unconfirmedAt !== undefined) return { kind: 'unconfirmed', since: unconfirmedAt }
  if (facts.isUnderWay) return { kind: 'elsewhere' }
  if (skippedAt !== undefined) return { kind: 'skipped', since: skippedAt }
  return { kind: 'todo' }
}

/** What each app counts as where apps are counted: every app is in exactly one figure. */
export type Bucket = 'connected' | 'pending' | 'skipped' | 'blocked' | 'off'

const BUCKETS: Record<AppState['kind'], Bucket> = {
  connected: 'connected',
  off: 'off',
  blocked: 'blocked',
  skipped: 'skipped',
  confirming: 'pending',
  unconfirmed: 'pending',
  elsewhere: 'pending',
  todo: 'pending',
}

/** @throws where a record held a standing that there is none of, as below */
export const bucketOf = ({ kind }: AppState): Bucket => BUCKETS[kind] ?? unhandled(kind)

/** What a page offers, the soonest first. */
export const OFFERED: readonly AppState['kind'][] = ['todo', 'elsewhere']

/** A value that the types rule out. @throws where a record held one all the same */
export function unhandled(value: unknown): never {
  throw new TypeError(`an unhandled value: ${JSON.stringify(value)}`)
}
