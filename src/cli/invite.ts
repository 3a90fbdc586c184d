// onramp invite: link, send and report, each in a file of its own.
import { nearest } from './nearest.ts'
import type { CliParts, Run } from './parts.ts'

const help = `Usage: onramp invite COMMAND [options]

  link EMAIL          a link for one person, to paste into a message
  send PEOPLE.csv     mails everybody who still has something to connect
  report              who was invited, arrived, and is done

Each explains itself: onramp invite send --help
`

const commands: Record<string, () => Promise<{ run: Run }>> = {
  link: () => import('./invite-link.ts'),
  send: () => import('./invite-send.ts'),
  report: () => import('./invite-report.ts'),
}

export const run: Run = async ([name, ...args]: string[], parts: CliParts) => {
  if (name === '--help' || name === '-h' || name === 'help') {
    parts.stdout.write(help)
    return 0
  }
  const command = name === undefined ? undefined : commands[name]
  if (command === undefined) {
    const meant = nearest(name ?? '', Object.keys(commands))
    const hint = meant === undefined || name === undefined ? '' : `Did you mean invite ${meant}?\n`
    parts.stderr.write(
      name === undefined ? help : `onramp invite: no command ${JSON.stringify(name)}. ${hint}`,
    )
    return 2
  }
  const { run: runCommand } = await command()
  return await runCommand(args, parts)
}
