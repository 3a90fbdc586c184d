// onramp invite report: what was written down about everyone, counted, or person by person.
import { peopleCsv } from '../../admin/people-csv.ts'
import { unreadInWords } from '../../admin/overview.ts'
import { profilesOf } from '../../admin/profile.ts'
import { makeReport, type Report } from '../../admin/report.ts'
import { shareOf } from '../../admin/share.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { loadSettings } from '../../settings/settings.ts'
import { fitted } from '@onramp/deprecations/command-line/terminal'
import { openPeople, storeInWords, withStore } from '../store.ts'
import { companyOf } from './mail.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

export async function report(
  { json, csv }: { json?: boolean; csv?: boolean },
  { env, stdout, stderr, now }: CliParts,
): Promise<number> {
  const settings = loadSettings(env)
  const company = companyOf(settings)
  return await withStore(settings, async (records) => {
    let unread = 0
    const profiles = profilesOf(openPeople({ records, settings, now }, company).all(() => unread++))
    if (csv) for await (const row of peopleCsv(profiles)) stdout.write(row)
    else {
      const made = await makeReport(profiles, now(), () => unread)
      stdout.write(json ? `${JSON.stringify(made)}\n` : inWords(made, storeInWords(settings)))
    }
    // On standard error, so that a file of the report holds nothing else.
    if (unread > 0) stderr.write(`onramp invite report: not included: ${unreadInWords(unread)}.\n`)
    return 0
  })
}

const inFigures = (count: number) => count.toLocaleString('en')

const line = (count: number, what: string) => `${inFigures(count).padStart(9)}  ${what}\n`

function inWords(report: Report, store: string): string {
  if (report.people === 0) return `No data ${report.unread > 0 ? 'that can be read' : 'yet'} (${store}).\n`
  const oldest = report.asOf === undefined ? 'not checked with the service yet' : `oldest data ${report.asOf}`
  const people = [
    line(report.people, 'people'),
    line(report.invited, 'invited by email'),
    line(report.reminded, 'reminded'),
    line(report.opened, 'opened the invitation'),
    line(report.signedIn, 'signed in'),
    line(report.ready, `ready to search (${shareOf(report.ready, report.people)} of these people)`),
    line(report.finished, 'fully connected'),
    line(report.nothing, 'nothing to connect'),
    line(report.skipped, 'skipped at least one app'),
    line(report.blocked, 'waiting for an admin'),
    line(report.optedOut, 'opted out of reminders'),
    line(report.deferred, 'email delayed by the mail server'),
    line(report.failed, 'rejected by the mail server'),
    line(report.uncertain, 'delivery unknown'),
  ]
  const groups = report.groups.map(({ name, people: all, ready }) => {
    const where = name === undefined ? 'groups of fewer than five' : printable(name)
    return line(ready, `of ${inFigures(all)} in ${where}`)
  })
  if (groups.length > 0)
    groups.unshift('Ready to search (connected everything, or had nothing to connect):\n')
  const head = `Report generated ${report.madeAt}; ${oldest} (${store}).\n`
  const parts = [head, people.join(''), sourcesIn(report), groups.join('')]
  return parts.filter((part) => part !== '').join('\n')
}

const MAX_SOURCES = 20
const NAME_COLUMNS = 41
const SOURCES_HEAD = 'connected  waiting  skipped    admin  app\n'

function sourcesIn({ datasources }: Report): string {
  if (datasources.length === 0) return ''
  const rows = datasources.slice(0, MAX_SOURCES).map(({ instance, name, counts }) => {
    const { connected, waiting, skipped, blocked } = counts
    const figures = [connected, waiting, skipped, blocked].map((count) => inFigures(count).padStart(9))
    const shown = fitted(`${printable(name)} [${printable(instance)}]`, NAME_COLUMNS).trimEnd()
    return `${figures.join('')}  ${shown}\n`
  })
  const more = datasources.length - MAX_SOURCES
  const rest = more > 0 ? `${' '.repeat(38)}and ${more} more (use --json)\n` : ''
  return SOURCES_HEAD + rows.join('') + rest
}
