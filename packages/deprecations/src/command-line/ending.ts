// How a command ends after wrong usage, or with files that it cannot read: one message, one exit code.
import { UsageError } from './arguments.ts'
import { InputFault } from './input-fault.ts'

export type Ending = { words: string; exit: number }

/**
 * @param name the command with its subcommand, as it was called: `onramp invite send`
 * @param wrongUsage the exit code of a {@link UsageError}
 * @returns undefined for any other error: a mistake of the program
 */
export type EndingOf = (error: unknown, name: string, wrongUsage?: number) => Ending | undefined

export const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`)

export const endingOf: EndingOf = (error, name, wrongUsage = 2) => {
  if (error instanceof UsageError)
    return { words: `${name}: ${sentence(error.message)} See ${name} --help.\n`, exit: wrongUsage }
  if (error instanceof InputFault) return { words: `${name}: ${error.message}\n`, exit: 1 }
  return undefined
}
