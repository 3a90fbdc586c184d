// The report of a check for people: what is in use, until when, what to use instead, where it was seen.
import { operationOf, titleOf } from '../schedule/schedule.ts'
import { printable } from '../command-line/printable.ts'
import type { Found } from '../check/tally.ts'
import type { Verdict } from '../check/verdict.ts'
import { counted, fateOf, placeText, seenText, type Painter } from '../schedule/words.ts'

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

const headline = (verdict: Verdict): string => {
  const { inUse, waived, mayBeInUse, requests, files, faults, asOf } = verdict
  const removed = inUse.filter(({ status }) => status.state === 'removed').length
  const parts = [
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(inUse.length > removed ? [`${inUse.length - removed} deprecated`] : []),
  ]
  const possible = mayBeInUse.length === 0 ? '' : `; ${counted(mayBeInUse.length, 'item')} may be in use`
  const unread = faults === 0 ? '' : `; ${counted(faults, 'part')} could not be read`
  const read = `${counted(requests, 'request')} in ${counted(files.length, 'file')}, as of ${asOf}${possible}${unread}`
  if (parts.length > 0) return `In use: ${parts.join(' and ')} (${read}).`
  if (requests === 0) return `Nothing could be checked (${read}).`
  const beyond = waived.length === 0 ? '' : ' beyond what is waived'
  // A promise, so it is only made when everything that matters was there and was read.
  if (faults === 0 && mayBeInUse.length === 0) return `Nothing deprecated is in use${beyond} (${read}).`
  return `Nothing deprecated was found in what could be read${beyond} (${read}).`
}

const doubts: [Found['confidence'], string][] = [
  ['name', 'May be in use (a field of that name lies deeper in a body, where it may be another):'],
  ['unread', 'May be in use (called, but a body could not be read):'],
  ['endpoint', 'May be in use (called, but the bodies were not recorded, or not whole):'],
]

const possibleText = (items: readonly Found[], paint: Painter): string[] => {
  const byOperation = Map.groupBy(items, ({ entry }) => operationOf(entry))
  return [...byOperation].flatMap(([operation, ofIt]) => {
    const fields = ofIt.flatMap(({ entry }) => (entry.kind === 'field' ? [entry.field] : ['the operation']))
    const count = Math.max(...ofIt.map((item) => item.count))
    const title = `  ${operation}, ${counted(count, 'request')}: ${[...new Set(fields)].join(', ')}`
    return [printable(title), ...new Set(ofIt.flatMap((item) => placesOf(item, paint)))]
  })
}

const possibleSections = ({ mayBeInUse }: Verdict, paint: Painter): string[] =>
  doubts.flatMap(([doubt, title]) => {
    const items = mayBeInUse.filter(({ confidence }) => confidence === doubt)
    return section(title, possibleText(items, paint))
  })

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
    ...possibleSections(verdict, paint),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
