// Ends the work for a browser that has left: any web page can open ours by the hundred, and drop each at once.
import type { Response } from 'express'

/** Not a failure, so it isn't logged. */
export class BrowserGone extends Error {}

export function browserGoneSignal(res: Response): AbortSignal {
  const leaving = new AbortController()
  const leave = () => res.writableFinished || leaving.abort(new BrowserGone())
  if (res.closed) leave()
  else res.once('close', leave)
  return leaving.signal
}
