#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The command `onramp`: looks at the version of Node first, then runs main.ts.
import '../require-node.mjs'

const { runHere } = await import('./main.ts')
await runHere()
