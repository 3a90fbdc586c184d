// The report of a check for programs: as JSON, and as SARIF 2.1.0 (OASIS), which code hosts show beside the files.
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isCertain, type Found, type Place } from '../check/check.ts'
import type { Verdict } from '../check/verdict.ts'
import { fateOf, fixBy, insteadOf, operationOf, titleOf } from '../schedule/schedule.ts'

const timeOf = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

const itemJson = ({ entry, status, confidence, count, places, elsewhere, firstSeen, lastSeen }: Found) => ({
  id: entry.id,
  kind: entry.kind,
  operation: operationOf(entry),
  field: entry.kind === 'field' ? entry.field : undefined,
  state: status.state === 'removed' ? 'removed' : 'deprecated',
  daysLeft: status.daysLeft,
  removal: entry.removal,
  fixBy: fixBy(entry),
  instead: insteadOf(entry),
  confidence,
  count,
  places: [...places.values()],
  elsewhere,
  firstSeen: timeOf(firstSeen),
  lastSeen: timeOf(lastSeen),
})

/** The verdict as JSON text, with the code that the command ends with. Adding members is fine, renaming them is not. */
export const jsonReport = ({ asOf, exitCode, files, requests, faults, ...verdict }: Verdict): string => {
  const inUse = verdict.inUse.map(itemJson)
  const waived = verdict.waived.map((item) => ({ ...itemJson(item), waiver: item.waiver }))
  const mayBeInUse = verdict.mayBeInUse.map(itemJson)
  const report = { asOf, exitCode, files, requests, faults, inUse, waived, mayBeInUse }
  return `${JSON.stringify(report, null, 2)}\n`
}

const messageOf = ({ entry, status }: Found) => `${titleOf(entry)}: ${fateOf(entry, status)}.`

const ruleOf = (item: Found) => ({
  id: item.entry.id,
  shortDescription: { text: titleOf(item.entry) },
  fullDescription: { text: messageOf(item) },
  help: { text: insteadOf(item.entry) },
  properties: { announced: item.entry.announced, removal: item.entry.removal, api: item.entry.api },
})

const locationOf = ({ file, line, record, side, pointer }: Place) => {
  const inside = [record, side, pointer].filter((part) => part !== undefined).join(' ')
  const uri = isAbsolute(file)
    ? pathToFileURL(file).href
    : file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
  return {
    physicalLocation: {
      artifactLocation: { uri },
      region: line === undefined ? undefined : { startLine: line },
    },
    logicalLocations: inside === '' ? undefined : [{ fullyQualifiedName: inside }],
  }
}

const resultsOf = (item: Found & { waiver?: { reason: string } }, ruleIndex: number) =>
  [...item.places.values()].map((place) => ({
    ruleId: item.entry.id,
    ruleIndex,
    level: !isCertain(place) ? 'note' : item.status.state === 'removed' ? 'error' : 'warning',
    message: { text: messageOf(item) },
    locations: [locationOf(place)],
    occurrenceCount: place.count,
    properties: { confidence: place.confidence },
    suppressions: item.waiver && [{ kind: 'external', justification: item.waiver.reason }],
  }))

/** The verdict as a SARIF log, one result a place; waived ones are suppressed. */
export const sarifReport = (verdict: Verdict): string => {
  const items = [...verdict.inUse, ...verdict.waived, ...verdict.mayBeInUse]
  const run = {
    tool: { driver: { name: 'onramp deprecations', rules: items.map(ruleOf) } },
    // Input that could not be read must not look like a check that found nothing.
    invocations: [{ executionSuccessful: verdict.faults === 0 }],
    results: items.flatMap(resultsOf),
    columnKind: 'utf16CodeUnits',
  }
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(log, null, 2)}\n`
}
