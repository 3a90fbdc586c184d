// How a command reads its options, and says that it was called wrongly.
import { parseArgs, type ParseArgsConfig, type ParseArgsOptionsConfig } from 'node:util'
import { nearest } from './nearest.ts'
import type { CliParts, Output } from './parts.ts'

/** Thrown when a command is called in a way that it does not know; the message says what would do. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Whether an output takes colours: a terminal, and nobody said NO_COLOR (no-color.org). */
export const takesColours = (output: Output, env: CliParts['env']): boolean =>
  output.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'

const optionIn = (message: string) => /'(-[^' ]+)/.exec(message)?.[1] ?? ''

/** Parses arguments as node:util does, but says what is wrong in one line. @throws {UsageError} */
export function parseOptions<O extends ParseArgsOptionsConfig>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true } satisfies ParseArgsConfig)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    const option = optionIn(message)
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw new UsageError(message.split(/\.?\n|\. /)[0], { cause: error })
    const meant = nearest(
      option,
      Object.keys(options).map((name) => `--${name}`),
    )
    throw new UsageError(`unknown option ${option}${meant === undefined ? '' : `; did you mean ${meant}?`}`, {
      cause: error,
    })
  }
}
