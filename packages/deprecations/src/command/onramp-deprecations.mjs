#!/usr/bin/env node
// The program `onramp-deprecations`, with the commands of `onramp deprecations`. An older Node can read this file,
// but not the files that it runs.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 3)) {
  process.stderr.write(
    `onramp-deprecations needs Node 24.3 or newer; this is Node ${process.versions.node}. Install a newer one: https://nodejs.org\n`,
  )
  process.exit(1)
}

const { readFileSync } = await import('node:fs')
const { runInProcess } = await import('@onramp/terminal/shell')
const { addCommands } = await import('./commands.ts')
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
await runInProcess((program, parts, exit) =>
  addCommands(
    program.name('onramp-deprecations').version(version, '--version', 'print the version'),
    parts,
    exit,
  ),
)
