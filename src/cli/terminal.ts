// What a person at the terminal decides: yes before something that can't be undone, and Ctrl-C.
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

type Streams = Pick<CliParts, 'stdin' | 'stderr'>

export const isAtTerminal = ({ stdin, stderr }: Streams): boolean =>
  stdin.isTTY === true && stderr.isTTY === true

/** @param question without "[y/N]" @returns false for anything but yes */
export async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

/** `--yes`, or yes at a terminal. @throws {UsageError} where there is no one to ask */
export async function isSure(yes: boolean | undefined, question: string, streams: Streams): Promise<boolean> {
  if (yes === true) return true
  if (!isAtTerminal(streams)) throw new UsageError('--yes is required without a terminal')
  return await isConfirmed(question)
}

/** The exit code of a command that was interrupted. */
export const EXIT_INTERRUPTED = 130

/** Ctrl-C or SIGTERM, for commands that run until then. */
export const untilSignal = (): Promise<unknown> =>
  Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])

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
