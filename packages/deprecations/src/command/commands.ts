// Defines the commands `onramp deprecations …` and `onramp-deprecations …`. Their code is loaded on use.
import type { Command } from '@commander-js/extra-typings'
import { choiceOption, numberOption, textOption, listOption, valueOption } from '@onramp/terminal/arguments'
import { nearestWord, parseChoice, UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import type { DefineCommands } from '@onramp/terminal/shell'
import { readExtendedSchedule, jsonSchemas, readSchedule } from '../schedule/files.ts'
import { publishedSchedule } from '../schedule/published-schedule.ts'
import { filterEntries, daySchema, dayOf, listJson, type EntryFilter } from '../schedule/schedule.ts'

type SetExitCode = Parameters<DefineCommands>[2]

const MAX_DAYS = 99_999
const FORMATS = ['har', 'ndjson', 'openapi', 'log'] as const
const EXITS = '\nExit codes: 0 success, 1 unreadable file, 2 usage error.'

const asOfOption = () =>
  valueOption('--as-of <DATE>', 'use this date as today (YYYY-MM-DD, UTC)', (date) => {
    if (daySchema.safeParse(date).success) return date
    throw new UsageError('--as-of expects a date, such as --as-of 2027-01-15')
  })
const scheduleOption = () => listOption('--schedule <FILE>', 'add your own entries; see the command schema')

const withFilters = (command: Command) =>
  command
    .addOption(asOfOption())
    .addOption(
      numberOption('--within <DAYS>', 'only items to be removed in the next DAYS days', [0, MAX_DAYS]),
    )
    .addOption(choiceOption('--api <API>', 'only items of this API', ['client', 'indexing']))
    .addOption(textOption('--operation <TEXT>', 'only operations whose method or path contains TEXT'))
    .addOption(scheduleOption())
    .addHelpText('after', EXITS)

/** @throws {InputFault} */
function chooseEntries(
  { asOf, schedule, ...options }: Partial<EntryFilter> & { schedule?: string[] | undefined },
  { now }: CommandContext,
) {
  const filter = { ...options, asOf: asOf ?? dayOf(new Date(now())) }
  return { filter, entries: filterEntries(readExtendedSchedule(schedule), filter) }
}

/** @param group `deprecations` of onramp, or this package's own program */
export function addCommands(group: Command, context: CommandContext, exit: SetExitCode): void {
  const name = group.parent === null ? group.name() : `${group.parent.name()} ${group.name()}`
  group.description(
    `Find uses of deprecated APIs. The list has what the Client and Indexing APIs are
removing. Items keep working until the day before their removal date (UTC).

Examples:
  ${name} list --within 90          removals in 90 days
  ${name} check traffic.har         find deprecated APIs in traffic
  ${name} calendar > removals.ics   removal dates for your calendar`,
  )
  addList(group, name, context)
  addCheck(group, name, context, exit)
  addCalendar(group, name, context)
  addDiff(group, name, context, exit)
  addSchema(group, name, context)
}

function addList(group: Command, name: string, context: CommandContext): void {
  withFilters(group.command('list', { isDefault: true }))
    .description(
      `List the schedule by removal date (the default command).

Examples:
  ${name} list --operation chat --as-of 2026-10-01`,
    )
    .option('--json', 'machine-readable output, in the form of a schedule file')
    // Commander passes a mistyped command to the default one.
    .allowExcessArguments()
    .action(async ({ json, ...options }, { args: [typed] }) => {
      const names = group.commands.map((command) => command.name())
      const nearestName = typed === undefined ? undefined : nearestWord(typed, names)
      if (nearestName !== undefined) throw new UsageError(`unknown command; did you mean ${nearestName}?`)
      if (typed !== undefined) throw new UsageError('unknown command')
      const { filter, entries } = chooseEntries(options, context)
      const { list } = await import('./list.ts')
      if (json) writeJson(context, listJson(entries, filter.asOf))
      else list(entries, filter, context)
    })
}

function addCheck(group: Command, name: string, context: CommandContext, exit: SetExitCode): void {
  group
    .command('check')
    .description(
      `Find deprecated APIs in recorded traffic, from files or standard input. Hosts
and path prefixes are ignored. Prints locations only, never values.

Examples:
  ${name} check traffic.har --within 60 --waivers waivers.json
  ${name} check openapi.yaml --json > deprecations.json
  gunzip -c access.log.gz | ${name} check -

Input formats:
  HAR 1.2 (256 MiB), OpenAPI 3 (JSON or YAML, 8 MiB; nothing is fetched), access
  logs with requests like "GET / HTTP/1.1" or #Fields:, and NDJSON, one a line:
  {"method", "url", "request"?, "response"?, "status"?, "time"?}
Bodies are JSON, or JSON Lines. Any other is not read.`,
    )
    .argument('[FILE...]')
    .addOption(
      choiceOption(
        '--fail-on <LEVEL>',
        'what fails the check (use: not items that only may be in use; removed: in use, and gone already)',
        ['possible', 'use', 'removed', 'never'],
      ).default('possible' as const),
    )
    .addOption(
      numberOption('--within <DAYS>', 'ignore items removed more than DAYS days from now', [0, MAX_DAYS]),
    )
    .addOption(asOfOption())
    .addOption(textOption('--waivers <FILE>', 'items you allow until a given date; see the command schema'))
    .addOption(scheduleOption())
    .addOption(choiceOption('--input <FORMAT>', 'read the files in this format (default: detect)', FORMATS))
    .option('--ignore-broken', "report what can't be read, but don't fail the check because of it")
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `
An endpoint counts as in use, and so does a field of the request or of the
object that the operation is about (employee.location). A field of a response
only may be in use, because the service sends it on its own; so may a field of
the same name deeper, and every field of a body that was not seen. A field
inside a replacement (permissions.role) is not the deprecated one.

Exit codes: 0 none found, 2 deprecated or removed API in use, 3 only items that
may be in use, 1 unreadable input or usage error.`,
    )
    .action((files, options) =>
      exit(import('./check.ts').then(({ check }) => check(files, options, context))),
    )
}

