// The data of views/deprecations/schedule.eta: the days, the filter, and links to the same choice as JSON and calendar.
import { groupByRemoval, operationOf, publishedSchedule, remarksOf } from '@onramp/deprecations'
import type { EntryFilter, ListedEntry } from '@onramp/deprecations'
import type { Texts } from '../web/languages/texts.ts'

/** Pieces between which a line may break: after `/`, `.` and `_`, and at the capitals of a long name. */
const piecesOf = (text: string): string[] =>
  text
    .split(/(?<=[/._])(?=[^\s/._])/)
    .flatMap((piece) => (/\w{20}/.test(piece) ? piece.split(/(?<=[a-z\d])(?=[A-Z])/) : [piece]))

function itemName(entry: ListedEntry, t: Texts): string {
  if (entry.kind === 'endpoint') return t('deprecations.endpoint')
  const { field, place } = entry
  const where = { field, place: t(`deprecations.place.${place.in}`) }
  return t(place.depth === 'top' ? 'deprecations.fieldAtTop' : 'deprecations.field', where)
}

function replacementText(entry: ListedEntry, t: Texts): string {
  const { replacement, advice } = entry
  const what =
    replacement === undefined
      ? (advice ?? t('deprecations.noReplacement'))
      : t('deprecations.use', { replacement })
  return what.charAt(0).toUpperCase() + what.slice(1) + remarksOf(entry)
}

const remainingTime = ({ state, daysLeft, fixBy }: ListedEntry['status'], t: Texts): string =>
  state === 'removed'
    ? t('deprecations.removed', { count: -daysLeft })
    : t('deprecations.left', { count: daysLeft, day: fixBy })

const queryOf = ({ api, operation }: EntryFilter) => {
  const query = new URLSearchParams()
  if (api !== undefined) query.set('api', api)
  if (operation !== undefined) query.set('operation', operation)
  return query.size === 0 ? '' : `?${query.toString()}`
}

export function scheduleView(entries: readonly ListedEntry[], choice: EntryFilter, t: Texts) {
  const days = groupByRemoval(entries).map(({ removal, removed, operations }) => ({
    removal,
    removed,
    remaining: operations[0]?.items[0] === undefined ? '' : remainingTime(operations[0].items[0].status, t),
    anchor: `removal-${removal}`,
    operations: operations.map(({ operation, items }) => ({
      operation: piecesOf(operation),
      items: items.map((item) => ({
        anchor: `item-${item.id.replaceAll('.', '-')}`,
        name: piecesOf(itemName(item, t)),
        instead: piecesOf(replacementText(item, t)),
        announced: item.announced,
      })),
    })),
  }))
  const gone = days.filter(({ removed }) => removed)
  return {
    title: t('deprecations.title'),
    asOf: choice.asOf,
    count: entries.length,
    api: choice.api ?? '',
    operation: choice.operation ?? '',
    operations: [...new Set(publishedSchedule.map(operationOf))].sort(),
    query: queryOf(choice),
    days: days.filter(({ removed }) => !removed),
    gone,
    goneCount: gone.flatMap(({ operations }) => operations.flatMap(({ items }) => items)).length,
  }
}
