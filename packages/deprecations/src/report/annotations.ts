// The report of a check as workflow commands (`::error file=…::…`), which CI turns into notes beside the lines.
import { fateOf, titleOf } from '../schedule/schedule.ts'
import { isCertain, type Found } from '../check/tally.ts'
import type { Verdict } from '../check/verdict.ts'

const MAX_PLACES = 5

// A line break would end the command, and `,` or `:` a property.
const inMessage = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const inProperty = (text: string) => inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

const annotations = (level: string, { entry, status, places }: Found) =>
  places.slice(0, MAX_PLACES).map(({ file, line, side, pointer, confidence }) => {
    const at = `file=${inProperty(file)}${line === undefined ? '' : `,line=${line}`}`
    const where = [side, pointer].filter((part) => part !== undefined).join(' ')
    const doubt = isCertain({ confidence }) ? '' : 'may be in use, '
    const message = `${titleOf(entry)}: ${doubt}${fateOf(entry, status)}${where === '' ? '' : ` [${where}]`}`
    return `::${level} ${at},title=${inProperty(entry.id)}::${inMessage(message)}\n`
  })

/** One command a place, five an item at most; waived items and those that only may be in use are notices. */
export const annotationsReport = ({ inUse, waived, mayBeInUse }: Verdict): string =>
  [
    ...inUse.flatMap((item) => annotations(item.status.state === 'removed' ? 'error' : 'warning', item)),
    ...[...waived, ...mayBeInUse].flatMap((item) => annotations('notice', item)),
  ].join('')
