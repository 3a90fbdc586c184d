// onramp invite report: what was written down of everybody, counted, or person by person.
import { peopleCsv } from '../invites/people-csv.ts'
import { makeReport, type Report } from '../invites/report.ts'
import { printable } from '../printable.ts'
import { untilReachable } from '../records/until-reachable.ts'
import { loadSettings } from '../settings.ts'
import { openStore } from '../store.ts'
import { createLog } from '../web/log.ts'
import { readArguments, UsageError } from './arguments.ts'
import { fitted } from './terminal.ts'
import { explained } from './invite-endings.ts'
import { arrivalsIn, storeOf } from './invite-set-up.ts'
import type { Run } from './parts.ts'

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
      if (values.csv) for await (const line of peopleCsv(arrivals.all())) stdout.write(line)
      else {
        const report = await makeReport(arrivals.all(), now())
        stdout.write(values.json ? `${JSON.stringify(report)}\n` : inWords(report, storeOf(settings)))
      }
      return 0
    } finally {
      await store.close()
    }
  })
}

function inWords(report: Report, store: string): string {
  if (report.people === 0) return `Nothing is written down about anybody (${store}).\n`
  const rows: [string, number][] = [
    ['people', report.people],
    ['invited by mail', report.invited],
    ['reminded', report.reminded],
    ['pressed Start', report.opened],
    ['signed in', report.signedIn],
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
  const sources = report.datasources.slice(0, MOST_SOURCES).map(({ instance, name, counts }) => {
    const { connected, waiting, skipped, blocked } = counts
    const figures = [connected, waiting, skipped, blocked]
      .map((count) => inFigures(count).padStart(9))
      .join('')
    return `${figures}  ${fitted(`${printable(name)} [${printable(instance)}]`, NAME_COLUMNS).trimEnd()}\n`
  })
  const more = report.datasources.length - MOST_SOURCES
  if (more > 0) sources.push(`${' '.repeat(38)}and ${more} more: --json\n`)
  const groups = report.groups
    .map(({ name, people: all, finished }) =>
      line(
        finished,
        `of ${inFigures(all)} in ${name === undefined ? 'groups of fewer than five' : printable(name)}`,
      ),
    )
    .join('')
  const oldest =
    report.asOf === undefined ? 'nobody was asked about yet' : `as of ${report.asOf} at the oldest`
  return [
    `Made ${report.madeAt}; ${oldest} (${store}).\n`,
    people,
    ...(sources.length === 0 ? [] : [SOURCES_HEAD + sources.join('')]),
    ...(groups === '' ? [] : [`Have connected everything:\n${groups}`]),
  ].join('\n')
}

const MOST_SOURCES = 20
const NAME_COLUMNS = 41
const SOURCES_HEAD = 'connected  waiting  not now    admin  datasource\n'

const inFigures = (count: number) => count.toLocaleString('en')

const line = (count: number, what: string) => `${inFigures(count).padStart(9)}  ${what}\n`
