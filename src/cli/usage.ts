// What commands share in reading their arguments and settings: the words for what is wrong, and the exit codes.
import { loadSettings, SettingsError, type Settings } from '../settings.ts'
import type { CliParts } from './parts.ts'

/** sysexits.h: the configuration is faulty. */
const EXIT_CONFIG = 78

/** The command was called in a way that makes no sense; the message says how to mend it. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** @throws {UsageError} */
export function wholeNumberOf(name: string, text: string, [least, most]: readonly [number, number]): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}`)
}

/** parseArgs says what it did not understand in words for people; anything else is a fault of ours. */
const isMisuse = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

type Work = (settings: Settings) => Promise<number>

export type CommandWords = { name: string; help: string; args: readonly string[] }

/**
 * Reads the arguments, then the settings, then works; misuse and faulty settings are told, not thrown.
 * @param prepare reads the arguments. @throws {UsageError}
 */
export async function runCommand(
  { name, help, args }: CommandWords,
  { env, stdout, stderr }: Pick<CliParts, 'env' | 'stdout' | 'stderr'>,
  prepare: () => Work,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    stdout.write(help)
    return 0
  }
  try {
    const work = prepare()
    return await work(loadSettings(env))
  } catch (error) {
    if (error instanceof SettingsError) {
      const faults = error.faults.map((fault) => `  - ${fault}\n`).join('')
      stderr.write(`onramp ${name}: ${error.faults.length} settings need mending.\n${faults}`)
      return EXIT_CONFIG
    }
    if (!isMisuse(error)) throw error
    stderr.write(`onramp ${name}: ${error.message}\nSee onramp ${name} --help.\n`)
    return 2
  }
}
