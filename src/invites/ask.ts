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

/** nobody: the service does not know the person. no-answer: it gave none, several times. */
export type Asked = { kind: 'left'; left: Left[] } | { kind: 'nobody' } | { kind: 'no-answer' }

const MOST_TRIES = 4
const MOST_WAITS = 20

export function createAsk({ whatIsLeft, pace, signal, pauseMs = 1_000 }: AskParts) {
  /** @throws {ServiceUnusable} */
  async function tried(email: string): Promise<Asked | ServiceProblem> {
    await pace.turn()
    try {
      return { kind: 'left', left: await whatIsLeft(email) }
    } catch (error) {
      if (!(error instanceof ServiceProblem)) throw error
      const { answered, code, retryAfter } = error
      if (answered === 429) pace.slowDown(retryAfter ?? 1)
      else if (answered === 400 || answered === 422) return { kind: 'nobody' }
      else if (code === 'service_misconfigured' || answered === 401 || answered === 403)
        throw new ServiceUnusable(error.detail, { cause: error })
      return error
    }
  }

  return async (email: string): Promise<Asked> => {
    let failures = 0
    for (let waits = 0; failures < MOST_TRIES && waits < MOST_WAITS; waits++) {
      const result = await tried(email)
      if (!(result instanceof ServiceProblem)) return result
      if (result.answered === 429) continue
      failures++
      await sleep(pauseMs * 2 ** failures * (0.5 + Math.random() / 2), undefined, { signal })
    }
    return { kind: 'no-answer' }
  }
}
