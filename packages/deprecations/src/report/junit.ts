// The report of a check as JUnit XML in the form that Jenkins and its kin read: a test case for every item on the schedule.
import { operationOf, titleOf, type Schedule } from '../schedule/schedule.ts'
import { isCertain, type Found } from '../check/tally.ts'
import type { FailOn, Verdict } from '../check/verdict.ts'
import { fateOf, placeText, seenText } from '../schedule/words.ts'

// XML 1.0 cannot hold most control characters at all, escaped or not (2.2).
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}
const escape = (text: string) =>
  text.replaceAll(notXml, '?').replaceAll(/[&<>"\n]/g, (sign) => escapes[sign] ?? sign)

const detail = (item: Found) => [seenText(item), ...item.places.map(placeText)].map(escape).join('\n')

const failure = (item: Found) =>
  `<failure type="${item.status.state}" message="${escape(fateOf(item.entry, item.status))}">${detail(item)}</failure>`

const outcomeOf = (verdict: Verdict, fails: (item: Found) => boolean, id: string): string => {
  const isIt = ({ entry }: Found) => entry.id === id
  const waived = verdict.waived.find(isIt)
  if (waived !== undefined)
    return `<skipped message="${escape(`waived until ${waived.waiver.until}: ${waived.waiver.reason}`)}"/>`
  const item = [...verdict.inUse, ...verdict.mayBeInUse].find(isIt)
  if (item === undefined) return ''
  return fails(item) ? failure(item) : `<system-out>${detail(item)}</system-out>`
}

const failsBy = (failOn: FailOn) => (item: Found) => {
  if (failOn === 'never') return false
  if (!isCertain(item) && failOn !== 'possible') return false
  return failOn !== 'removed' || item.status.state === 'removed'
}

// Unread input is an error of its own, so that a damaged file never looks like a passed suite.
const unread = ({ faults }: Verdict) => {
  if (faults === 0) return []
  const message = `${faults} lines, entries, bodies or files could not be read`
  return [`<testcase classname="input" name="everything was read"><error message="${message}"/></testcase>`]
}

/** The verdict as JUnit XML: what fails follows `failOn`, waived items are skipped. */
export const junitReport = (verdict: Verdict, schedule: Schedule, failOn: FailOn): string => {
  const cases = schedule.map((entry) => {
    const outcome = outcomeOf(verdict, failsBy(failOn), entry.id)
    const names = `classname="${escape(operationOf(entry))}" name="${escape(`${entry.id}: ${titleOf(entry)}`)}"`
    return outcome === '' ? `<testcase ${names}/>` : `<testcase ${names}>${outcome}</testcase>`
  })
  const all = [...cases, ...unread(verdict)]
  const count = (sign: string) => all.filter((text) => text.includes(sign)).length
  const totals = `tests="${all.length}" failures="${count('<failure ')}" errors="${count('<error ')}"`
  const skipped = `skipped="${count('<skipped ')}"`
  const suite = `<testsuite name="deprecations" ${totals} ${skipped} timestamp="${verdict.asOf}T00:00:00">`
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    suite,
    ...all.map((text) => `  ${text}`),
    '</testsuite>',
  ]
  return `${lines.join('\n')}\n`
}
