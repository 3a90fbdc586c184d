// onramp invite report: what was written down of everybody, counted, or person by person.
import { peopleCsv } from '../invites/people-csv.ts'
import { makeReport, type Report } from '../invites/report.ts'
import { printable } from '../printable.ts'
import { untilReachable } from '../records/until-reachable.ts'
import { loadSettings } from '../settings.ts'
import { openStore } from '../store.ts'
import { createLog } from '../web/log.ts'
import { readArguments, UsageError } from './arguments.ts'
import { explained } from './invite-endings.ts'
import { arrivalsIn } from './invite-set-up.ts'
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
        stdout.write(values.json ? `${JSON.stringify(report)}\n` : inWords(report))
      }
      return 0
    } finally {
      await store.close()
    }
  })
}

function inWords(report: Report): string {
  const rows: [string, number][] = [
    ['people', report.people],
    ['invited by mail', report.invited],
    ['reminded', report.reminded],
    ['pressed Start', report.opened],
    ['signed in', report.signedIn],
    ['have nothing left to connect', report.finished],
    ['put something off', report.skipped],
    ['wait for an administrator', report.blocked],
    ['want no reminders', report.optedOut],
    ['may or may not have got a mail', report.uncertain],
  ]
  const people = rows.map(([what, count]) => `${String(count).padStart(8)}  ${what}\n`).join('')
  const sources = report.datasources
    .map(({ instance, name, counts }) => {
      const { connected, waiting, skipped, blocked } = counts
      return `${String(connected).padStart(8)}  ${printable(name)} [${printable(instance)}]: ${waiting} waiting, ${skipped} not now, ${blocked} wait for an administrator\n`
    })
    .join('')
  return `As of ${report.asOf ?? 'never'}\n\n${people}\nConnected:\n${sources}`
}
