#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The command line: every command is in commands.ts. A failure that was expected ends it in one line that says what to do.
import '../require-node.mjs'
import type { CliParts } from '@onramp/terminal/parts'
import { printable } from '@onramp/terminal/printable'
import {
  endingOf,
  runCommand,
  runHere as runInProcess,
  sentence,
  type EndingOf,
} from '@onramp/terminal/shell'
import { Explained } from '../problem.ts'
import { StoreUnavailable, StoreUnreadable } from '../records/records.ts'
import { EXIT_SETTINGS, SettingsError } from '../settings/settings.ts'
import { onramp } from './commands.ts'

const endingOfOnramp: EndingOf = (error, name) => {
  if (error instanceof Explained) return { words: `${name}: ${printable(error.message)}\n`, exit: 1 }
  if (error instanceof StoreUnavailable) return { words: `${name}: ${printable(error.detail)}\n`, exit: 1 }
  if (error instanceof StoreUnreadable)
    return { words: `${name}: ${sentence(error.detail)}\n`, exit: EXIT_SETTINGS }
  if (!(error instanceof SettingsError)) return endingOf(error, name)
  const words = error.faults.length === 1 ? sentence(error.message) : error.message
  return { words: `${name}: ${words}\n`, exit: EXIT_SETTINGS }
}

/** @returns the exit code */
export const main = (args: readonly string[], parts: CliParts): Promise<number> =>
  runCommand(onramp, args, parts, endingOfOnramp)

export const runHere = (): Promise<void> => runInProcess(onramp, endingOfOnramp)

if (import.meta.main) await runHere()
