// What of the service ends soon. The schedule is handed in; without one there is nothing to say.
import type { Check } from './check.ts'
import { fail, ok, warn } from './finding.ts'

const DAY_MS = 24 * 3600 * 1000
const NEAR_DAYS = 90

export const deprecationDates: Check = {
  id: 'service.deprecations',
  about: 'Announced ends',
  group: 'Service',
  look({ deadlines, now }) {
    if (deadlines.length === 0) return []
    const dated = deadlines.map((deadline) => ({
      ...deadline,
      days: Math.ceil((Date.parse(deadline.removal) - now()) / DAY_MS),
    }))
    const near = dated.filter(({ days }) => days <= NEAR_DAYS)
    if (near.length === 0) return [ok(`Nothing that is announced ends within ${NEAR_DAYS} days.`)]
    return near.map(({ what, replacement, removal, days }) =>
      days <= 0
        ? fail(`${what} has ended on ${removal}.`, { mend: replacement })
        : warn(`${what} ends on ${removal}, in ${days} ${days === 1 ? 'day' : 'days'}.`, {
            mend: replacement,
          }),
    )
  },
}
