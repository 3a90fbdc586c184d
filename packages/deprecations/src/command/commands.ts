// Every command of the schedule: `onramp deprecations …`, and `onramp-deprecations …` of this package alone. The code of a
// command is loaded when it is called.
import { readFileSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import {
  text,
  texts,
  UsageError,
  valued,
  wholeNumber,
  word,
  wordOf,
  nearest,
} from '../command-line/arguments.ts'
import type { CliParts } from '../command-line/parts.ts'
import type { Define, Exit } from '../command-line/shell.ts'
import { extendedSchedule, jsonSchemas, readSchedule } from '../schedule/files.ts'
import { publishedSchedule } from '../schedule/published-schedule.ts'
import { chooseEntries, dayOf, isDay, type Choice } from '../schedule/schedule.ts'

const MAX_DAYS = 99_999
const formats = ['har', 'ndjson', 'openapi', 'log'] as const
const EXITS = '\nExit codes: 0 success, 1 unreadable file, 2 usage error.'

const asOf = () =>
  valued('--as-of <DATE>', 'use this date as today (YYYY-MM-DD, UTC)', (date) => {
    if (isDay(date)) return date
    throw new UsageError('--as-of expects a date, such as --as-of 2027-01-15')
  })
const within = () =>
  wholeNumber('--within <DAYS>', 'only items to be removed in the next DAYS days', [0, MAX_DAYS])
const api = () => word('--api <API>', 'only items of this API', ['client', 'indexing'])
const operation = () => text('--operation <TEXT>', 'only operations whose method or path contains TEXT')
const schedule = () => texts('--schedule <FILE>', 'add your own entries; see the command schema')

/** @throws {InputFault} */
function chosenFrom(
  { asOf, schedule, ...options }: Partial<Choice> & { schedule?: string[] | undefined },
  { now }: CliParts,
) {
  const choice = { ...options, asOf: asOf ?? dayOf(new Date(now())) }
  return { choice, entries: chooseEntries(extendedSchedule(schedule), choice) }
}

/**
 * Adds the sub-commands to the command that they are called by.
 * @param group `deprecations` of onramp, or the program of this package
 */
export function addCommands(group: Command, parts: CliParts, exit: Exit): void {
  const name = group.parent === null ? group.name() : `${group.parent.name()} ${group.name()}`
  group.summary('find uses of deprecated APIs').description(
    `Lists what the Client and Indexing APIs are removing, and finds where you use
it. Items keep working until the day before their removal date (UTC).

Examples:
  ${name} list                      the schedule, with days left
  ${name} list --within 90 --csv    removals in 90 days, as CSV
  ${name} check traffic.har         find deprecated APIs in traffic
  ${name} calendar > removals.ics   removal dates for your calendar
  ${name} diff old.json new.json    changes between two schedules`,
  )

  group
    .command('list', { isDefault: true })
    .summary('show the schedule (the default command)')
    .description(
      `Lists the schedule by removal date. With --within, items that are already
removed are left out.

Examples:
  ${name} list --within 90
  ${name} list --api indexing --json
  ${name} list --operation chat --as-of 2026-10-01`,
    )
    .addOption(asOf())
    .addOption(within())
    .addOption(api())
    .addOption(operation())
    .addOption(schedule())
    .option('--json', 'machine-readable output, in the form of a schedule file')
    .option('--csv', 'one row for each item')
    .addHelpText('after', EXITS)
    // Commander hands a mistyped command to the default one.
    .allowExcessArguments()
    .action(async ({ json, csv, ...options }, { args: [typed] }) => {
      if (typed !== undefined) throw unknownCommand(typed, group)
      const { choice, entries } = chosenFrom(options, parts)
      await exit(import('./list.ts').then(({ list }) => list(entries, { ...choice, json, csv }, parts)))
    })

  group
    .command('check')
    .summary('find deprecated APIs in recorded traffic')
    .description(
      `Finds deprecated endpoints and fields in recorded traffic, from files or
standard input. Hosts and path prefixes are ignored. Prints locations only,
never values.

Examples:
  ${name} check traffic.har
  ${name} check requests.ndjson --within 60 --waivers waivers.json
  ${name} check openapi.yaml --sarif > deprecations.sarif
  gunzip -c access.log.gz | ${name} check -
  ${name} check logs/*.ndjson --report sarif=deprecations.sarif

Input formats:
  HAR 1.2      up to 256 MiB
  NDJSON       {"method", "url", "request"?, "response"?, "status"?, "time"?}
               one a line, any number of lines, up to 2 Mi characters each
  OpenAPI 3    JSON or YAML up to 8 MiB, with the files it refers to next to
               and below it; nothing is fetched
  access logs  Common or Combined Log Format; without bodies, so fields of an
               operation that was called only may be in use
Bodies are JSON, or JSON Lines. Any other is not read.`,
    )
    .argument('[FILE...]')
    .addOption(
      word(
        '--fail-on <LEVEL>',
        'what fails the check (use: not items that only may be in use; removed: in use, and gone already)',
        ['possible', 'use', 'removed', 'never'],
      ).default('possible' as const),
    )
    .addOption(
      wholeNumber('--within <DAYS>', 'ignore items removed more than DAYS days from now', [0, MAX_DAYS]),
    )
    .addOption(asOf())
    .addOption(text('--waivers <FILE>', 'items you allow until a given date; see the command schema'))
    .addOption(schedule())
    .addOption(word('--input <FORMAT>', 'read the files in this format (default: detect)', formats))
    .option(
      '--ignore-broken',
      "report unreadable lines, bodies and references, but don't fail the check because of them",
    )
    .option('--json', 'print the report as JSON')
    .option('--sarif', 'print the report as SARIF')
    .addOption(texts('--report <KIND=FILE>', 'write the report as text, json or sarif to a file'))
    .addHelpText(
      'after',
      `
An endpoint counts as in use, and so does a field of the body or of the object
that the operation is about (employee.location). A field of the same name deeper
in the body only may be in use, and so may every field of a body that was not
recorded or could not be read. These fail the check with an exit code of their
own, unless you use --fail-on use. A field inside a replacement
(permissions.role) is not the deprecated one.

The report says "Nothing deprecated is in use" only if everything that matters
was recorded and readable. Each unreadable body or reference is reported with
its line, and the exit code is 1 unless something is in use or you use
--ignore-broken.

Exit codes: 0 none found, 2 deprecated or removed API in use, 3 only items that
may be in use, 1 unreadable input or usage error.`,
    )
    .action((files, options) => exit(import('./check.ts').then(({ run }) => run(files, options, parts))))

  group
    .command('calendar')
    .summary('print the removal dates as iCalendar')
    .description(
      `Prints the removal dates as iCalendar, with reminders 30, 7 and 1 days before.
Events keep their UIDs when dates change.

Examples:
  ${name} calendar > removals.ics
  ${name} calendar --api indexing --within 365 > indexing.ics`,
    )
    .addOption(asOf())
    .addOption(within())
    .addOption(api())
    .addOption(operation())
    .addOption(schedule())
    .addHelpText('after', EXITS)
    .action(async (options) => {
      const { calendarOf } = await import('../schedule/calendar.ts')
      parts.stdout.write(calendarOf(chosenFrom(options, parts).entries))
    })

  group
    .command('diff')
    .summary('list the changes between two schedules')
    .description(
      `Lists the changes between two schedules.

Examples:
  ${name} diff old.json new.json
  ${name} diff new.json              compare with the built-in one
  ${name} list --json > today.json   save a schedule for later`,
    )
    .usage('[options] [OLD] NEW')
    .argument('<NEW>')
    .argument('[OLD]')
    .option('--json', 'print the changes as JSON')
    .addHelpText(
      'after',
      `
Exit codes: 0 success, 1 a removal moved earlier (or unreadable file),
2 usage error.`,
    )
    .action((first, second, { json }) => {
      const old = second === undefined ? publishedSchedule : readSchedule(first)
      const now = readSchedule(second ?? first)
      return exit(import('./diff.ts').then(({ diff }) => diff(old, now, json ?? false, parts)))
    })

  group
    .command('schema')
    .summary('print the JSON Schema of schedule and waiver files')
    .description(
      `Prints the JSON Schema of schedule and waiver files.

Examples:
  ${name} schema > schedule.schema.json
  ${name} schema waivers > waivers.schema.json`,
    )
    .argument('[schedule|waivers]')
    .addHelpText('after', '\nExit codes: 0 success, 2 usage error.')
    .action((name = 'schedule') => {
      const which = wordOf('the name', name, ['schedule', 'waivers'])
      parts.stdout.write(`${JSON.stringify(jsonSchemas[which], null, 2)}\n`)
    })
}

function unknownCommand(typed: string, group: Command): UsageError {
  const meant = nearest(
    typed,
    group.commands.map((command) => command.name()),
  )
  return new UsageError(meant === undefined ? 'unknown command' : `unknown command; did you mean ${meant}?`)
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The same commands, called by the package's own name. */
export const onrampDeprecations: Define = (program, parts, exit) =>
  addCommands(
    program.name('onramp-deprecations').version(version, '--version', 'print the version'),
    parts,
    exit,
  )
