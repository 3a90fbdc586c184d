#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The command line: every command is in commands.ts.
import '../require-node.mjs'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { runCommand, runHere as runInProcess } from '@onramp/deprecations/command-line/shell'
import { onramp } from './commands.ts'
import { endingOfOnramp } from './ending.ts'

/** @returns the exit code */
export const main = (args: readonly string[], parts: CliParts): Promise<number> =>
  runCommand(onramp, args, parts, endingOfOnramp)

export const runHere = (): Promise<void> => runInProcess(onramp, endingOfOnramp)

if (import.meta.main) await runHere()
