// The report of a check for people: what is in use, until when, what to use instead, where it was seen.
import { operationOf, titleOf } from '../client-api/schedule.ts'
import { printable } from '../printable.ts'
import type { Found } from './tally.ts'
import type { Verdict } from './verdict.ts'
import { counted, fateOf, placeText, seenText, type Painter } from './words.ts'

const mostPlaces = 5

const placesOf = ({ places, elsewhere }: Found, { dim }: Painter): string[] => {
  const shown = places.slice(0, mostPlaces).map((place) => `      ${placeText(place)}`)
  const others = places.slice(mostPlaces).reduce((sum, { count }) => sum + count, elsewhere)
  return others === 0
    ? shown
    : [...shown, dim(`      and ${counted(others, 'more time')}; --json lists more`)]
}

const itemText = (item: Found, paint: Painter, note?: string): string => {
  const { entry, status } = item
  const colour = status.state === 'removed' ? paint.red : paint.yellow
  const state = status.state === 'removed' ? 'removed' : 'deprecated'
  const lines = [
    `  ${colour(state)}  ${paint.bold(printable(titleOf(entry)))}`,
    `    ${printable(fateOf(entry, status))}`,
    ...(note === undefined ? [] : [`    ${printable(note)}`]),
    paint.dim(`    ${entry.id}, ${seenText(item)}`),
    ...placesOf(item, paint),
  ]
  return `${lines.join('\n')}\n`
}

const section = (title: string, texts: readonly string[]) => (texts.length === 0 ? [] : [title, ...texts])

const headline = ({ inUse, requests, files, faults, asOf }: Verdict): string => {
  const read = `${counted(requests, 'request')} in ${counted(files.length, 'file')}, as of ${asOf}`
  const removed = inUse.filter(({ status }) => status.state === 'removed').length
  const parts = [
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(inUse.length > removed ? [`${inUse.length - removed} deprecated`] : []),
  ]
  const unread = faults === 0 ? '' : `; ${counted(faults, 'part')} could not be read`
  if (parts.length > 0) return `In use: ${parts.join(' and ')} (${read}${unread}).`
  if (requests === 0 && faults > 0) return `Nothing could be checked (${read}${unread}).`
  return `Nothing deprecated is in use (${read}${unread}).`
}

const possibleText = ({ mayBeInUse }: Verdict): string[] => {
  const byOperation = Map.groupBy(mayBeInUse, ({ entry }) => operationOf(entry))
  return [...byOperation].map(([operation, items]) => {
    const fields = items.flatMap(({ entry }) => (entry.kind === 'field' ? [entry.field] : []))
    const count = Math.max(...items.map((item) => item.count))
    return printable(`  ${operation}, ${counted(count, 'request')}: ${[...new Set(fields)].join(', ')}`)
  })
}

/** The whole report as text, ending in a line break. */
export const textReport = (verdict: Verdict, paint: Painter): string => {
  const waived = verdict.waived.map((item) =>
    itemText(item, paint, `waived until ${item.waiver.until}: ${item.waiver.reason}`),
  )
  const lines = [
    paint.bold(headline(verdict)),
    '',
    ...verdict.inUse.map((item) => itemText(item, paint)),
    ...section('Waived:', waived),
    ...section('May be in use (called, but the bodies were not recorded):', possibleText(verdict)),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
