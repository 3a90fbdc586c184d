// Asks the service for a person and takes its answer into the walk: for a page, and for a click or a return. What
// surprises: the one check both judges the step that ended and brings the one-time path for the next, so N datasources
// cost N + 1 checks; a path is used in that very answer and kept nowhere.
import { randomBytes } from 'node:crypto'
import type { Request } from 'express'
import type { Waiting } from '../client-api/answers.ts'
import { departureUrl } from '../client-api/departure.ts'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import type { Log } from '../web/log.ts'
import { mayAsk } from './attempts.ts'
import type { Passage, Question } from './passage.ts'
import { callbackPath, overviewPath } from './paths.ts'
import { observe, type Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/** Asks the service for the person who made the request. @throws {Problem} */
export type CheckFor = (req: Request, finalRedirectUrl?: string) => Promise<Waiting[]>

export type PassParts = {
  checkFor: CheckFor
  walks: Walks
  confirmSeconds: number
  /** PUBLIC_URL and SERVICE_BASE_URL. */
  publicUrl: string
  baseUrl: string
  /** Gets a line for each decision, with instances and outcomes and nothing else. */
  log: Pick<Log, 'debug' | 'isLevelEnabled'>
  /** Milliseconds since 1970. */
  now: () => number
}

/**
 * What it returns gives the walk with what the service says now taken in. The service is not asked while the person is
 * just leaving for a datasource: another check could void the one-time path that the browser is following.
 */
export function createCurrentWalk({ checkFor, walks, confirmSeconds, log, now }: PassParts) {
  /** @param change what the request itself changes, before the service's answer is taken in @throws {Problem} */
  return async (req: Request, user: User, change = (walk: Walk) => walk): Promise<Walk> => {
    const walk = await walks.load(user)
    const waiting = mayAsk(walk, now()) ? await checkFor(req) : undefined
    if (log.isLevelEnabled('debug'))
      log.debug({ asked: waiting !== undefined, waiting: waiting?.map(said) }, 'walk: what the service says')
    const at = now()
    const take = (before: Walk) =>
      waiting === undefined ? before : observe(before, waiting, at, confirmSeconds)
    return await walks.update(user, (before) => take(change(before)), {
      from: walk,
      isAsked: waiting !== undefined,
    })
  }
}

export type CurrentWalk = ReturnType<typeof createCurrentWalk>

const said = ({ instance, status }: Waiting) => `${instance} ${status}`

export type Passed = {
  passage: Passage
  /** The walk as it was kept. */
  after: Walk
  /** Where the browser may be sent for it, if anywhere. */
  addressOf: (instance: string) => string | undefined
}

type Decide = (walk: Walk, question: Question) => Passage

/** What it returns asks with a fresh step id, decides and keeps the decision. */
export function createPass(parts: PassParts & Pick<Question, 'hasNotes'>) {
  const { checkFor, walks, confirmSeconds, log, now, publicUrl, baseUrl, hasNotes } = parts
  return async (req: Request, user: User, walk: Walk, decide: Decide): Promise<Passed> => {
    const step = randomBytes(16).toString('base64url')
    const waiting = await checkFor(req, `${publicUrl}${callbackPath(step)}`)
    const paths = new Map(waiting.map((entry) => [entry.instance, entry.authUrlRelativePath]))
    const addressOf = (instance: string) => {
      const path = paths.get(instance)
      return path === undefined ? undefined : departureUrl(baseUrl, instance, path)
    }
    const isStartable = (instance: string) => addressOf(instance) !== undefined
    const question = { now: now(), confirmSeconds, step, waiting, isStartable, hasNotes }

    let decided: Passage | undefined
    const take = (before: Walk) => (decided = decide(before, question)).walk
    const after = await walks.update(user, take, { from: walk, isAsked: true })
    const passage = decided ?? decide(after, question)
    const { kind, instance, from } = { instance: undefined, from: undefined, ...passage }
    log.debug({ passage: kind, instance, from, waiting: waiting.map(said) }, 'walk: where it leads')
    return { passage, after, addressOf }
  }
}

export const unknownDatasource = () =>
  new Problem(404, 'datasource_unknown', { detail: 'not on the list of the person' })

export type Go = { location: string } | { page: Walk; from?: string | undefined }

/** @throws {Problem} for a datasource that is not on the list, or that has no address to start from */
export function goOf({ passage, after: walk, addressOf }: Passed): Go {
  switch (passage.kind) {
    case 'leave':
      return { location: addressOf(passage.instance) ?? overviewPath(walk.visit) }
    case 'overview':
      return { location: overviewPath(walk.visit, passage.from) }
    case 'page':
      return { page: walk, from: passage.from }
    case 'unknown':
      throw unknownDatasource()
    case 'unstartable': {
      const { instance } = passage
      const detail = `the service's authUrlRelativePath for ${instance} is missing or leads elsewhere`
      throw new Problem(502, 'datasource_cannot_start', {
        detail,
        datasource: { instance, among: walk.known },
      })
    }
  }
}