function addCalendar(group: Command, name: string, context: CommandContext): void {
  withFilters(group.command('calendar'))
    .description(
      `Print the removal dates as iCalendar, with reminders 30, 7 and 1 days before.
Events keep their UIDs when dates change.

Examples:
  ${name} calendar --api indexing --within 365 > indexing.ics`,
    )
    .action(async (options) => {
      const { toCalendar } = await import('../schedule/calendar.ts')
      context.stdout.write(toCalendar(chooseEntries(options, context).entries))
    })
}

function addDiff(group: Command, name: string, context: CommandContext, exit: SetExitCode): void {
  group
    .command('diff')
    .description(
      `List the changes between two schedules, or to the built-in one.

Examples:
  ${name} list --json > today.json   save a schedule for later
  ${name} diff old.json new.json`,
    )
    .usage('[options] [OLD] NEW')
    .argument('<NEW>')
    .argument('[OLD]')
    .option('--json', 'print the changes as JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 a removal moved earlier (or unreadable file),\n2 usage error.',
    )
    .action((first, second, { json }) => {
      const old = second === undefined ? publishedSchedule : readSchedule(first)
      const now = readSchedule(second ?? first)
      return exit(import('./diff.ts').then(({ diff }) => diff(old, now, json ?? false, context)))
    })
}

function addSchema(group: Command, name: string, context: CommandContext): void {
  group
    .command('schema')
    .description(
      `Print the JSON Schema of schedule and waiver files.

Examples:
  ${name} schema waivers > waivers.schema.json`,
    )
    .argument('[schedule|waivers]')
    .addHelpText('after', '\nExit codes: 0 success, 2 usage error.')
    .action((choice = 'schedule') => {
      const which = parseChoice('the name', choice, ['schedule', 'waivers'])
      writeJson(context, jsonSchemas[which])
    })
}

const writeJson = ({ stdout }: CommandContext, value: unknown) =>
  void stdout.write(`${JSON.stringify(value, null, 2)}\n`)
