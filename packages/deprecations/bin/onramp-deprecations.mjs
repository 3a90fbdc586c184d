#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The command `onramp-deprecations`: the same commands as `onramp deprecations`.
import { runHere } from '../src/command-line/shell.ts'
import { onrampDeprecations } from '../src/command/commands.ts'

await runHere(onrampDeprecations)
