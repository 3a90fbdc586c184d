// The report of a check as workflow commands (`::error file=…::…`), which CI turns into notes beside the lines.
import { titleOf } from '../schedule/schedule.ts'
import { isCertain, type Found, type PlaceSeen } from '../check/tally.ts'
import type { Verdict } from '../check/verdict.ts'
import { fateOf } from '../schedule/words.ts'

const mostPlaces = 5

// A line break would end the command, and `,` or `:` a property.
const inMessage = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const inProperty = (text: string) => inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

const annotation = (level: string, { entry, status }: Found, place: PlaceSeen) => {
  const line = place.line === undefined ? '' : `,line=${place.line}`
  const where = [place.side, place.pointer].filter((part) => part !== undefined).join(' ')
  const doubt = !isCertain(place) ? 'may be in use, ' : ''
  const message = `${titleOf(entry)}: ${doubt}${fateOf(entry, status)}${where === '' ? '' : ` [${where}]`}`
  return `::${level} file=${inProperty(place.file)}${line},title=${inProperty(entry.id)}::${inMessage(message)}`
}

const levelOf = ({ status }: Found) => (status.state === 'removed' ? 'error' : 'warning')

/** One command a place, five an item at most; waived items and those that only may be in use are notices. */
export const annotationsReport = (verdict: Verdict): string => {
  const of = (items: readonly Found[], level: (item: Found) => string) =>
    items.flatMap((item) =>
      item.places.slice(0, mostPlaces).map((place) => annotation(level(item), item, place)),
    )
  const lines = [
    ...of(verdict.inUse, levelOf),
    ...of([...verdict.waived, ...verdict.mayBeInUse], () => 'notice'),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
