// What of the service ends soon. The caller passes the schedule; without one there is nothing to report.
import type { Subject } from '../check.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'

const DAY_MS = 24 * 3600 * 1000
const NEAR_DAYS = 90

export function deprecationDates({ deadlines, now }: Subject): Finding[] {
  if (deadlines.length === 0) return []
  const found = deadlines.flatMap(({ what, replacement: fix, removal }) => {
    const days = Math.ceil((Date.parse(removal) - now()) / DAY_MS)
    if (days > NEAR_DAYS) return []
    return days <= 0
      ? fail(`${what} ended on ${removal}.`, { fix })
      : warn(`${what} ends on ${removal}, in ${days} ${days === 1 ? 'day' : 'days'}.`, { fix })
  })
  return found.length > 0 ? found : [ok(`Nothing that is announced ends within ${NEAR_DAYS} days.`)]
}
