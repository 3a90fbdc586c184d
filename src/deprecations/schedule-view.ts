// What the page of the schedule shows: the days, the current filter, and addresses of the same choice in other forms.
import {
  byRemoval,
  fieldOf,
  insteadOf,
  operationOf,
  type Choice,
  type Listed,
  type Schedule,
} from '@onramp/deprecations'

/** A text in pieces between which a line may break: after `/`, `.` and `_`, and at the capitals of a long name. */
export const piecesOf = (text: string): string[] =>
  text
    .split(/(?<=[/._])(?=[^\s/._])/)
    .flatMap((piece) => (/\w{20}/.test(piece) ? piece.split(/(?<=[a-z\d])(?=[A-Z])/) : [piece]))

/** Gives each id a name that an address may end in: letters, digits and dashes, each once. */
const anchors = () => {
  const given = new Set<string>()
  return (id: string): string => {
    const plain = `item-${id.replaceAll(/[^A-Za-z0-9]+/g, '-')}`
    let anchor = plain
    for (let more = 2; given.has(anchor); more += 1) anchor = `${plain}-${more}`
    given.add(anchor)
    return anchor
  }
}

const itemOf = (entry: Listed, anchor: string) => ({
  anchor,
  name: piecesOf(entry.kind === 'endpoint' ? 'The whole endpoint' : fieldOf(entry)),
  instead: piecesOf(insteadOf(entry)),
  announced: entry.announced,
})

const queryOf = ({ api, operation }: Choice) => {
  const query = new URLSearchParams()
  if (api !== undefined) query.set('api', api)
  if (operation !== undefined) query.set('operation', operation)
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** The data of `views/deprecations/schedule.eta`. */
export const scheduleView = (schedule: Schedule, entries: readonly Listed[], choice: Choice) => {
  const anchorOf = anchors()
  return {
    title: 'Deprecated endpoints and fields',
    asOf: choice.asOf,
    count: entries.length,
    api: choice.api ?? '',
    operation: choice.operation ?? '',
    operations: [...new Set(schedule.map(operationOf))].sort(),
    query: queryOf(choice),
    days: byRemoval(entries).map(({ operations, ...day }) => ({
      ...day,
      anchor: `removal-${day.removal}`,
      operations: operations.map(({ operation, items }) => ({
        operation: piecesOf(operation),
        items: items.map((item) => itemOf(item, anchorOf(item.id))),
      })),
    })),
  }
}
