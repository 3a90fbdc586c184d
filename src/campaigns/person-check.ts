// Asks the service what a person still has to connect, at the pace it allows: 429 and Retry-After are honored, and a
// failure that may pass is asked again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { UnconnectedApp } from '../client-api/responses.ts'
import { ServiceProblem } from '../client-api/errors.ts'
import type { Throttle } from './throttle.ts'

export type ServiceCheck =
  | { kind: 'left'; left: UnconnectedApp[] }
  /** It does not know the person. */
  | { kind: 'unknown'; detail: string }
  /** It gave no answer that says what is left. `refused`: because of the token, also where it answers about others. */
  | { kind: 'no-answer' | 'refused'; detail: string }

export type CheckPerson = (email: string) => Promise<ServiceCheck>

const MAX_TRIES = 4
/** Of "too many requests", which says nothing about the person. */
const MAX_WAITS = 20

/** The contract doesn't document how an unknown X-Service-ActAs is refused. 401 and 403 are about the token (section 7). */
const ABOUT_THE_PERSON = [400, 404, 422]
const ABOUT_THE_TOKEN = [401, 403]

type Service = {
  /** @throws {ServiceProblem} */
  whatIsLeft: (email: string) => Promise<UnconnectedApp[]>
  pace: Throttle
  /** Called with the number of seconds for which the service asks for no calls. */
  onPause?: (seconds: number) => void
  signal: AbortSignal
  /** For tests; milliseconds. */
  pauseMs?: number
}

export function createPersonCheck({
  whatIsLeft,
  pace,
  onPause,
  signal,
  pauseMs = 1_000,
}: Service): CheckPerson {
  return async (email) => {
    for (let failures = 0, waits = 0; ;) {
      await pace.next()
      try {
        return { kind: 'left', left: await whatIsLeft(email) }
      } catch (error) {
        if (!(error instanceof ServiceProblem)) throw error
        const { responseStatus = 0, affectsEveryone, isFromIntermediary, status, detail } = error
        const isBusy = responseStatus === 429
        const seconds = error.requestedWait ?? (isBusy ? 1 : 0)
        if (seconds > 0 && pace.slowDown(seconds)) onPause?.(seconds)
        if (
          ABOUT_THE_PERSON.includes(responseStatus) &&
          affectsEveryone !== true &&
          isFromIntermediary !== true
        )
          return { kind: 'unknown', detail }
        if (ABOUT_THE_TOKEN.includes(responseStatus)) return { kind: 'refused', detail }
        // 503 is what may pass; anything else would be the same once more.
        if (status !== 503 || (isBusy ? ++waits >= MAX_WAITS : ++failures >= MAX_TRIES))
          return { kind: 'no-answer', detail }
        if (!isBusy) await sleep(pauseMs * 2 ** failures * (0.5 + Math.random() / 2), undefined, { signal })
      }
    }
  }
}
