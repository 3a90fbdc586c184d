#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// Runs the command line; commands.ts has the commands. An expected failure is printed as one line with its remedy.
import '../require-node.mjs'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { describeFailure, runCommand, runInProcess, withPeriod } from '@onramp/terminal/shell'
import { PersonUnreadable } from '../people/people-store.ts'
import { OperatorError } from '../problem.ts'
import { StoreUnavailable, StoreUnreadable } from '../records/records.ts'
import { EXIT_SETTINGS, SettingsError } from '../settings/settings.ts'
import { onramp } from './commands.ts'

const endingOfOnramp: typeof describeFailure = (error, name) => {
  if (error instanceof OperatorError)
    return { message: `${name}: ${printable(error.message)}\n`, exitCode: 1 }
  if (error instanceof StoreUnavailable || error instanceof PersonUnreadable)
    return { message: `${name}: ${printable(error.detail)}\n`, exitCode: 1 }
  if (error instanceof StoreUnreadable)
    return { message: `${name}: ${withPeriod(error.detail)}\n`, exitCode: EXIT_SETTINGS }
  if (!(error instanceof SettingsError)) return describeFailure(error, name)
  const words = error.faults.length === 1 ? withPeriod(error.message) : error.message
  return { message: `${name}: ${words}\n`, exitCode: EXIT_SETTINGS }
}

export const main = (args: readonly string[], context: CommandContext): Promise<number> =>
  runCommand(onramp, args, context, endingOfOnramp)

export const runOnramp = (): Promise<void> => runInProcess(onramp, endingOfOnramp)

if (import.meta.main) await runOnramp()
