// Checks a campaign's token, then each person's apps, at the rate that the service allows. Honors 429 and Retry-After,
// and retries temporary failures.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceClient } from '../client-api/client.ts'
import { isGlobalTokenRejected, ServiceProblem } from '../client-api/errors.ts'
import type { ListedApp } from '../client-api/responses.ts'
import type { Company } from '../company/company.ts'
import { OperatorError } from '../problem.ts'
import type { Throttle } from './throttle.ts'

type PersonCheckResult =
  | { kind: 'checked'; unconnected: ListedApp[] }
  /** The service knows no account with this address. */
  | { kind: 'unknown'; detail: string }
  /** `refused`: the service rejects the token, perhaps only for this person. */
  | { kind: 'no-response' | 'refused'; detail: string }

const MAX_TRIES = 4
/** 429s are retried more often than failures. */
const MAX_WAITS = 20

/** Statuses that reject the token (contract, section 7). */
const ABOUT_THE_TOKEN = [401, 403]

export function createPersonCheck(deps: {
  /** Calls the service with the global token. */
  unconnectedAppsOf: (email: string) => ReturnType<ServiceClient['unconnectedApps']>
  shownApps: Company['shownApps']
  throttle: Pick<Throttle, 'next' | 'slowDown'>
  onPause?: (seconds: number) => void
  signal: AbortSignal
  pauseMs?: number
}): (email: string) => Promise<PersonCheckResult> {
  const { unconnectedAppsOf, shownApps, throttle, onPause, signal, pauseMs = 1_000 } = deps
  return async (email) => {
    for (let failures = 0, waits = 0; ;) {
      await throttle.next()
      try {
        return { kind: 'checked', unconnected: shownApps(await unconnectedAppsOf(email)) }
      } catch (error) {
        if (!(error instanceof ServiceProblem)) throw error
        const { responseStatus = 0, affectsEveryone, mayBeAboutPerson, status, detail } = error
        const isBusy = responseStatus === 429
        const seconds = error.requestedWait ?? (isBusy ? 1 : 0)
        if (seconds > 0 && throttle.slowDown(seconds)) onPause?.(seconds)
        if (mayBeAboutPerson && affectsEveryone !== true) return { kind: 'unknown', detail }
        if (ABOUT_THE_TOKEN.includes(responseStatus)) return { kind: 'refused', detail }
        // Only the 503 of these statuses may be temporary.
        if (status !== 503 || (isBusy ? ++waits >= MAX_WAITS : ++failures >= MAX_TRIES))
          return { kind: 'no-response', detail }
        if (!isBusy) await sleep(pauseMs * 2 ** failures * (0.5 + Math.random() / 2), undefined, { signal })
      }
    }
  }
}

const MAX_TOKEN_TRIES = 3
const MAX_WAIT_SECONDS = 60

/**
 * Requires a global token, which the service rejects without a person. With a personal token, it would list the apps of
 * the token's owner for everyone.
 * @param checkWithoutPerson with the token alone @param options.setting the name of the token's setting
 * @throws {OperatorError} for a personal token, and if the service doesn't reject the call because of the token
 */
export async function requireGlobalToken(
  checkWithoutPerson: () => Promise<unknown>,
  { setting, signal, pauseMs = 1_000 }: { setting: string; signal: AbortSignal; pauseMs?: number },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const error = await checkWithoutPerson().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error === undefined)
      throw new OperatorError(
        `${setting} holds a personal token: the service would list its owner's apps for everyone. Nothing was sent. Set a global token.`,
      )
    if (!(error instanceof ServiceProblem)) throw error
    if (isGlobalTokenRejected(error)) return
    const { requestedWait = 0, status, detail } = error
    // Only the 503 of these statuses may be temporary. It says nothing about the token.
    const isTemporary = status === 503
    const unproven = `couldn't make sure that ${setting} is a global token`
    const fault = isTemporary
      ? `the service failed: ${detail}, so onramp ${unproven}`
      : `${unproven}: ${detail}`
    if (!isTemporary || tries >= MAX_TOKEN_TRIES || requestedWait > MAX_WAIT_SECONDS)
      throw new OperatorError(`${fault}. Nothing was sent.`, { cause: error })
    await sleep(Math.max(requestedWait * 1_000, pauseMs * 2 ** (tries - 1)), undefined, { signal })
  }
}
