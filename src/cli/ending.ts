// How a command of onramp ends that was given faulty settings; other endings are the command line's own.
import { endingOf, sentence, type EndingOf } from '@onramp/deprecations/command-line/ending'
import { EXIT_SETTINGS, SettingsError } from '../settings/settings.ts'

const settingsInWords = ({ faults }: SettingsError) => {
  const [first = '', ...others] = faults
  if (others.length === 0) return `${sentence(first)}\n`
  return `${faults.length} settings need correcting.\n${faults.map((fault) => `  - ${fault}\n`).join('')}`
}

export const endingOfOnramp: EndingOf = (error, name, wrongUsage) =>
  error instanceof SettingsError
    ? { words: `${name}: ${settingsInWords(error)}`, exit: EXIT_SETTINGS }
    : endingOf(error, name, wrongUsage)
