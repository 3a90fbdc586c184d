// Work for a browser that has gone ends: any web page can open ours by the hundred, and drop each at once.
import type { Response } from 'express'

/** No failure, so the log says nothing of it. */
export class BrowserGone extends Error {}

/** @returns aborts with BrowserGone when no one waits for the answer any more */
export function browserGoneSignal(res: Response): AbortSignal {
  const leaving = new AbortController()
  const leave = () => leaving.abort(new BrowserGone())
  if (res.closed) leave()
  else res.once('close', leave)
  return leaving.signal
}
