// What the page of the schedule shows: the days, the filter as it stands, and addresses of the same choice in other forms.
import { fieldOf, insteadOf, operationOf, type Schedule } from '../client-api/schedule.ts'
import { byRemoval, type Choice, type Listed } from './listing.ts'

const itemOf = (entry: Listed) => ({
  id: entry.id,
  name: entry.kind === 'endpoint' ? 'The whole endpoint' : fieldOf(entry),
  instead: insteadOf(entry),
  announced: entry.announced,
})

const queryOf = ({ api, operation }: Choice) => {
  const chosen = Object.entries({ api, operation }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  const query = new URLSearchParams(chosen).toString()
  return query === '' ? '' : `?${query}`
}

/** The data of `views/deprecations/schedule.eta`. */
export const scheduleView = (schedule: Schedule, entries: readonly Listed[], choice: Choice) => ({
  title: 'Deprecated endpoints and fields',
  asOf: choice.asOf,
  count: entries.length,
  api: choice.api ?? '',
  operation: choice.operation ?? '',
  operations: [...new Set(schedule.map(operationOf))].sort(),
  query: queryOf(choice),
  days: byRemoval(entries).map(({ operations, ...day }) => ({
    ...day,
    operations: operations.map(({ items, ...rest }) => ({ ...rest, items: items.map(itemOf) })),
  })),
})
