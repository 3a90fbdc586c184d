// The report of a check as JUnit XML in the form that Jenkins and its kin read: a test case for every item on the schedule.
import { fateOf, operationOf, titleOf, type Schedule } from '../schedule/schedule.ts'
import type { Found } from '../check/tally.ts'
import { fails, type FailOn, type Verdict } from '../check/verdict.ts'
import { placeText, seenText } from './text.ts'

// XML 1.0 cannot hold most control characters at all, escaped or not (2.2).
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}
const escape = (text: string) =>
  text.replaceAll(NOT_XML, '?').replaceAll(/[&<>"\n]/g, (sign) => escapes[sign] ?? sign)

const detail = (item: Found) => [seenText(item), ...item.places.map(placeText)].map(escape).join('\n')

const outcomeOf = (verdict: Verdict, failOn: FailOn, id: string): string => {
  const isIt = ({ entry }: Found) => entry.id === id
  const waived = verdict.waived.find(isIt)
  if (waived !== undefined)
    return `<skipped message="${escape(`waived until ${waived.waiver.until}: ${waived.waiver.reason}`)}"/>`
  const item = [...verdict.inUse, ...verdict.mayBeInUse].find(isIt)
  if (item === undefined) return ''
  if (!fails(item, failOn)) return `<system-out>${detail(item)}</system-out>`
  const message = escape(fateOf(item.entry, item.status))
  return `<failure type="${item.status.state}" message="${message}">${detail(item)}</failure>`
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
    const outcome = outcomeOf(verdict, failOn, entry.id)
    const names = `classname="${escape(operationOf(entry))}" name="${escape(`${entry.id}: ${titleOf(entry)}`)}"`
    return outcome === '' ? `<testcase ${names}/>` : `<testcase ${names}>${outcome}</testcase>`
  })
  const all = [...cases, ...unread(verdict)]
  const count = (sign: string) => all.filter((text) => text.includes(sign)).length
  const totals = `tests="${all.length}" failures="${count('<failure ')}" errors="${count('<error ')}"`
  const skipped = `skipped="${count('<skipped ')}"`
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="deprecations" ${totals} ${skipped} timestamp="${verdict.asOf}T00:00:00">`,
    ...all.map((text) => `  ${text}`),
    '</testsuite>',
  ]
  return `${lines.join('\n')}\n`
}
