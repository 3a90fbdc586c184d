// Holds three accounts of the morning against each other, person by person: what the stand-in's journal says, what
// onramp has written down, and what people were told. Pure.
import { parse } from 'csv-parse/sync'
import { emailOf } from '../authorization-server.ts'
import type { Told } from './person.ts'
import { connectedIn, skippedIn, type Plan } from './plans.ts'
import type { Entry } from './stand-in.ts'

type Row = { email: string; connected: string; not_now: string; waiting: string; finished: string }

/** What onramp's report says of each address. */
export function readReport(csv: string): Map<string, Row> {
  const rows: Row[] = parse(csv, { columns: true, bom: true })
  return new Map(rows.map((row) => [row.email, row]))
}

/** `Slack [slack_1]; …` */
const instancesIn = (cell = '') => [...cell.matchAll(/\[(\w+)\]/g)].map(([, instance = '']) => instance)

const same = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join(' ') === other.toSorted().join(' ')

export type Accounts = { plan: Plan; told: Told; entry: Entry | undefined; row: Row | undefined }

/** What disagrees about one person; none: nothing is lost. */
export function lossesOf({ plan, told, entry, row }: Accounts): string[] {
  if (told.stuck !== undefined) return [`stuck: ${told.stuck}`]
  if (entry === undefined) return ['was never seen by the service']
  if (row === undefined) return ['is not in the report']
  const [connected, skipped] = [Object.keys(entry.connected), skippedIn(plan)]
  const shown = (kind: string) => Object.keys(told.shown).filter((app) => told.shown[app] === kind)
  const { status } = told
  const checks: [string, boolean, unknown][] = [
    ['the service has other apps than the person allowed', same(connected, connectedIn(plan)), connected],
    ['the page showed other apps as connected', same(connected, shown('connected')), told.shown],
    ['the page showed other apps as skipped', same(skipped, shown('skipped')), told.shown],
    [
      'the status differs',
      status?.connected === connected.length && status.pending === 0 && status.skipped === skipped.length,
      status,
    ],
    ['the report has other apps as connected', same(connected, instancesIn(row.connected)), row],
    ['the report has other apps as skipped', same(skipped, instancesIn(row.not_now)), row],
    ['the report is wrong about the end', (row.finished !== '') === (skipped.length === 0), row],
  ]
  return checks.flatMap(([words, isSo, seen]) => (isSo ? [] : [`${words}: ${JSON.stringify(seen)}`]))
}

export type Loss = { person: number; losses: string[] }

/** @returns those of whom something is lost */
export function reconcile(
  plans: readonly Plan[],
  told: ReadonlyMap<number, Told>,
  journal: Record<string, Entry>,
  report: ReadonlyMap<string, Row>,
): Loss[] {
  return plans.flatMap((plan) => {
    const { person } = plan
    const said = told.get(person) ?? { person, shown: {}, status: undefined, stuck: 'never came' }
    const losses = lossesOf({ plan, told: said, entry: journal[person], row: report.get(emailOf(person)) })
    return losses.length === 0 ? [] : [{ person, losses }]
  })
}
