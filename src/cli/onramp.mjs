#!/usr/bin/env node
// The command `onramp`: looks at the version of Node first, then runs main.ts. No option for Node in the first line: env
// takes none on Alpine. So what the option would keep quiet, the early SQLite of Node 24, is kept quiet here.
import '../require-node.mjs'

const [print] = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', (warning) => warning.name === 'ExperimentalWarning' || print?.(warning))

const { runOnramp } = await import('./main.ts')
await runOnramp()
