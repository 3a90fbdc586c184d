// One request and its whole answer over undici's pool, with one time limit for all of it and a bound on its size.
// Redirects are answers like any other.
import type { Dispatcher } from 'undici'
import { createBody } from './body.ts'

export type Exchanged = {
  status: number
  text: string
  headers: Record<string, string | string[] | undefined>
}

/** @throws when there is no connection, the limit (milliseconds) is over, or the answer is larger than 1 MiB */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  timeLimitMs: number,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const body = createBody()
    const answer: Exchanged = { status: 0, text: '', headers: {} }
    let underWay: Dispatcher.DispatchController | undefined
    let late: Error | undefined
    const timer = setTimeout(() => {
      late = Object.assign(new Error(`no whole answer within ${timeLimitMs} ms`), { name: 'TimeoutError' })
      underWay?.abort(late)
      reject(late)
    }, timeLimitMs)
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        underWay = controller
        if (late !== undefined) controller.abort(late)
      },
      onResponseStart(_controller, status, headers) {
        answer.status = status
        answer.headers = headers
      },
      onResponseData(controller, chunk) {
        const excess = body.add(chunk)
        if (excess !== undefined) controller.abort(excess)
      },
      onResponseEnd() {
        clearTimeout(timer)
        answer.text = body.text()
        resolve(answer)
      },
      onResponseError(_controller, error) {
        clearTimeout(timer)
        reject(error)
      },
    })
  })
}
