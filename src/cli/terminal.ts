// Confirmation prompts, and Ctrl-C.
import { createInterface } from 'node:readline/promises'
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { StoreUnavailable } from '../records/records.ts'

/**
 * True with `--yes`, or after yes at the terminal. Otherwise prints that nothing was done.
 * @param question without "[y/N]"
 * @throws {UsageError} without a terminal
 */
export async function confirm(
  yes: boolean | undefined,
  question: string,
  streams: Pick<CommandContext, 'stdin' | 'stderr'>,
): Promise<boolean> {
  if (yes === true) return true
  if (!streams.stdin.isTTY || !streams.stderr.isTTY)
    throw new UsageError('--yes is required without a terminal')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close())
  if (/^y(es)?$/i.test(answer.trim())) return true
  streams.stderr.write('Nothing was done.\n')
  return false
}

const EXIT_INTERRUPTED = 130

/** The first signal lets work in progress finish; the second one ends the process. @returns the exit code */
export async function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController()
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(EXIT_INTERRUPTED)
    stop.abort()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    const code = await work(stop.signal)
    return stop.signal.aborted ? EXIT_INTERRUPTED : code
  } catch (error) {
    // The signal caused this, not the store.
    const isEnd = error instanceof StoreUnavailable || (error instanceof Error && error.name === 'AbortError')
    if (stop.signal.aborted && isEnd) return EXIT_INTERRUPTED
    throw error
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
