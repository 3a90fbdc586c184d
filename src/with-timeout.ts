// Limits the wait for work. The work isn't cancelled, and its later failure is ignored.

export class TimedOut extends Error {
  override name = 'TimedOut'
  readonly code = 'ETIMEDOUT'
  constructor(milliseconds: number) {
    super(`no response within ${Math.round(milliseconds)} ms`)
  }
}

/** A busy process is late to each step, so its own work doesn't count as the other side's. */
const STEP_MS = 100

/** @throws {TimedOut} if the work takes longer, or its own error */
export const withTimeout = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout
    const wait = (msLeft: number) => {
      // After a blocked event loop, the result may have arrived already; it is read before setImmediate.
      if (msLeft <= 0) setImmediate(reject, new TimedOut(milliseconds))
      else timer = setTimeout(() => wait(msLeft - STEP_MS), Math.min(msLeft, STEP_MS))
    }
    wait(milliseconds)
    void work.then(resolve, reject).then(() => clearTimeout(timer))
  })
