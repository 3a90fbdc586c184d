// Calls checkdatasourceauth and updates the walk with the result. One check evaluates the step that ended and returns
// the one-time path for the next, so N apps cost N + 1 checks. A path is used at once and never stored.
import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { consentUrl } from '../client-api/consent-url.ts'
import { requireSignedIn, type User } from '../session/signed-in.ts'
import type { ServiceForPerson } from '../sign-in/service-for-person.ts'
import type { Audit } from '../web/audit.ts'
import { isFromOtherSite } from '../web/cross-site.ts'
import type { Log } from '../web/log.ts'
import { callbackPath } from './paths.ts'
import type { ProgressRecorder } from './progress-recorder.ts'
import type { TransitionCheck, Transition } from './transition.ts'
import { applyCheck, mayCheck, unblock, unskip, withLapses } from './walk.ts'
import type { UnconnectedApp, Walk } from './walk.ts'
import type { WalkStore } from './walk-store.ts'

type TransitionRequest = {
  /** False if the browser follows no one-time path, so that other checks may void the path. */
  mayLeave: boolean
  decide: (before: Walk, check: TransitionCheck) => Transition
  onRead?: (walk: Walk) => void
}

export class WalkChecker {
  readonly #deps

  constructor(deps: {
    service: Pick<ServiceForPerson, 'checkDatasourceAuth' | 'inTurn'>
    walks: WalkStore
    progress: Pick<ProgressRecorder, 'recordProgress' | 'followAddress' | 'lapsesOf'>
    confirmSeconds: number
    publicUrl: string
    baseUrl: string
    hasInstructions: TransitionCheck['hasInstructions']
    audit: Audit
    log: Pick<Log, 'debug' | 'isLevelEnabled'>
    now: () => number
  }) {
    this.#deps = deps
  }

