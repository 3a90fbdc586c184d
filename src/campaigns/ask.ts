// Asks the service what a person still has to connect, at the pace it allows. 429 and Retry-After are honoured, a failure
// that may pass is asked again, and one that would hit everyone ends the run.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Waiting } from '../client-api/answers.ts'
import { ServiceProblem } from '../client-api/errors.ts'
import type { Pace } from './pace.ts'

/** It would fail for everyone: the token, the service's address. The message is for operators. */
export class ServiceUnusable extends Error {
  override name = 'ServiceUnusable'
}

export type AskParts = {
  /** @throws {ServiceProblem} */
  whatIsLeft: (email: string) => Promise<Waiting[]>
  /** Is the Client API at SERVICE_BASE_URL? Its refusals may be about a person; those of another server are about no one. */
  isThere: () => Promise<boolean>
  pace: Pace
  signal: AbortSignal
  /** For tests; milliseconds. */
  pauseMs?: number
}

export type Asked =
  | { kind: 'left'; left: Waiting[] }
  /** The service does not know the person. */
  | { kind: 'unknown' }
  /** It says nothing about this person, though it did about others. */
  | { kind: 'refused' }
  /** It gave no answer that says what is left; `detail` says what instead. */
  | { kind: 'no-answer'; detail: string }

const MAX_TRIES = 4
const MAX_WAITS = 20
/** A person may have left the company, or a whole department. So many in a row may also be the token. */
const MAX_REFUSALS_IN_A_ROW = 10
/** After so many people in a row without an answer, each asked several times, it is away. */
const MAX_SILENCES_IN_A_ROW = 8

const isRefusal = (status: number | undefined) =>
  status === 400 || status === 403 || status === 404 || status === 422

export function createAsk({ whatIsLeft, isThere, pace, signal, pauseMs = 1_000 }: AskParts) {
  /** The last person about whom the service answered. */
  let answeredFor: string | undefined
  let there: Promise<boolean> | undefined
  let refusalsInARow = 0
  let silencesInARow = 0

  /** May be about this person alone, also where a firewall says it. @throws {ServiceUnusable} when it is not */
  async function refusal(problem: ServiceProblem): Promise<Asked> {
    const { answered, isOfFront, detail } = problem
    const isFirst = () => answeredFor === undefined
    // Asking takes time, in which others may have been answered for.
    if (isFirst() && (isOfFront || answered !== 403) && !(await (there ??= isThere())) && isFirst())
      throw new ServiceUnusable(problem.detail, { cause: problem })
    if (++refusalsInARow >= MAX_REFUSALS_IN_A_ROW && !(await isStillAnswering()))
      throw new ServiceUnusable(
        `${problem.detail}. This happened for ${refusalsInARow} people in a row. If they have all left, remove them from the list; if not, check the service token and SERVICE_BASE_URL`,
        { cause: problem },
      )
    if (isOfFront) return { kind: 'no-answer', detail }
    return { kind: answered === 403 ? 'refused' : 'unknown' }
  }

  /** Does it still answer about the person about whom it did? */
  async function isStillAnswering(): Promise<boolean> {
    if (answeredFor === undefined) return false
    const again = await tried(answeredFor)
    return !(again instanceof ServiceProblem) || again.answered === 429
  }

  /** @throws {ServiceUnusable} */
  async function tried(email: string): Promise<Asked | ServiceProblem> {
    await pace.turn()
    try {
      const left = await whatIsLeft(email)
      answeredFor = email
      refusalsInARow = 0
      silencesInARow = 0
      return { kind: 'left', left }
    } catch (error) {
      if (!(error instanceof ServiceProblem)) throw error
      const { code, asksToWait, answered, isOfEveryone, isOfFront } = error
      const isMisconfigured = code === 'service_misconfigured' && !isRefusal(answered)
      if (isOfEveryone || (!isOfFront && (answered === 401 || isMisconfigured)))
        throw new ServiceUnusable(error.detail, { cause: error })
      const waitSeconds = asksToWait ?? (answered === 429 ? 1 : undefined)
      if (waitSeconds !== undefined) pace.slowDown(waitSeconds)
      return error
    }
  }

  return async (email: string): Promise<Asked> => {
    let failures = 0
    let last: ServiceProblem | undefined
    for (let waits = 0; failures < MAX_TRIES && waits < MAX_WAITS; waits++) {
      const result = await tried(email)
      if (!(result instanceof ServiceProblem)) return result
      if (result.isOfFront || isRefusal(result.answered)) return await refusal(result)
      last = result
      // It would not accept it again.
      if (result.code === 'service_refused_request') break
      if (result.answered === 429) continue
      failures++
      await sleep(pauseMs * 2 ** failures * (0.5 + Math.random() / 2), undefined, { signal })
    }
    if (++silencesInARow >= MAX_SILENCES_IN_A_ROW)
      throw new ServiceUnusable(`the service is unavailable: ${last?.detail ?? ''}. Check SERVICE_BASE_URL`, {
        cause: last,
      })
    return { kind: 'no-answer', detail: last?.detail ?? '' }
  }
}
