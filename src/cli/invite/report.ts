// onramp invite report: what was written down of all people, counted, or person by person.
import { peopleCsv } from '../../admin/people-csv.ts'
import { makeReport, type Report } from '../../admin/report.ts'
import { shareOf } from '../../admin/share.ts'
import { noneUnread, remediesFor, unreadInWords, type Unread } from '../../arrivals/unread.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { untilReachable } from '../../records/until-reachable.ts'
import { loadSettings } from '../../settings/settings.ts'
import { openStore } from '../../records/store.ts'
import { createLog } from '../../web/log.ts'
import { readArguments, UsageError } from '@onramp/deprecations/command-line/arguments'
import { fitted } from '@onramp/deprecations/command-line/terminal'
import { explained } from './endings.ts'
import { arrivalsIn, storeOf } from './set-up.ts'
import type { Run } from '@onramp/deprecations/command-line/parts'

const options = { json: { type: 'boolean' }, csv: { type: 'boolean' } } as const

export const run: Run = async (args, { env, stdout, stderr, now }) => {
  const { values } = readArguments(args, options, 0)
  if (values.json && values.csv) throw new UsageError('--json and --csv are two forms; choose one')
  const settings = loadSettings(env)
  const store = openStore(settings, createLog('silent'))
  return await explained({ stderr }, 'invite report', async () => {
    try {
      await untilReachable(store.records)
      const arrivals = arrivalsIn(store.records, settings, now)
      const unread = noneUnread()
      if (values.csv) for await (const line of peopleCsv(arrivals.all(unread))) stdout.write(line)
      else {
        const report = await makeReport(arrivals.all(unread), now(), unread)
        stdout.write(values.json ? `${JSON.stringify(report)}\n` : inWords(report, storeOf(settings)))
      }
      stderr.write(unreadWarning(unread))
      return 0
    } finally {
      await store.close()
    }
  })
}

/** Beside the report, so that a file of it stays what it is. */
function unreadWarning(unread: Unread): string {
  const records = unreadInWords(unread)
  if (records === undefined) return ''
  return `onramp invite report: not counted: ${records}.\n${remediesFor(unread)
    .map((remedy) => `  - ${remedy}\n`)
    .join('')}`
}

function inWords(report: Report, store: string): string {
  if (report.people === 0) return `Nothing is written down about anybody (${store}).\n`
  const rows: [string, number][] = [
    ['people', report.people],
    ['invited by mail', report.invited],
    ['reminded', report.reminded],
    ['pressed Start', report.opened],
    ['signed in', report.signedIn],
    [`ready to search (${shareOf(report.ready, report.people)} of these people)`, report.ready],
    ['have connected everything', report.finished],
    ['had nothing to connect', report.nothing],
    ['put something off', report.skipped],
    ['wait for an administrator', report.blocked],
    ['want no reminders', report.optedOut],
    ['put off by the mail server', report.deferred],
    ['refused by the mail server', report.failed],
    ['may or may not have got a mail', report.uncertain],
  ]
  const people = rows.map(([what, count]) => line(count, what)).join('')
  const sources = report.datasources.slice(0, MAX_SOURCES).map(({ instance, name, counts }) => {
    const { connected, waiting, skipped, blocked } = counts
    const figures = [connected, waiting, skipped, blocked]
      .map((count) => inFigures(count).padStart(9))
      .join('')
    return `${figures}  ${fitted(`${printable(name)} [${printable(instance)}]`, NAME_COLUMNS).trimEnd()}\n`
  })
  const more = report.datasources.length - MAX_SOURCES
  if (more > 0) sources.push(`${' '.repeat(38)}and ${more} more: --json\n`)
  const groups = report.groups
    .map(({ name, people: all, ready }) =>
      line(
        ready,
        `of ${inFigures(all)} in ${name === undefined ? 'groups of fewer than five' : printable(name)}`,
      ),
    )
    .join('')
  const oldest =
    report.asOf === undefined ? 'no one was asked about yet' : `as of ${report.asOf} at the oldest`
  return [
    `Made ${report.madeAt}; ${oldest} (${store}).\n`,
    people,
    ...(sources.length === 0 ? [] : [SOURCES_HEAD + sources.join('')]),
    ...(groups === ''
      ? []
      : [`Ready to search (connected everything, or had nothing to connect):\n${groups}`]),
  ].join('\n')
}

const MAX_SOURCES = 20
const NAME_COLUMNS = 41
const SOURCES_HEAD = 'connected  waiting  not now    admin  datasource\n'

const inFigures = (count: number) => count.toLocaleString('en')

const line = (count: number, what: string) => `${inFigures(count).padStart(9)}  ${what}\n`
