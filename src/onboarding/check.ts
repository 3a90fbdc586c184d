// Asks the service about a person and takes its answer into the walk: for a page, and for a click or a return. What
// surprises: the one check both judges the step that ended and brings the one-time path for the next, so N apps cost N + 1
// checks; a path is used in that very answer and kept nowhere.
import { randomBytes } from 'node:crypto'
import type { Request } from 'express'
import type { UnconnectedApp } from '../client-api/responses.ts'
import { consentUrl } from '../client-api/consent-url.ts'
import { whoIsSignedIn, type User } from '../session/signed-in.ts'
import type { ServiceForPerson } from '../sign-in/service-for-person.ts'
import type { Audit } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import type { RecordProgress } from './record-progress.ts'
import { callbackPath } from './paths.ts'
import type { CheckResult, Transition } from './transition.ts'
import { newlyConnected, mayCheck, applyCheck, withLapses, type Walk } from './walk.ts'
import type { Walks } from './walks.ts'

export type Decided = {
  transition: Transition
  /** The walk as it was kept. */
  walk: Walk
  /** Where the browser may be sent for an app, if anywhere. */
  addressOf: (instance: string) => string | undefined
}

export type Checks = ReturnType<typeof createChecks>

/** What a check is made from. */
export type Checking = {
  service: ServiceForPerson
  walks: Walks
  recordProgress: RecordProgress
  /** CONFIRM_SECONDS, PUBLIC_URL and SERVICE_BASE_URL. */
  confirmSeconds: number
  publicUrl: string
  baseUrl: string
  hasHelp: CheckResult['hasHelp']
  audit: Audit
  /** Gets a line for each decision, with instances and outcomes and nothing else. */
  log: Pick<Log, 'debug' | 'isLevelEnabled'>
  /** Milliseconds since 1970. */
  now: () => number
}

export function createChecks(needs: Checking) {
  const { service, walks, recordProgress, confirmSeconds, publicUrl, baseUrl, hasHelp, log, now } = needs

  /** Keeps what a check found, and what was connected in it: also in another tab, or on another device. */
  async function take(user: User, walk: Walk, change: (before: Walk) => Walk): Promise<Walk> {
    let before = walk
    const after = await walks.update(user, (latest) => change((before = latest)), walk)
    for (const datasource of newlyConnected(before, after))
      needs.audit({ event: 'step_result', user, datasource, result: 'connected' })
    return after
  }

  return {
    /**
     * The walk with the service's present answer. The service is not asked while the person is just leaving for an app:
     * another check could void the one-time path that the browser is following.
     * @param change what the request itself changes, before the answer is taken in @param gone aborts when no one waits
     * @throws {Problem}
     */
    async current(req: Request, change = (walk: Walk) => walk, gone?: AbortSignal): Promise<Walk> {
      const { user } = whoIsSignedIn(req)
      const walk = await walks.load(user)
      const checkedAt = now()
      const waiting = mayCheck(walk, checkedAt) ? await service.check(req, undefined, gone) : undefined
      if (log.isLevelEnabled('debug'))
        log.debug(
          { isAsked: waiting !== undefined, waiting: waiting?.map(inWords) },
          'walk: what the service says',
        )
      const at = now()
      const after = await take(user, walk, (before) =>
        waiting === undefined ? change(before) : applyCheck(change(before), waiting, at, confirmSeconds),
      )
      if (waiting === undefined) return after
      const lapses = await recordProgress(user, after, checkedAt)
      return await walks.update(user, (before) => withLapses(before, lapses), after)
    },

    /** Asks with a fresh step id, decides, and keeps the decision. @throws {Problem} also of the decision */
    async decide(
      req: Request,
      user: User,
      walk: Walk,
      decision: (before: Walk, check: CheckResult) => Transition,
    ): Promise<Decided> {
      const step = randomBytes(16).toString('hex')
      const checkedAt = now()
      const waiting = await service.check(req, `${publicUrl}${callbackPath(step)}`)
      const paths = new Map(waiting.map((entry) => [entry.instance, entry.authUrlRelativePath]))
      const addressOf = (instance: string) => {
        const path = paths.get(instance)
        return path === undefined ? undefined : consentUrl(baseUrl, instance, path)
      }
      const isStartable = (instance: string) => addressOf(instance) !== undefined
      const check = { now: now(), confirmSeconds, step, waiting, isStartable, hasHelp }

      let transition: Transition | undefined
      const after = await take(user, walk, (before) => (transition = decision(before, check)).walk)
      await recordProgress(user, after, checkedAt)
      transition ??= decision(after, check)
      const { kind, instance, from } = { instance: undefined, from: undefined, ...transition }
      log.debug({ transition: kind, instance, from, waiting: waiting.map(inWords) }, 'walk: where it leads')
      return { transition, walk: after, addressOf }
    },
  }
}

const inWords = ({ instance, status }: UnconnectedApp) => `${instance} ${status}`
