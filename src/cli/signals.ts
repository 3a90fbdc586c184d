// Ctrl-C and SIGTERM: what runs until one comes, and what ends its work first.

/** The exit code of what was interrupted. */
export const EXIT_INTERRUPTED = 130

export const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })

/**
 * The first signal lets what is under way end; the second one ends at once.
 * @returns takes the listeners away
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
