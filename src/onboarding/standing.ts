// How one app is doing, decided in this one place: pages, figures, the report, mails and the audit log all ask here.
// Pure; imports nothing. What surprises: the service's word beats the person's, and a later word beats an earlier one.

/** What is known of one app: what the service said last, and what the person did. Times are milliseconds since 1970. */
export type Facts = {
  status: 'awaiting' | 'stale' | 'attention' | 'disabled' | 'connected'
  connectedAt?: number
  skippedAt?: number
  blockedAt?: number
  unconfirmedAt?: number
  /** The person is back from it, and the service does not show the consent yet. */
  isConfirming: boolean
  /** The person left for it a moment ago and is not back. */
  isUnderWay: boolean
}

export type Standing =
  | { kind: 'connected'; since?: number }
  /** Switched off by an administrator. */
  | { kind: 'off' }
  | { kind: 'confirming' }
  /** The person waits for an administrator. */
  | { kind: 'blocked'; since: number }
  /** A consent that never showed. */
  | { kind: 'unconfirmed'; since: number }
  /** Under way, perhaps in another tab. */
  | { kind: 'elsewhere' }
  | { kind: 'skipped'; since: number }
  /** The variant changes the words alone: stale was connected before, attention came without a usable address. */
  | { kind: 'todo'; variant: 'awaiting' | 'stale' | 'attention' }

export function standingOf(facts: Facts): Standing {
  switch (facts.status) {
    case 'connected':
      return facts.connectedAt === undefined
        ? { kind: 'connected' }
        : { kind: 'connected', since: facts.connectedAt }
    case 'disabled':
      return { kind: 'off' }
    case 'awaiting':
    case 'stale':
    case 'attention':
      return openStanding(facts, facts.status)
    default:
      return unhandled(facts.status)
  }
}

/** Of an app that the service lists and that the person may authorize. */
function openStanding(facts: Facts, variant: 'awaiting' | 'stale' | 'attention'): Standing {
  const { blockedAt, unconfirmedAt, skippedAt } = facts
  if (facts.isConfirming) return { kind: 'confirming' }
  if (blockedAt !== undefined) return { kind: 'blocked', since: blockedAt }
  if (unconfirmedAt !== undefined) return { kind: 'unconfirmed', since: unconfirmedAt }
  if (facts.isUnderWay) return { kind: 'elsewhere' }
  if (skippedAt !== undefined) return { kind: 'skipped', since: skippedAt }
  return { kind: 'todo', variant }
}

/** What each app counts as where apps are counted: every app is in exactly one figure. */
export type Figure = 'connected' | 'pending' | 'skipped' | 'blocked' | 'off'

export function figureOf(standing: Standing): Figure {
  switch (standing.kind) {
    case 'connected':
    case 'off':
    case 'blocked':
    case 'skipped':
      return standing.kind
    case 'confirming':
    case 'unconfirmed':
    case 'elsewhere':
    case 'todo':
      return 'pending'
    default:
      return unhandled(standing)
  }
}

/** How soon the page offers an app: the lowest first; undefined: it offers others, or waits for an answer. */
export function turnOf(standing: Standing): number | undefined {
  switch (standing.kind) {
    case 'todo':
      return standing.variant === 'attention' ? 1 : 0
    case 'elsewhere':
      return 2
    case 'connected':
    case 'off':
    case 'confirming':
    case 'blocked':
    case 'unconfirmed':
    case 'skipped':
      return undefined
    default:
      return unhandled(standing)
  }
}

/** A value that the compiler proves impossible: a new kind fails to compile here. @throws where a record held one */
export function unhandled(value: never): never {
  throw new TypeError(`an unhandled value: ${JSON.stringify(value)}`)
}
