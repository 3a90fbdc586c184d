// The report of a check for people: what is in use, until when, what to use instead, where it was seen.
import { isCertain, type Found, type Place } from '../check/check.ts'
import { printable } from '../command-line/printable.ts'
import type { Paint } from '../command-line/terminal.ts'
import type { Verdict } from './report.ts'
import { counted, fateOf, operationOf, titleOf } from '../schedule/schedule.ts'

const MAX_PLACES = 5

const CERTAINTY = {
  exact: 'exact match',
  name: 'name match',
  unread: 'body unreadable',
  endpoint: 'body not recorded',
}

/** `traffic.ndjson:12 response /messages/0/citations (name match)` */
const placeText = ({ file, line, record, side, pointer, count, confidence }: Place): string => {
  const at = line === undefined ? file : `${file}:${line}`
  const inside = [record, side, pointer].filter((part) => part !== undefined)
  const times = count > 1 ? `, ${counted(count, 'time')}` : ''
  return printable(`      ${[at, ...new Set(inside)].join(' ')} (${CERTAINTY[confidence]}${times})`)
}

const placesOf = ({ places: all, elsewhere }: Found, { dim }: Paint): string[] => {
  const places = [...all.values()]
  const others = places.slice(MAX_PLACES).reduce((sum, { count }) => sum + count, elsewhere)
  const more = dim(`      and ${counted(others, 'more time')} (use --json to list more)`)
  return [...places.slice(0, MAX_PLACES).map(placeText), ...(others > 0 ? [more] : [])]
}

const itemText = (item: Found, paint: Paint, note?: string): string => {
  const { entry, status, count, firstSeen, lastSeen } = item
  const state = status.state === 'removed' ? paint.red('removed') : paint.yellow('deprecated')
  const seen = firstSeen === undefined ? '' : `, first ${firstSeen}, last ${lastSeen}`
  return [
    `  ${state}  ${paint.bold(printable(titleOf(entry)))}`,
    `    ${printable(fateOf(entry, status))}`,
    ...(note === undefined ? [] : [`    ${printable(note)}`]),
    paint.dim(`    ${entry.id}, in ${counted(count, 'request')}${seen}`),
    ...placesOf(item, paint),
    '',
  ].join('\n')
}

const headline = ({ inUse, waived, mayBeInUse, requests, files, faults, asOf }: Verdict): string => {
  const removed = inUse.filter(({ status }) => status.state === 'removed').length
  const deprecated = inUse.length - removed
  const possible = counted(mayBeInUse.length, 'item')
  const read = [
    `${counted(requests, 'request')} in ${counted(files.length, 'file')}, as of ${asOf}`,
    ...(mayBeInUse.length > 0 && inUse.length > 0 ? [`${possible} may be in use`] : []),
    ...(faults > 0 ? [`${counted(faults, 'part')} could not be read`] : []),
  ].join('; ')
  const used = [removed > 0 && `${removed} removed`, deprecated > 0 && `${deprecated} deprecated`]
  if (inUse.length > 0) return `In use: ${used.filter(Boolean).join(' and ')} (${read}).`
  if (requests === 0) return `Nothing could be checked (${read}).`
  const beyond = waived.length === 0 ? '' : ' except what is waived'
  if (mayBeInUse.length > 0) return `May be in use: ${possible}${beyond} (${read}).`
  // A promise, so it is only made when everything that matters was there and was read.
  if (faults === 0) return `Nothing deprecated is in use${beyond} (${read}).`
  return `Nothing deprecated was found in what could be read${beyond} (${read}).`
}

const possibleText = (items: readonly Found[], paint: Paint): string[] =>
  [...Map.groupBy(items, ({ entry }) => operationOf(entry))].flatMap(([operation, ofIt]) => {
    const fields = new Set(ofIt.map(({ entry }) => (entry.kind === 'field' ? entry.field : 'the operation')))
    const count = Math.max(...ofIt.map((item) => item.count))
    const title = `  ${operation}, ${counted(count, 'request')}: ${[...fields].join(', ')}`
    return [printable(title), ...new Set(ofIt.flatMap((item) => placesOf(item, paint)))]
  })

/** The whole report as text, ending in a line break. */
export const textReport = ({ waived, ...verdict }: Verdict, paint: Paint): string => {
  const section = (title: string, texts: readonly string[]) => (texts.length === 0 ? [] : [title, ...texts])
  const waivedText = waived.map((item) =>
    itemText(
      item,
      paint,
      `${isCertain(item) ? '' : 'only may be in use; '}waived until ${item.waiver.until}: ${item.waiver.reason}`,
    ),
  )
  const lines = [
    paint.bold(headline({ waived, ...verdict })),
    '',
    ...verdict.inUse.map((item) => itemText(item, paint)),
    ...section('Waived:', waivedText),
    ...section('May be in use (why is beside each place):', possibleText(verdict.mayBeInUse, paint)),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
