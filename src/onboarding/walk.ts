// The walk's record, and how each check, consent, return and choice changes it. Pure; imports nothing.
// Only the service knows whether an app is connected, so each check replaces the stored status. The record adds facts
// that the service can't know: when apps were first seen, the open attempt, and skipped apps.

/** An app that the service lists as unconnected (client-api/responses.ts). */
export type UnconnectedApp = {
  instance: string
  name: string
  /** Repeats the names of client-api/app-status.ts, because this file imports nothing. */
  status: 'awaiting' | 'stale' | 'disabled' | 'attention'
}

/** A consent that was started, by a click or automatically. Times are milliseconds since 1970. */
type Attempt = {
  /** The attempt's random id, named like its query parameter: the return must have it. */
  step: string
  /** The step of the attempt that this one replaced, whose consent page may still be open. */
  previousStep?: string | undefined
  consentStartedAt: number
  backAt?: number | undefined
  checksSinceReturn: number
  /** The attempt was evaluated, given up or set aside: a return with this step changes nothing. */
  isOver?: true | undefined
  /** The person or the app reported that access wasn't granted. */
  isDeclined?: true | undefined
}

/** An app that was listed at any time. Times are milliseconds since 1970. */
export type TrackedApp = {
  instance: string
  name: string
  status: UnconnectedApp['status'] | 'connected'
  firstSeen: number
  connectedAt?: number | undefined
  /** When we noticed that access ended (from the person's record). Ignored while connected. */
  lapsedAt?: number | undefined
  skippedAt?: number | undefined
  blockedAt?: number | undefined
  /** When we gave up waiting for the service to show a consent. */
  unconfirmedAt?: number | undefined
  /** The newest attempt; undefined if there was none since the app was last connected. */
  attempt?: Attempt | undefined
  /** `Walk.clicks` at the newest attempt, even if the app was connected since. */
  startedAtClick?: number | undefined
}

export type StartedApp = TrackedApp & { attempt: Attempt }

export type Walk = {
  startedAt: number
  apps: TrackedApp[]
  /** `datasources` are shown, or all if it is empty. `returnTo`: the URL to return to afterwards. */
  visit: { datasources: string[]; returnTo?: string | undefined }
  /** The visit in which the newest consent was started. Returns go on there, even if another site opened a link. */
  visitAtStart?: Walk['visit'] | undefined
  /** Clicks on "connect". A consent started automatically counts as part of the click before it. */
  clicks: number
  /** Start of a check whose path the browser will follow: another check would void the path (contract 4.1). */
  leavingAt?: number | undefined
  /** The issuer of the sign-in. Absent in records of 0.1.0. */
  issuer?: string | undefined
  /** The verified address that the person's record had at the last check, normalized. */
  email?: string | undefined
  /** When the address was last stored for longer than the walk (walk-store.ts). */
  emailStoredAt?: number | undefined
}

/** No check runs for this long after a click, because it could void the one-time path that the browser is following. */
const IN_FLIGHT_MS = 15_000

export const newWalk = (now: number): Walk => ({
  startedAt: now,
  apps: [],
  clicks: 0,
  visit: { datasources: [] },
})

/** No choice and no unconfirmed consent, for an app that was started again or connected, or has a new choice. */
const NOT_SET_ASIDE = { skippedAt: undefined, unconfirmedAt: undefined, blockedAt: undefined } as const

const withApp = (walk: Walk, instance: string, change: (app: TrackedApp) => TrackedApp): Walk => ({
  ...walk,
  apps: walk.apps.map((app) => (app.instance === instance ? change(app) : app)),
})

/**
 * Applies the service's newest list: a tracked app that is missing there is connected, a listed app is not.
 * @param confirmSeconds how long the service may take to show a consent
 */
