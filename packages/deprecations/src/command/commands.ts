// Every command of the schedule: `onramp deprecations …`, and `onramp-deprecations …` of this package alone.
import { readFileSync } from 'node:fs'
import type { Action, Group } from '../command-line/shell.ts'
import { calendarHelp, checkHelp, deprecationsHelp, diffHelp, listHelp, schemaHelp } from './help.ts'

const ofSchedule = (name: 'list' | 'calendar' | 'diff' | 'schema', help: string): Action => ({
  name,
  help,
  load: async () => ({ run: (await import('./schedule.ts'))[name] }),
})

export const deprecations = {
  name: 'deprecations',
  help: deprecationsHelp,
  commands: [
    ofSchedule('list', listHelp),
    // Where 2 is a finding, wrong usage ends in 1.
    { name: 'check', help: checkHelp, load: () => import('./check.ts'), wrongUsage: 1 },
    ofSchedule('calendar', calendarHelp),
    ofSchedule('diff', diffHelp),
    ofSchedule('schema', schemaHelp),
  ],
  standard: 'list',
} satisfies Group

const inOwnName = <T extends { help: string }>(command: T): T => ({
  ...command,
  help: command.help.replaceAll('onramp deprecations', 'onramp-deprecations'),
})

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The same commands, called by the package's own name. */
export const onrampDeprecations: Group = {
  ...inOwnName(deprecations),
  name: 'onramp-deprecations',
  version,
  commands: deprecations.commands.map(inOwnName),
}
