// A person who had connected everything and then lost access.
import type { KeepState } from '../../src/people/keep-state.ts'
import type { ListedApp } from '../../src/client-api/responses.ts'
import { newPerson, withCheck, withListing, type Person } from '../../src/people/person.ts'
import { newKeepState } from '../helpers/people.ts'

export const monday = Date.parse('2027-01-18T10:00:00Z')
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

export const slack: ListedApp = { instance: 'slack_1', name: 'Slack', status: 'awaiting' }
export const jira: ListedApp = { instance: 'jira_1', name: 'Jira', status: 'awaiting' }

export function lostApps(lost: ListedApp[], lapsedAt = monday - DAY): Person {
  const listed = withListing(newPerson('ada@acme.example', 0), true, 0)
  const withApps = withCheck(listed, { checkedAt: lapsedAt - 10 * DAY, unconnected: [slack, jira] }, lapsedAt)
  const connected = withCheck(withApps, { checkedAt: lapsedAt - 9 * DAY, unconnected: [] }, lapsedAt)
  return withCheck(connected, { checkedAt: lapsedAt, unconnected: lost }, lapsedAt)
}

/** After a sweep on Monday that found no cluster. */
export const NO_CLUSTERS: KeepState = { ...newKeepState(), evaluatedAt: monday }
