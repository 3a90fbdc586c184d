// The report of a check for people: what is in use, until when, what to use instead, where it was seen.
import { counted, fateOf, operationOf, titleOf } from '../schedule/schedule.ts'
import { printable } from '../command-line/printable.ts'
import type { Paint } from '../command-line/terminal.ts'
import type { Found, PlaceSeen } from '../check/tally.ts'
import type { Verdict } from '../check/verdict.ts'

const MAX_PLACES = 5

const certainty = {
  exact: 'exact match',
  name: 'name match',
  unread: 'body unreadable',
  endpoint: 'body not recorded',
}

/** `traffic.ndjson:12 response /messages/0/citations (by name)` */
export const placeText = ({ file, line, record, side, pointer, count, confidence }: PlaceSeen): string => {
  const at = line === undefined ? file : `${file}:${line}`
  const inside = [record, side, pointer].filter((part) => part !== undefined)
  const times = count > 1 ? `, ${counted(count, 'time')}` : ''
  return printable(`${[at, ...new Set(inside)].join(' ')} (${certainty[confidence]}${times})`)
}

/** `in 3 requests, first 2026-11-01T10:00:00.000Z, last …` */
export const seenText = ({ count, firstSeen, lastSeen }: Found): string => {
  const seen = `in ${counted(count, 'request')}`
  if (firstSeen === undefined || lastSeen === undefined) return seen
  return `${seen}, first ${new Date(firstSeen).toISOString()}, last ${new Date(lastSeen).toISOString()}`
}

const placesOf = ({ places, elsewhere }: Found, { dim }: Paint): string[] => {
  const shown = places.slice(0, MAX_PLACES).map((place) => `      ${placeText(place)}`)
  const others = places.slice(MAX_PLACES).reduce((sum, { count }) => sum + count, elsewhere)
  if (others > 0) shown.push(dim(`      and ${counted(others, 'more time')}(use --json to list more)`))
  return shown
}

const itemText = (item: Found, paint: Paint, note?: string): string => {
  const { entry, status } = item
  const state = status.state === 'removed' ? paint.red('removed') : paint.yellow('deprecated')
  const lines = [
    `  ${state}  ${paint.bold(printable(titleOf(entry)))}`,
    `    ${printable(fateOf(entry, status))}`,
    ...(note === undefined ? [] : [`    ${printable(note)}`]),
    paint.dim(`    ${entry.id}, ${seenText(item)}`),
    ...placesOf(item, paint),
  ]
  return `${lines.join('\n')}\n`
}

const section = (title: string, texts: readonly string[]) => (texts.length === 0 ? [] : [title, ...texts])

const headline = ({ inUse, waived, mayBeInUse, requests, files, faults, asOf }: Verdict): string => {
  const removed = inUse.filter(({ status }) => status.state === 'removed').length
  const deprecated = inUse.length - removed
  const possible =
    mayBeInUse.length === 0 || inUse.length === 0
      ? ''
      : `; ${counted(mayBeInUse.length, 'item')} may be in use`
  const unread = faults === 0 ? '' : `; ${counted(faults, 'part')} could not be read`
  const read = `${counted(requests, 'request')} in ${counted(files.length, 'file')}, as of ${asOf}${possible}${unread}`
  if (inUse.length > 0) {
    const parts = [removed > 0 && `${removed} removed`, deprecated > 0 && `${deprecated} deprecated`]
    return `In use: ${parts.filter(Boolean).join(' and ')} (${read}).`
  }
  if (requests === 0) return `Nothing could be checked (${read}).`
  const beyond = waived.length === 0 ? '' : ' except what is waived'
  // A promise, so it is only made when everything that matters was there and was read.
  if (mayBeInUse.length > 0) return `May be in use: ${counted(mayBeInUse.length, 'item')}${beyond} (${read}).`
  if (faults === 0) return `Nothing deprecated is in use${beyond} (${read}).`
  return `Nothing deprecated was found in what could be read${beyond} (${read}).`
}

const doubts: [Found['confidence'], string][] = [
  ['name', 'May be in use (a nested field has the same name, but may be a different one):'],
  ['unread', 'May be in use (called, but a body was unreadable):'],
  ['endpoint', 'May be in use (called, but the bodies were not recorded completely):'],
]

const possibleText = (items: readonly Found[], paint: Paint): string[] =>
  [...Map.groupBy(items, ({ entry }) => operationOf(entry))].flatMap(([operation, ofIt]) => {
    const fields = ofIt.map(({ entry }) => (entry.kind === 'field' ? entry.field : 'the operation'))
    const count = Math.max(...ofIt.map((item) => item.count))
    const title = `  ${operation}, ${counted(count, 'request')}: ${[...new Set(fields)].join(', ')}`
    return [printable(title), ...new Set(ofIt.flatMap((item) => placesOf(item, paint)))]
  })

/** The whole report as text, ending in a line break. */
export const textReport = (verdict: Verdict, paint: Paint): string => {
  const waived = verdict.waived.map((item) =>
    itemText(item, paint, `waived until ${item.waiver.until}: ${item.waiver.reason}`),
  )
  const possible = doubts.flatMap(([doubt, title]) => {
    const items = verdict.mayBeInUse.filter(({ confidence }) => confidence === doubt)
    return section(title, possibleText(items, paint))
  })
  const lines = [
    paint.bold(headline(verdict)),
    '',
    ...verdict.inUse.map((item) => itemText(item, paint)),
    ...section('Waived:', waived),
    ...possible,
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