  /**
   * Checks and updates the walk. Skips the check while the person is on their way to an app, whose link it would void.
   * @param change the request's change of the walk, applied before the check
   * @throws {Problem}
   */
  checkWalk(req: Request, change = (walk: Walk) => walk, signal?: AbortSignal): Promise<Walk> {
    const { service, publicUrl } = this.#deps
    const kind = isFromOtherSite(req, publicUrl) ? 'otherSite' : 'own'
    return service.inTurn(req, { signal, kind }, () => this.#checkWalk(req, change, signal))
  }

  /** Checks the walk for the widget, which is no page and changes nothing. @throws {Problem} */
  checkForWidget(req: Request): Promise<Walk> {
    return this.#deps.service.inTurn(req, { kind: 'widget' }, () => this.#checkWalk(req, (walk) => walk))
  }

  async #checkWalk(req: Request, change: (walk: Walk) => Walk, signal?: AbortSignal): Promise<Walk> {
    const { user } = requireSignedIn(req)
    const { service, walks, progress, confirmSeconds, log, now } = this.#deps
    const walk = await walks.load(user)
    const checkedAt = now()
    const unconnected = mayCheck(walk, checkedAt)
      ? await service.checkDatasourceAuth(req, undefined, signal)
      : undefined
    if (log.isLevelEnabled('debug'))
      log.debug(
        { isChecked: unconnected !== undefined, unconnected: unconnected?.map(nameAndStatus) },
        'walk: check result',
      )
    const at = now()
    const after = await this.#update(user, walk, (before) =>
      unconnected === undefined
        ? change(before)
        : applyCheck(change(before), unconnected, at, confirmSeconds),
    )
    const recordedAt = unconnected === undefined ? recentConnection(after, at) : checkedAt
    if (recordedAt === undefined) return withLapses(after, progress.lapsesOf(user))
    const recorded = await progress.recordProgress(user, after, recordedAt, walks.personReadFor(after))
    const { lapses, endedChoices = [] } = recorded ?? {}
    if (unconnected === undefined || endedChoices.length === 0) return withLapses(after, lapses)
    // A run saw these apps connected. The walk missed that check, so it would keep the choices.
    const missed = unconnected.filter(({ instance }) => !endedChoices.includes(instance))
    const replay = (latest: Walk) =>
      [missed, unconnected].reduce(
        (walkThen, list) => applyCheck(walkThen, list, at, confirmSeconds),
        endedChoices.reduce((walkThen, instance) => unblock(unskip(walkThen, instance), instance), latest),
      )
    return withLapses(await walks.update(user, replay, after), lapses)
  }

  /** Checks with a fresh step id, and stores the decision. @returns it, and the walk `before` it @throws {Problem} */
  checkForTransition(req: Request, request: TransitionRequest) {
    return this.#deps.service.inTurn(req, {}, () => this.#checkForTransition(req, request))
  }

  async #checkForTransition(
    req: Request,
    { mayLeave, decide, onRead }: TransitionRequest,
  ): Promise<Transition & { before: Walk; consentUrlOf: (instance: string) => string | undefined }> {
    const { user } = requireSignedIn(req)
    const { service, walks, progress, confirmSeconds, publicUrl, baseUrl, hasInstructions, log, now } =
      this.#deps
    const step = randomUUID().replaceAll('-', '')
    // Read in its turn, because a waiting click should hold no walk.
    const walk = await walks.load(user)
    onRead?.(walk)
    const checkedAt = now()
    const withLeavingAt = (before: Walk): Walk => ({ ...before, leavingAt: checkedAt })
    const leavingWalk = mayLeave ? await walks.update(user, withLeavingAt, walk) : walk
    // Another tab may be leaving for an app, too.
    const withoutLeavingAt = (before: Walk): Walk =>
      before.leavingAt === checkedAt ? { ...before, leavingAt: undefined } : before
    const finalRedirectUrl = `${publicUrl}${callbackPath(step)}`
    const unconnected = await service.checkDatasourceAuth(req, finalRedirectUrl).catch(async (error) => {
      await walks.update(user, withoutLeavingAt, leavingWalk)
      throw error
    })
    const paths = new Map(unconnected.map((app) => [app.instance, app.authUrlRelativePath]))
    const consentUrlOf = (instance: string) => {
      const path = paths.get(instance)
      return path === undefined ? undefined : consentUrl(baseUrl, instance, path)
    }
    const isStartable = (instance: string) => consentUrlOf(instance) !== undefined
    const check = { now: now(), confirmSeconds, step, unconnected, isStartable, hasInstructions }

    let transition!: Transition
    const decideOn = (before: Walk) => withoutLeavingAt((transition = decide(before, check)).walk)
    const after = await this.#update(user, leavingWalk, decideOn)
    const recorded = await progress.recordProgress(user, after, checkedAt, walks.personReadFor(after))
    const { kind, instance, from } = { instance: undefined, from: undefined, ...transition }
    log.debug(
      { transition: kind, instance, from, unconnected: unconnected.map(nameAndStatus) },
      'walk: transition',
    )
    return { ...transition, walk: withLapses(after, recorded?.lapses), before: walk, consentUrlOf }
  }

  /** Stores a change, and audits every newly connected app, even if another tab or device connected it. */
  async #update(user: User, walk: Walk, change: (before: Walk) => Walk): Promise<Walk> {
    const { walks, progress, audit } = this.#deps
    const { email, isMoved } = await progress.followAddress(user, walk.email)
    if (email !== undefined && walk.email !== undefined && isMoved !== undefined)
      audit({ event: 'renamed', result: isMoved ? 'done' : 'refused', user, email, former: walk.email })
    const { issuer } = user
    let before = walk
    const emailStoredAt = await walks.rememberAddress(user, walk, email)
    const changeLatest = (latest: Walk) => ({ ...change((before = latest)), issuer, email, emailStoredAt })
    const after = await walks.update(user, changeLatest, walk)
    for (const datasource of newlyConnected(before, after))
      audit({ event: 'step_result', user, datasource, result: 'connected' })
    return after
  }
}

/** Longer than a page may go without a check. */
const RECENT_MS = 60_000

/** When a check last found an app connected. Its process may have died before it wrote the person's record. */
const recentConnection = ({ apps }: Walk, now: number): number | undefined => {
  const newest = Math.max(...apps.map(({ connectedAt = 0 }) => connectedAt))
  return Math.abs(now - newest) < RECENT_MS ? newest : undefined
}

const nameAndStatus = ({ instance, status }: UnconnectedApp) => `${instance} ${status}`

function newlyConnected(before: Walk, after: Walk): string[] {
  const unconnected = new Set(before.apps.flatMap((app) => (app.status === 'connected' ? [] : app.instance)))
  return after.apps.flatMap(({ instance, status }) =>
    status === 'connected' && unconnected.has(instance) ? instance : [],
  )
}
