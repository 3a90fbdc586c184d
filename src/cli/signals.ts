// Ctrl-C and SIGTERM: for commands that run until one arrives, and for those that finish their work first.
import { once } from 'node:events'

/** The exit code of a command that was interrupted. */
export const EXIT_INTERRUPTED = 130

export const untilSignal = (): Promise<void> =>
  Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => undefined)

/**
 * The first signal lets the work under way finish; the second one ends the process at once.
 * @returns removes the listeners
 */
export function stopOnSignals(stop: AbortController): () => void {
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(EXIT_INTERRUPTED)
    stop.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return () => {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}
