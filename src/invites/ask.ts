// Asks the service what a person still has to connect, at the pace it allows: 429 and Retry-After are honoured, what
// fails for a moment is asked again, and what would fail for everybody ends the run.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Left } from '../client-api/answers.ts'
import { ServiceProblem } from '../client-api/errors.ts'
import type { Pace } from './pace.ts'

/** Would fail for everybody: the token, the address of the service. The message is what an operator reads. */
export class ServiceUnusable extends Error {
  override name = 'ServiceUnusable'
}

export type AskParts = {
  /** @throws {ServiceProblem} */
  whatIsLeft: (email: string) => Promise<Left[]>
  pace: Pace
  signal: AbortSignal
  /** For tests; milliseconds. */
  pauseMs?: number
}

export type Asked =
  | { kind: 'left'; left: Left[] }
  /** The service does not know the person. */
  | { kind: 'nobody' }
  /** It refuses to say anything about this person; of others it did. */
  | { kind: 'refused' }
  /** It gave no answer, several times. */
  | { kind: 'no-answer' }

const MOST_TRIES = 4
const MOST_WAITS = 20
/** One person may have left the company; so many in a row, and it is the token (or the address of the service). */
const MOST_REFUSALS_IN_A_ROW = 10
const MOST_REFUSALS_AT_FIRST = 3
/** People in a row whom it gave no answer about, several times each: it is away. */
const MOST_SILENCES_IN_A_ROW = 8

export function createAsk({ whatIsLeft, pace, signal, pauseMs = 1_000 }: AskParts) {
  let hasAnswered = false
  let refusalsInARow = 0
  let silencesInARow = 0

  /** 403 and 404 may be about this person only. @throws {ServiceUnusable} when they are said of everybody */
  function refusal(problem: ServiceProblem): Asked {
    if (++refusalsInARow >= (hasAnswered ? MOST_REFUSALS_IN_A_ROW : MOST_REFUSALS_AT_FIRST))
      throw new ServiceUnusable(problem.detail, { cause: problem })
    return problem.answered === 404 ? { kind: 'nobody' } : { kind: 'refused' }
  }

  /** @throws {ServiceUnusable} */
  async function tried(email: string): Promise<Asked | ServiceProblem> {
    await pace.turn()
    try {
      const left = await whatIsLeft(email)
      hasAnswered = true
      refusalsInARow = 0
      silencesInARow = 0
      return { kind: 'left', left }
    } catch (error) {
      if (!(error instanceof ServiceProblem)) throw error
      const { answered, code, retryAfter } = error
      if (answered === 403 || answered === 404) return refusal(error)
      if (answered === 401 || code === 'service_misconfigured')
        throw new ServiceUnusable(error.detail, { cause: error })
      if (answered === 429) pace.slowDown(retryAfter ?? 1)
      else if (answered === 400 || answered === 422) return { kind: 'nobody' }
      return error
    }
  }

  return async (email: string): Promise<Asked> => {
    let failures = 0
    let last: ServiceProblem | undefined
    for (let waits = 0; failures < MOST_TRIES && waits < MOST_WAITS; waits++) {
      const result = await tried(email)
      if (!(result instanceof ServiceProblem)) return result
      last = result
      if (result.answered === 429) continue
      failures++
      await sleep(pauseMs * 2 ** failures * (0.5 + Math.random() / 2), undefined, { signal })
    }
    if (++silencesInARow >= MOST_SILENCES_IN_A_ROW)
      throw new ServiceUnusable(`the service is away: ${last?.detail ?? ''}`, { cause: last })
    return { kind: 'no-answer' }
  }
}
