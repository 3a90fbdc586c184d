// How a command ends that was called wrongly, or given settings or files that need mending: one message, one exit code.
import { InputFault } from '../deprecations/input-fault.ts'
import { EXIT_SETTINGS, SettingsError } from '../settings.ts'
import { UsageError } from './arguments.ts'

export type Ending = { words: string; exit: number }

const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`)

const settingsInWords = ({ faults }: SettingsError) => {
  const [first = '', ...others] = faults
  if (others.length === 0) return `${sentence(first)}\n`
  return `${faults.length} settings need mending.\n${faults.map((fault) => `  - ${fault}\n`).join('')}`
}

/**
 * @param name the command with its subcommand, as it was called: `onramp invite send`
 * @param wrongUsage the exit code of a {@link UsageError}
 * @returns undefined for any other error: a mistake of onramp
 */
export function endingOf(error: unknown, name: string, wrongUsage = 2): Ending | undefined {
  if (error instanceof UsageError)
    return { words: `${name}: ${sentence(error.message)} See ${name} --help.\n`, exit: wrongUsage }
  if (error instanceof SettingsError)
    return { words: `${name}: ${settingsInWords(error)}`, exit: EXIT_SETTINGS }
  if (error instanceof InputFault) return { words: `${name}: ${error.message}\n`, exit: 1 }
  return undefined
}
