#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The command line: finds the command, hands it its arguments, ends with its exit code (0 done, 1 failed, 2 wrong usage).
import { commands } from './commands.ts'
import { nearest } from './nearest.ts'
import type { CliParts } from './parts.ts'

const overview = () => {
  const width = Math.max(...commands.map(({ usage }) => usage.length))
  const lines = commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}   ${summary}`)
  return `Usage: onramp COMMAND [options]\n\n${lines.join('\n')}\n\nEvery command explains itself: onramp COMMAND --help\n`
}

/** @returns the exit code */
export async function main(args: readonly string[], parts: CliParts): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const known = name === undefined ? parts.stderr : parts.stdout
    known.write(overview())
    return name === undefined ? 2 : 0
  }
  const command = commands.find((candidate) => candidate.name === name)
  if (command === undefined) {
    const meant = nearest(
      name,
      commands.map((candidate) => candidate.name),
    )
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
    parts.stderr.write(`onramp: there is no command ${JSON.stringify(name)}.${hint} See onramp --help.\n`)
    return 2
  }
  if ((rest.includes('--help') || rest.includes('-h')) && command.help !== undefined) {
    parts.stdout.write(command.help)
    return 0
  }
  const { run } = await command.load()
  return await run(rest, parts)
}

if (import.meta.main) {
  const { stdin, stdout, stderr, env } = process
  process.exitCode = await main(process.argv.slice(2), { stdin, stdout, stderr, env, now: Date.now })
}