export function applyCheck(
  walk: Walk,
  unconnected: readonly UnconnectedApp[],
  now: number,
  confirmSeconds: number,
): Walk {
  const byInstance = new Map(unconnected.map((app) => [app.instance, app]))
  // Several apps that empty the list may be a fault of the service. Choices stay until the record ends them.
  const isDoubtful =
    unconnected.length === 0 && walk.apps.filter(({ status }) => status !== 'connected').length > 1
  const setAsideAfter = ({ skippedAt, blockedAt }: TrackedApp) =>
    isDoubtful ? { ...NOT_SET_ASIDE, skippedAt, blockedAt } : NOT_SET_ASIDE
  const tracked = walk.apps.map((app): TrackedApp => {
    const listedApp = byInstance.get(app.instance)
    if (listedApp === undefined)
      return app.status === 'connected'
        ? app
        : { ...app, ...setAsideAfter(app), status: 'connected', connectedAt: now }
    const current = { ...app, name: listedApp.name, status: listedApp.status }
    // A connected app that is listed again begins anew.
    if (app.status === 'connected') return hasNotReturned(app) ? current : { ...current, attempt: undefined }
    const isOverdue = isBeingConfirmed(app) && !isWithin(confirmSeconds * 1000, app.attempt.backAt, now)
    return isOverdue ? { ...current, unconfirmedAt: now, attempt: asOver(app.attempt) } : current
  })
  const seen = new Set(tracked.map((app) => app.instance))
  for (const { instance, name, status } of byInstance.values())
    if (!seen.has(instance)) tracked.push({ instance, name, status, firstSeen: now })
  return { ...walk, apps: withinLimit(tracked) }
}

/**
 * An app that isn't connected was lost only if the person's record says so: it may be back after its removal.
 * @param lapseTimes undefined without a record
 */
export function withLapses(walk: Walk, lapseTimes: ReadonlyMap<string, number> | undefined): Walk {
  const wasConnected = ({ status, connectedAt }: TrackedApp) =>
    status !== 'connected' && connectedAt !== undefined
  if (lapseTimes === undefined || (lapseTimes.size === 0 && !walk.apps.some(wasConnected))) return walk
  const tracked = walk.apps.map((app) => ({
    ...app,
    lapsedAt: lapseTimes.get(app.instance),
    connectedAt: wasConnected(app) ? undefined : app.connectedAt,
  }))
  return { ...walk, apps: tracked }
}

/** A service that lists ever new names must not fill the record. */
const MAX_TRACKED = 2_000

/** Forgets connected apps, the oldest first. Forgetting an unconnected one would make it count as connected. */
function withinLimit(apps: TrackedApp[]): TrackedApp[] {
  let surplus = apps.length - MAX_TRACKED
  return surplus <= 0 ? apps : apps.filter((app) => app.status !== 'connected' || surplus-- <= 0)
}

/** Looks in both directions, so that a clock set back doesn't make a person wait. */
const isWithin = (milliseconds: number, at: number, now: number): boolean => Math.abs(now - at) < milliseconds

const isStarted = (app: TrackedApp): app is StartedApp => app.attempt !== undefined

const hasNotReturned = ({ attempt }: TrackedApp) => attempt !== undefined && attempt.backAt === undefined

type ReturnedApp = StartedApp & { attempt: { backAt: number } }

/** True if the person returned, and the result isn't known yet. */
export const isBeingConfirmed = (app: TrackedApp): app is ReturnedApp =>
  app.attempt?.backAt !== undefined && app.attempt.isOver === undefined

export const isInFlight = (app: TrackedApp, now: number): boolean =>
  isStarted(app) && hasNotReturned(app) && isWithin(IN_FLIGHT_MS, app.attempt.consentStartedAt, now)

/** False while a check could void the path that a browser is following, or is about to get. A new walk is checked. */
export const mayCheck = ({ apps, leavingAt = -Infinity }: Walk, now: number): boolean =>
  apps.length === 0 || !(isWithin(IN_FLIGHT_MS, leavingAt, now) || apps.some((app) => isInFlight(app, now)))

const asOver = <A extends Attempt>(attempt: A): A => ({ ...attempt, isOver: true })

const asDeclined = (attempt: Attempt, now: number): Partial<TrackedApp> => ({
  attempt: { ...asOver(attempt), isDeclined: true },
  unconfirmedAt: now,
})

/** Begins an attempt instead of any earlier one, and clears the person's choices. @param isAutomatic without a click */
export function startConsent(
  walk: Walk,
  { instance, step, now, isAutomatic }: { instance: string; step: string; now: number; isAutomatic?: true },
): Walk {
  const clicks = walk.clicks + (isAutomatic ? 0 : 1)
  const startedWalk = withApp(walk, instance, (app) => {
    const previousStep = hasNotReturned(app) ? app.attempt?.step : undefined
    const attempt = { step, previousStep, consentStartedAt: now, checksSinceReturn: 0 }
    return { ...app, ...NOT_SET_ASIDE, attempt, startedAtClick: clicks }
  })
  return { ...startedWalk, clicks, visitAtStart: walk.visit }
}

