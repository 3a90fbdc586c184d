#!/usr/bin/env node
// The command `onramp`: checks the version of Node, then runs main.ts. The first line has no options for Node, because
// env on Alpine accepts none, so the warning about SQLite in Node 24 is suppressed here.
import '../require-node.mjs'

const [print] = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', (warning) => warning.name === 'ExperimentalWarning' || print?.(warning))

const { runOnramp } = await import('./main.ts')
await runOnramp()
