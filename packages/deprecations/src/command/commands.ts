// Every command of the schedule: `onramp deprecations …`, and `onramp-deprecations …` of this package alone.
import type { Action, Group } from '../command-line/shell.ts'
import { calendarHelp, checkHelp, deprecationsHelp, diffHelp, listHelp, schemaHelp } from './help.ts'

const commands: readonly Action[] = [
  { name: 'list', help: listHelp, load: () => import('./list.ts') },
  // Where 2 is a finding, wrong usage ends in 1.
  { name: 'check', help: checkHelp, load: () => import('./check.ts'), wrongUsage: 1 },
  { name: 'calendar', help: calendarHelp, load: () => import('./calendar.ts') },
  { name: 'diff', help: diffHelp, load: () => import('./diff.ts') },
  { name: 'schema', help: schemaHelp, load: () => import('./schema.ts') },
]

export const deprecations: Group = {
  name: 'deprecations',
  help: deprecationsHelp,
  commands,
  standard: 'list',
}

const inOwnName = <T extends { help: string }>(command: T): T => ({
  ...command,
  help: command.help.replaceAll('onramp deprecations', 'onramp-deprecations'),
})

/** The same commands, called by the package's own name. */
export const onrampDeprecations: Group = {
  ...inOwnName(deprecations),
  name: 'onramp-deprecations',
  commands: commands.map(inOwnName),
}
