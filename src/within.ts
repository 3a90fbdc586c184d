// Waits for work, but never longer than a time. Nothing is cancelled: the work goes on, and its later failure is ignored.

export class TooSlow extends Error {
  override name = 'TooSlow'
  readonly code = 'ETIMEDOUT'
  constructor(milliseconds: number) {
    super(`no answer within ${Math.round(milliseconds)} ms`)
  }
}

/** @throws {TooSlow} when the work takes longer, or whatever it throws */
export const within = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    // When this process itself was held up, the result may lie there unread: it is read before setImmediate.
    const timer = setTimeout(() => setImmediate(reject, new TooSlow(milliseconds)), milliseconds)
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
