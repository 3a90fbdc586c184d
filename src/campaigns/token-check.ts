// Requires a global token before a campaign: with a personal one, the service would list its owner's apps for everyone.
import { setTimeout as sleep } from 'node:timers/promises'
import { isTokenRejected, ServiceProblem } from '../client-api/errors.ts'
import { OperatorError } from '../problem.ts'

const MAX_TRIES = 3
const MAX_WAIT_SECONDS = 60

/**
 * A global token without a person is rejected.
 * @param unconnectedApps checks without a person @param options.setting the name of the token's setting
 * @throws {OperatorError} for a personal token, and if the service doesn't reject the call because of the token
 */
export async function requireGlobalToken(
  unconnectedApps: () => Promise<unknown>,
  { setting, signal, pauseMs = 1_000 }: { setting: string; signal: AbortSignal; pauseMs?: number },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const error = await unconnectedApps().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error === undefined)
      throw new OperatorError(
        `${setting} holds a personal token: the service would list its owner's apps for everyone. Nothing was sent. Set a global token.`,
      )
    if (!(error instanceof ServiceProblem)) throw error
    if (isTokenRejected(error)) return
    const { requestedWait = 0, status, detail } = error
    // Only a 503 may pass.
    if (status !== 503 || tries >= MAX_TRIES || requestedWait > MAX_WAIT_SECONDS)
      throw new OperatorError(
        `couldn't make sure that ${setting} is a global token: ${detail}. Nothing was sent.`,
        { cause: error },
      )
    await sleep(Math.max(requestedWait * 1_000, pauseMs * 2 ** (tries - 1)), undefined, { signal })
  }
}
