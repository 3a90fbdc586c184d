// Limits the wait for work. The work isn't cancelled, and its later failure is ignored.

export class TimedOut extends Error {
  override name = 'TimedOut'
  readonly code = 'ETIMEDOUT'
  constructor(milliseconds: number) {
    super(`no response within ${Math.round(milliseconds)} ms`)
  }
}

/** @throws {TimedOut} if the work takes longer, or its own error */
export const withTimeout = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    // After a blocked event loop, the result may have arrived already; it is read before setImmediate.
    const timer = setTimeout(() => setImmediate(reject, new TimedOut(milliseconds)), milliseconds)
    void work.then(resolve, reject).then(() => clearTimeout(timer))
  })
