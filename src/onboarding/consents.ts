// Starts a consent on a click, and handles the return from one. A double click and a reload share one check, because a
// second check would void the one-time path of the first.
import type { Request } from 'express'
import { Problem } from '../problem.ts'
import { createSingleFlight } from '../single-flight.ts'
import { personKey, requireSignedIn, type User } from '../session/signed-in.ts'
import { Turns } from '../turns.ts'
import type { Audit } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import type { WalkChecker } from './walk-checker.ts'
import { overviewPath, stepFromQuery } from './paths.ts'
import type { ProgressRecorder } from './progress-recorder.ts'
import { afterClick, afterReturn, stepResultOf, type TransitionCheck } from './transition.ts'
import {
  findReturn,
  isBeingConfirmed,
  markReturned,
  mayCheck,
  type StartedApp,
  type TrackedApp,
  type Walk,
} from './walk.ts'
import type { WalkStore } from './walk-store.ts'

/** A return this soon may have needed no click, and browsers give up after some 20 redirects in a row. */
const QUICK_MS = 10_000

/** True for the first request of a return that came back quickly. */
const isQuickReturn = ({ consentStartedAt, backAt }: StartedApp['attempt'], now: number): boolean =>
  backAt === undefined && Math.abs(now - consentStartedAt) < QUICK_MS

type ConsentResult =
  | { kind: 'redirect'; location: string }
  | { kind: 'overview'; walk: Walk; from?: string }
  | { kind: 'interstitial'; app: StartedApp }

export class Consents {
  readonly #deps
  readonly #once = createSingleFlight<ConsentResult>()
  readonly #returns = Turns.forChanges()

  constructor(deps: {
    walkChecker: Pick<WalkChecker, 'checkForTransition'>
    walks: WalkStore
    progress: Pick<ProgressRecorder, 'recordFailure'>
    isAutomatic: boolean
    audit: Audit
    log: Pick<Log, 'debug'>
    now: () => number
  }) {
    this.#deps = deps
  }

  /** @param instance undefined: the next app @throws {Problem} */
  async start(req: Request, instance: string | undefined): Promise<ConsentResult> {
    const { walkChecker } = this.#deps
    const { user } = requireSignedIn(req)
    return await this.#once(`${personKey(user)} click ${instance ?? ''}`, async () => {
      // A waiting click holds no walk in memory. In its turn, it keeps only this app, for the audit line.
      let app: TrackedApp | undefined
      const onRead = ({ apps }: Walk) => void (app = apps.find((one) => one.instance === instance))
      try {
        const decide = (before: Walk, check: TransitionCheck) => afterClick(before, check, instance)
        const decision = await walkChecker.checkForTransition(req, { mayLeave: true, decide, onRead })
        return this.#resultOf(user, decision)
      } catch (error) {
        this.#auditFailure(user, app, error)
        throw error
      }
    })
  }

  /** Handles a return from an app. @throws {Problem} */
  async finish(req: Request): Promise<ConsentResult> {
    const { user } = requireSignedIn(req)
    const result = await this.#returns.run(personKey(user), () => this.#resolveReturn(req))
    if (result.kind !== 'return') return result
    const { app } = result
    // The walk isn't kept in memory while the return waits for its turn.
    return await this.#once(`${personKey(user)} return ${app.attempt.step}`, () =>
      this.#completeReturn(req, user, app),
    )
  }

  /** @returns the app of a return that has to be checked, or the result without a check */
  async #resolveReturn(req: Request): Promise<ConsentResult | { kind: 'return'; app: StartedApp }> {
    const { walks, isAutomatic, log, now } = this.#deps
    const { user } = requireSignedIn(req)
    const walk = await walks.load(user)
    const app = findReturn(walk, stepFromQuery(req.query), hasError(req))
    log.debug({ instance: app?.instance, checksSinceReturn: app?.attempt.checksSinceReturn }, 'walk: return')
    if (app === undefined) return { kind: 'redirect', location: overviewPath(walk.visit) }
    // Don't check now: it would void the link that another tab is following.
    if (isBeingConfirmed(app) && !mayCheck(walk, now())) {
      const after = await walks.update(user, (before) => markReturned(before, app, now(), 1), walk)
      return { kind: 'overview', walk: after }
    }
    // Each chain of redirects leads to one app only, because browsers give up after about 20.
    if (isAutomatic && !hasError(req) && isQuickReturn(app.attempt, now()) && isBrowserNavigation(req)) {
      await walks.update(user, (before) => markReturned(before, app, now()), walk)
      return { kind: 'interstitial', app }
    }
    return { kind: 'return', app }
  }

  async #completeReturn(req: Request, user: User, app: StartedApp): Promise<ConsentResult> {
    const { walkChecker, walks, isAutomatic, audit, progress, now } = this.#deps
    const { instance } = app
    const consentReturn = { instance, step: app.attempt.step, isAutomatic, hasError: hasError(req) }
    try {
      // A waiting page never continues without a click.
      const mayLeave = isAutomatic && app.attempt.checksSinceReturn === 0
      const decide = (before: Walk, check: TransitionCheck) => afterReturn(before, check, consentReturn)
      const decision = await walkChecker.checkForTransition(req, { mayLeave, decide })
      const result = stepResultOf(decision.before, decision.walk, app, now())
      if (result !== undefined && result !== 'connected') {
        audit({ event: 'step_result', user, datasource: instance, result })
        if (consentReturn.hasError)
          await progress.recordFailure(user, { at: now(), instance, code: 'declined' })
      }
      return this.#resultOf(user, decision)
    } catch (error) {
      this.#auditFailure(user, app, error)
      // The person is back, even if the check failed.
      await walks.update(user, (before) => markReturned(before, app, now(), 1))
      throw error
    }
  }

  /**
   * Audits a failure with its person and app, which the log line of the request doesn't name. The record is changed in
   * the background and in turn, because a hanging service fails hundreds of clicks at once.
   * @param trackedApp an app of the walk. Any other instance may be any text
   */
  #auditFailure(user: User, trackedApp: TrackedApp | undefined, error: unknown): void {
    const { audit, progress, now } = this.#deps
    const { code, datasource } = error instanceof Problem ? error : new Problem(500, 'internal')
    const { instance } = datasource ?? trackedApp ?? { instance: undefined }
    audit({ event: 'step_failed', user, datasource: instance, code })
    void progress.recordFailure(user, { at: now(), instance, code })
  }

  /** The result, with its audit line. Called once per transition, even if several requests share it. */
  #resultOf(user: User, decision: Awaited<ReturnType<WalkChecker['checkForTransition']>>): ConsentResult {
    const { kind, walk, consentUrlOf } = decision
    if (kind === 'show') return { kind: 'overview', walk, from: decision.from }
    if (kind === 'redirect') return { kind: 'redirect', location: overviewPath(walk.visit, decision.from) }
    const { instance } = decision
    this.#deps.audit({ event: 'step_started', user, datasource: instance })
    return { kind: 'redirect', location: consentUrlOf(instance) ?? overviewPath(walk.visit) }
  }
}

const hasError = (req: Request) => Boolean(req.query['error'])

const isBrowserNavigation = (req: Request) =>
  req.get('sec-fetch-dest') === 'document' && req.get('user-agent')?.startsWith('Mozilla/') === true