/**
 * The app that a return comes from. Undefined if its step is unknown or over: any site can link to the callback, but
 * only the service and the person's browser know the step of `final_redirect_url` (contract 4.1).
 * @param hasError the return reports an error, which says nothing about a newer attempt
 */
export const findReturn = (walk: Walk, step: string | undefined, hasError = false): StartedApp | undefined =>
  walk.apps.filter(isStarted).find(({ attempt }) => {
    const steps = hasError ? [attempt.step] : [attempt.step, attempt.previousStep]
    return step && !attempt.isOver && steps.includes(step)
  })

const inVisitAtStart = (walk: Walk): Walk => ({ ...walk, visit: walk.visitAtStart ?? walk.visit })

/** Records a return before any check. @param minChecks 1 if a page was shown, which continues only on a click */
export const markReturned = (
  walk: Walk,
  { instance, attempt }: StartedApp,
  now: number,
  minChecks: 0 | 1 = 0,
): Walk =>
  withApp(inVisitAtStart(walk), instance, (app) => {
    if (app.attempt?.step !== attempt.step) return app
    const { backAt = now, checksSinceReturn: checks } = app.attempt
    return { ...app, attempt: { ...app.attempt, backAt, checksSinceReturn: Math.max(checks, minChecks) } }
  })

/**
 * Evaluates a return after `applyCheck`: the service alone decides whether the app is connected.
 * @param hasError the return reports an error; it isn't trusted, but ends the wait for a consent
 * @returns outcome `connected`: found by the first check after the return; `connected-later`: by a later one
 */
export function finishReturn(
  before: Walk,
  step: string,
  now: number,
  hasError = false,
): { walk: Walk; outcome: 'connected' | 'connected-later' | 'still-listed' | 'over' } {
  const app = before.apps.find(({ attempt }) => attempt?.step === step)
  if (app?.attempt === undefined || app.attempt.isOver) return { walk: before, outcome: 'over' }
  const walk = inVisitAtStart(before)
  const returnedAttempt = { ...app.attempt, backAt: app.attempt.backAt ?? now }
  const withChange = (change: Partial<TrackedApp>) =>
    withApp(walk, app.instance, (tracked) => ({ ...tracked, ...change }))
  if (app.status === 'connected')
    return {
      walk: withChange({ attempt: asOver(returnedAttempt) }),
      outcome: returnedAttempt.checksSinceReturn === 0 ? 'connected' : 'connected-later',
    }
  if (hasError) return { walk: withChange(asDeclined(returnedAttempt, now)), outcome: 'over' }
  const attempt = { ...returnedAttempt, checksSinceReturn: returnedAttempt.checksSinceReturn + 1 }
  return { walk: withChange({ attempt }), outcome: 'still-listed' }
}

const setAside = (walk: Walk, instance: string, as: Partial<TrackedApp>): Walk =>
  withApp(walk, instance, (app) => {
    if (app.status === 'connected') return app
    const attempt = isBeingConfirmed(app) ? asOver(app.attempt) : app.attempt
    return { ...app, ...NOT_SET_ASIDE, ...as, attempt }
  })

/** "Not now": the app stays on the list, and isn't offered again. */
export const skip = (walk: Walk, instance: string, now: number): Walk =>
  setAside(walk, instance, { skippedAt: now })

export const unskip = (walk: Walk, instance: string): Walk =>
  withApp(walk, instance, (app) => ({ ...app, skippedAt: undefined }))

/** "I didn't allow it": ends the wait for a consent. The service still decides whether the app is connected. */
export const decline = (walk: Walk, instance: string, now: number): Walk =>
  withApp(walk, instance, (app) =>
    isBeingConfirmed(app) && app.status !== 'connected' ? { ...app, ...asDeclined(app.attempt, now) } : app,
  )

/** "I need an admin to approve this", until the person undoes this or tries again. Admins see who waits. */
export const block = (walk: Walk, instance: string, now: number): Walk =>
  setAside(walk, instance, { blockedAt: now })

export const unblock = (walk: Walk, instance: string): Walk =>
  withApp(walk, instance, (app) => ({ ...app, blockedAt: undefined }))

/** `slack` means every instance (slack_1, slack_2), `slack_1` only that one (contract 2.1, datasourceInstance). */
export const inScope = (visit: Walk['visit'], instance: string): boolean =>
  visit.datasources.length === 0 ||
  visit.datasources.includes(instance) ||
  visit.datasources.includes(instance.replace(/_\d+$/, ''))
