// From a click or a return to where it leads. What surprises: the one check both judges the step that ended and brings the
// one-time path for the next, so N datasources cost N + 1 checks; a path is used in that very answer and kept nowhere.
import { randomBytes } from 'node:crypto'
import type { Request } from 'express'
import { departureUrl } from '../client-api/departure.ts'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import type { CurrentWalkParts } from './current-walk.ts'
import type { Passage, Question } from './passage.ts'
import { callbackPath } from './paths.ts'
import { overviewPath } from './visit.ts'
import type { Walk } from './walk.ts'

export type Go = { location: string } | { page: Walk; from?: string; goOn?: string }

export type PassParts = CurrentWalkParts & {
  /** PUBLIC_URL and SERVICE_BASE_URL. */
  publicUrl: string
  baseUrl: string
}

export type Passed = {
  passage: Passage
  /** The walk as it was kept. */
  after: Walk
  /** Where the browser may be sent for it, if anywhere. */
  addressOf: (instance: string) => string | undefined
}

export type Pass = (
  req: Request,
  user: User,
  walk: Walk,
  decide: (walk: Walk, question: Question) => Passage,
) => Promise<Passed>

const newStep = () => randomBytes(16).toString('base64url')

/** What it returns asks with a fresh step id, decides and keeps the decision. */
export function createPass({ checkFor, walks, confirmSeconds, now, publicUrl, baseUrl }: PassParts): Pass {
  return async (req, user, walk, decide) => {
    const step = newStep()
    const waiting = await checkFor(req, `${publicUrl}${callbackPath(step)}`)
    const paths = new Map(waiting.map((entry) => [entry.instance, entry.authUrlRelativePath]))
    const addressOf = (instance: string) => {
      const path = paths.get(instance)
      return path === undefined ? undefined : departureUrl(baseUrl, instance, path)
    }
    const isStartable = (instance: string) => addressOf(instance) !== undefined
    const question = { now: now(), confirmSeconds, step, waiting, isStartable }

    let passage: Passage | undefined
    const after = await walks.update(user, (before) => (passage = decide(before, question)).walk, walk)
    return { passage: passage ?? decide(after, question), after, addressOf }
  }
}

export const unknownDatasource = () =>
  new Problem(404, 'datasource_unknown', { detail: 'not on the list of the person' })

/** @throws {Problem} for a datasource that is not on the list, or that has no address to start from */
export function goOf({ passage, after: walk, addressOf }: Passed): Go {
  switch (passage.kind) {
    case 'leave':
      return { location: addressOf(passage.instance) ?? overviewPath(walk.visit) }
    case 'overview':
      return { location: overviewPath(walk.visit, passage.from) }
    case 'wait':
      return { page: walk, from: passage.from }
    case 'pause':
      return { page: walk, from: passage.from, goOn: callbackPath(passage.step) }
    case 'unknown':
      throw unknownDatasource()
    case 'unstartable': {
      const datasource =
        walk.known.find((entry) => entry.instance === passage.instance)?.name ?? passage.instance
      const detail = `the service's authUrlRelativePath for ${passage.instance} is missing or leads elsewhere`
      throw new Problem(502, 'datasource_cannot_start', { detail, datasource })
    }
  }
}
