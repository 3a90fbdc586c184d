// Checks a person's apps at the rate that the service allows: honors 429 and Retry-After, and retries temporary failures.
import { setTimeout as sleep } from 'node:timers/promises'
import type { UnconnectedApp } from '../client-api/responses.ts'
import { ServiceProblem } from '../client-api/errors.ts'
import type { Throttle } from './throttle.ts'

type PersonCheckResult =
  | { kind: 'checked'; unconnected: UnconnectedApp[] }
  /** The service knows no account with this address. */
  | { kind: 'unknown'; detail: string }
  /** `refused`: because of the token, perhaps only for this person. */
  | { kind: 'no-response' | 'refused'; detail: string }

const MAX_TRIES = 4
/** A 429 isn't about the person, so more of them are accepted. */
const MAX_WAITS = 20

/** The contract doesn't document how an unknown X-Service-ActAs is refused. 401 and 403 are about the token (section 7). */
const ABOUT_THE_PERSON = [400, 404, 422]
const ABOUT_THE_TOKEN = [401, 403]

type PersonCheckDeps = {
  unconnectedApps: (email: string) => Promise<UnconnectedApp[]>
  throttle: Pick<Throttle, 'next' | 'slowDown'>
  onPause?: (seconds: number) => void
  signal: AbortSignal
  pauseMs?: number
}

export function createPersonCheck(deps: PersonCheckDeps): (email: string) => Promise<PersonCheckResult> {
  const { unconnectedApps, throttle, onPause, signal, pauseMs = 1_000 } = deps
  return async (email) => {
    for (let failures = 0, waits = 0; ;) {
      await throttle.next()
      try {
        return { kind: 'checked', unconnected: await unconnectedApps(email) }
      } catch (error) {
        if (!(error instanceof ServiceProblem)) throw error
        const { responseStatus = 0, affectsEveryone, isFromIntermediary, status, detail } = error
        const isBusy = responseStatus === 429
        const seconds = error.requestedWait ?? (isBusy ? 1 : 0)
        if (seconds > 0 && throttle.slowDown(seconds)) onPause?.(seconds)
        if (
          ABOUT_THE_PERSON.includes(responseStatus) &&
          affectsEveryone !== true &&
          isFromIntermediary !== true
        )
          return { kind: 'unknown', detail }
        if (ABOUT_THE_TOKEN.includes(responseStatus)) return { kind: 'refused', detail }
        // Only a 503 may pass.
        if (status !== 503 || (isBusy ? ++waits >= MAX_WAITS : ++failures >= MAX_TRIES))
          return { kind: 'no-response', detail }
        if (!isBusy) await sleep(pauseMs * 2 ** failures * (0.5 + Math.random() / 2), undefined, { signal })
      }
    }
  }
}
