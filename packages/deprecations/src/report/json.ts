// The report of a check as JSON, for programs. Adding members is fine, renaming them is not.
import { fixBy, insteadOf, operationOf } from '../schedule/schedule.ts'
import type { Found } from '../check/tally.ts'
import type { Verdict } from '../check/verdict.ts'

const timeOf = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

const itemJson = ({ entry, status, firstSeen, lastSeen, ...found }: Found) => ({
  id: entry.id,
  kind: entry.kind,
  operation: operationOf(entry),
  field: entry.kind === 'field' ? entry.field : undefined,
  state: status.state === 'removed' ? 'removed' : 'deprecated',
  daysLeft: status.daysLeft,
  removal: entry.removal,
  fixBy: fixBy(entry),
  instead: insteadOf(entry),
  ...found,
  firstSeen: timeOf(firstSeen),
  lastSeen: timeOf(lastSeen),
})

/** The verdict as JSON text. `exitCode` is the code that the command ends with. */
export const jsonReport = (verdict: Verdict, exitCode: number): string => {
  const { asOf, files, requests, faults } = verdict
  const [inUse, waived, mayBeInUse] = [verdict.inUse, verdict.waived, verdict.mayBeInUse].map((items) =>
    items.map(itemJson),
  )
  const report = { asOf, exitCode, files, requests, faults, inUse, waived, mayBeInUse }
  return `${JSON.stringify(report, null, 2)}\n`
}
