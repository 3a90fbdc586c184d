// onramp invite report: prints the counts of everyone on record, or a row for each person.
import { peopleCsv } from '../../admin/people-csv.ts'
import { describeUnreadable } from '../../admin/overview.ts'
import { summarizeAll } from '../../admin/person-summary.ts'
import { createReport, type Report } from '../../admin/report.ts'
import { printable } from '@onramp/terminal/printable'
import { loadSettingsWithoutClient } from '../../settings/settings.ts'
import { fitToColumns } from '@onramp/terminal/terminal'
import { openKeepState, openPeople, storeLabel, withStore } from '../store.ts'
import { loadCompanyOf } from './email.ts'
import type { CommandContext } from '@onramp/terminal/command-context'

export async function report(
  { json, csv }: { json?: boolean; csv?: boolean },
  { env, stdout, stderr, now }: CommandContext,
): Promise<number> {
  const settings = loadSettingsWithoutClient(env)
  const company = loadCompanyOf(settings)
  return await withStore(settings, async (records) => {
    let unreadable = 0
    const people = openPeople({ records, settings, now }, company).all(() => unreadable++)
    const state = await openKeepState(records, settings).load()
    const summaries = summarizeAll(people, state)
    if (csv) for await (const row of peopleCsv(summaries)) stdout.write(row)
    else {
      const counts = await createReport(summaries, now(), { state, unreadable: () => unreadable })
      const {
        lostByDay: _lostByDay,
        newByDay: _newByDay,
        isNoneLeft: _isNoneLeft,
        lastFailed: _lastFailed,
        ...printed
      } = counts
      stdout.write(json ? `${JSON.stringify(printed)}\n` : formatReport(counts, storeLabel(settings)))
    }
    if (unreadable > 0)
      stderr.write(`onramp invite report: not included: ${describeUnreadable(unreadable)}.\n`)
    return 0
  })
}

const formatCount = (count: number) => count.toLocaleString('en').padStart(9)
const line = (count: number, label: string) => `${formatCount(count)}  ${label}\n`

function formatReport(counts: Report, store: string): string {
  if (counts.people === 0) return `No data ${counts.unread > 0 ? 'that can be read' : 'yet'} (${store}).\n`
  const minute = (date: string) => `${date.slice(0, 16).replace('T', ' ')} UTC`
  const oldest =
    counts.asOf === undefined ? 'not checked with the service yet' : `oldest data ${minute(counts.asOf)}`
  const { funnel, hadToConnect } = counts
  const people = [
    line(counts.people, 'people'),
    line(hadToConnect, 'had something to connect'),
    line(counts.nothing, 'had nothing to connect'),
    line(counts.unchecked, 'not checked yet'),
    line(counts.reminded, 'reminded'),
    line(counts.skipped, 'skipped at least one app'),
    line(counts.blocked, 'waiting for an admin'),
    line(counts.optedOut, 'opted out of reminders'),
    line(counts.deferred, 'email delayed by the mail server'),
    line(counts.failed, 'rejected by the mail server'),
    line(counts.uncertain, 'delivery unknown'),
  ]
  const stages = [
    line(funnel.invited, 'invited by email'),
    line(funnel.opened, 'opened the invitation'),
    line(funnel.signedIn, 'signed in'),
    line(funnel.connecting, 'connected a first app'),
    line(funnel.finished, 'fully connected'),
  ]
  const groups = counts.groups.map(({ name = 'groups of fewer than five', finished, hadToConnect: all }) =>
    line(finished, `of ${all.toLocaleString('en')} in ${printable(name)}`),
  )
  const parts = [
    [`Report generated ${minute(counts.madeAt)};\n${oldest} (${store}).\n`],
    people,
    withHead(`Of the ${hadToConnect.toLocaleString('en')} people who had something to connect:\n`, stages),
    withHead('connected  waiting  skipped    admin  app\n', appsIn(counts)),
    withHead('Fully connected, of the people who had something to connect:\n', groups),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join(''))
    .join('\n')
}

const withHead = (head: string, lines: string[]) => (lines.length === 0 ? [] : [head, ...lines])

const MAX_APPS = 20
const NAME_COLUMNS = 41

function appsIn({ datasources }: Report): string[] {
  const rows = datasources.slice(0, MAX_APPS).map(({ instance, name, counts }) => {
    const figures = [counts.connected, counts.waiting, counts.skipped, counts.blocked].map(formatCount)
    const shownName = fitToColumns(`${printable(name)} [${printable(instance)}]`, NAME_COLUMNS).trimEnd()
    return `${figures.join('')}  ${shownName}\n`
  })
  const moreApps = datasources.length - MAX_APPS
  return moreApps > 0 ? [...rows, `${' '.repeat(38)}and ${moreApps} more (use --json)\n`] : rows
}
