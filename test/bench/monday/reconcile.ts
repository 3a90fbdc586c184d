// Compares three accounts of the morning, person by person: the stand-in's journal, onramp's report, and the pages.
import { parse } from 'csv-parse/sync'
import { emailOf } from '../authorization-server.ts'
import type { Outcome } from './person.ts'
import { connectedIn, skippedIn, type Plan } from './plans.ts'
import type { JournalEntry } from './stand-in.ts'

type ReportRow = { email: string; connected: string; not_now: string; finished: string }

/** The rows of onramp's report by email address. */
export function readReport(csv: string): Map<string, ReportRow> {
  const rows: ReportRow[] = parse(csv, { columns: true, bom: true })
  return new Map(rows.map((row) => [row.email, row]))
}

/** `Slack [slack_1]; …` */
const instancesIn = (cell: string) => [...cell.matchAll(/\[(\w+)\]/g)].map(([, instance = '']) => instance)

const same = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join(' ') === other.toSorted().join(' ')

export type Accounts = {
  plan: Plan
  outcome: Outcome
  entry: JournalEntry | undefined
  row: ReportRow | undefined
}

/** The disagreements about one person; empty if nothing is lost. */
export function lossesOf({ plan, outcome, entry, row }: Accounts): string[] {
  const { stuck, shown, status } = outcome
  if (stuck !== undefined) return [`stuck: ${stuck}`]
  if (entry === undefined) return ['was never seen by the service']
  if (row === undefined) return ['is not in the report']
  const [connected, skipped] = [Object.keys(entry.connected), skippedIn(plan)]
  const rowsOf = (kind: string) => Object.keys(shown).filter((app) => shown[app] === kind)
  const isStatusRight =
    status?.connected === connected.length && status.pending === 0 && status.skipped === skipped.length
  const checks: [string, boolean, unknown][] = [
    ['the service has other apps than the person allowed', same(connected, connectedIn(plan)), connected],
    ['the page showed other apps as connected', same(connected, rowsOf('connected')), shown],
    ['the page showed other apps as skipped', same(skipped, rowsOf('skipped')), shown],
    ['the status differs', isStatusRight, status],
    ['the report has other apps as connected', same(connected, instancesIn(row.connected)), row],
    ['the report has other apps as skipped', same(skipped, instancesIn(row.not_now)), row],
    ['the report is wrong about the end', (row.finished !== '') === (skipped.length === 0), row],
  ]
  return checks.flatMap(([what, isRight, found]) => (isRight ? [] : [`${what}: ${JSON.stringify(found)}`]))
}

export type Loss = { person: number; losses: string[] }

/** @returns the people with losses */
export function reconcile(
  outcomes: ReadonlyMap<Plan, Outcome>,
  journal: Record<string, JournalEntry>,
  report: ReadonlyMap<string, ReportRow>,
): Loss[] {
  return [...outcomes].flatMap(([plan, outcome]) => {
    const { person } = plan
    const losses = lossesOf({ plan, outcome, entry: journal[person], row: report.get(emailOf(person)) })
    return losses.length === 0 ? [] : [{ person, losses }]
  })
}
