// Judges what a check found, and reports it for programs: as JSON, and as SARIF 2.1.0 (OASIS), which code hosts show beside
// the files.
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isCertain, type CheckResult, type Found, type Place } from '../check/check.ts'
import type { Waiver } from '../schedule/files.ts'
import { fateOf, fixBy, insteadOf, operationOf, titleOf } from '../schedule/schedule.ts'

/** From where on a finding fails the check: `possible` counts what only may be in use, `use` what is, `never` nothing. */
export type FailOn = 'possible' | 'use' | 'removed' | 'never'

export type Verdict = Omit<CheckResult, 'found'> & {
  /** 2 something is in use, 3 something may be, 1 something could not be read, 0 nothing. */
  exitCode: 0 | 1 | 2 | 3
  inUse: Found[]
  /** What was found by name only, and what bodies may have that were not recorded or could not be read. */
  mayBeInUse: Found[]
  /** Either of these, where it is allowed. */
  waived: (Found & { waiver: Waiver })[]
  /** Waivers that have run out, or whose item was not found, as sentences. */
  remarks: string[]
}

/**
 * Judges a result. What is known outweighs what may be, and that what could not be read.
 * @param within items that are removed later than so many days from now are left out
 */
export const judge = (
  { found, ...result }: CheckResult,
  waivers: readonly Waiver[],
  options: { failOn: FailOn; within?: number | undefined; ignoreBroken?: boolean | undefined },
): Verdict => {
  const { failOn, within = Infinity, ignoreBroken = false } = options
  const { asOf, faults } = result
  const due = found
    .filter(({ status }) => status.daysLeft <= within)
    .map((item) => ({
      ...item,
      waiver: waivers.find((waiver) => waiver.item === item.entry.id && asOf <= waiver.until),
    }))
  const open = due.filter(({ waiver }) => waiver === undefined)
  const [inUse, mayBeInUse] = [open.filter(isCertain), open.filter((item) => !isCertain(item))]
  const failing = failOn === 'removed' ? inUse.filter(({ status }) => status.state === 'removed') : inUse
  const exitCode = () => {
    if (failing.length > 0 && failOn !== 'never') return 2
    if (mayBeInUse.length > 0 && failOn === 'possible') return 3
    return faults > 0 && !ignoreBroken ? 1 : 0
  }
  const remarks = waivers.flatMap(({ item, until }) => {
    if (until < asOf) return [`the waiver for ${item} expired on ${until}`]
    const isFound = found.some(({ entry }) => entry.id === item)
    return isFound ? [] : [`the waiver for ${item} is unused: the item was not found`]
  })
  const waived = due.flatMap(({ waiver, ...item }) => (waiver === undefined ? [] : [{ ...item, waiver }]))
  return { ...result, exitCode: exitCode(), inUse, mayBeInUse, waived, remarks }
}

const itemJson = ({ entry, status, places, request: _request, ...found }: Found) => ({
  id: entry.id,
  kind: entry.kind,
  operation: operationOf(entry),
  field: entry.kind === 'field' ? entry.field : undefined,
  state: status.state === 'removed' ? 'removed' : 'deprecated',
  daysLeft: status.daysLeft,
  removal: entry.removal,
  fixBy: fixBy(entry),
  instead: insteadOf(entry),
  places: [...places.values()],
  ...found,
})

/** The verdict as JSON text, with the code that the command ends with. Adding members is fine, renaming them is not. */
export const jsonReport = ({ inUse, waived, mayBeInUse, remarks: _remarks, ...verdict }: Verdict): string => {
  const items = {
    inUse: inUse.map(itemJson),
    waived: waived.map(itemJson),
    mayBeInUse: mayBeInUse.map(itemJson),
  }
  return `${JSON.stringify({ ...verdict, ...items }, null, 2)}\n`
}

const messageOf = ({ entry, status }: Found) => `${titleOf(entry)}: ${fateOf(entry, status)}.`

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

const resultsOf = (item: Found & { waiver?: Waiver }, ruleIndex: number) =>
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
  const rules = items.map((item) => ({
    id: item.entry.id,
    shortDescription: { text: titleOf(item.entry) },
    fullDescription: { text: messageOf(item) },
    help: { text: insteadOf(item.entry) },
  }))
  const run = {
    tool: { driver: { name: 'onramp deprecations', rules } },
    // Input that could not be read must not look like a check that found nothing.
    invocations: [{ executionSuccessful: verdict.faults === 0 }],
    results: items.flatMap(resultsOf),
    columnKind: 'utf16CodeUnits',
  }
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(log, null, 2)}\n`
}
