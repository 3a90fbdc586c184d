// The report of a check as SARIF 2.1.0 (OASIS), which code hosts show beside the files.
import { pathToFileURL } from 'node:url'
import { isAbsolute } from 'node:path'
import { fateOf, insteadOf, titleOf } from '../schedule/schedule.ts'
import { isCertain, type Found, type PlaceSeen } from '../check/tally.ts'
import type { Verdict } from '../check/verdict.ts'

const messageOf = ({ entry, status }: Found) => `${titleOf(entry)}: ${fateOf(entry, status)}.`

const ruleOf = (item: Found) => ({
  id: item.entry.id,
  shortDescription: { text: titleOf(item.entry) },
  fullDescription: { text: messageOf(item) },
  help: { text: insteadOf(item.entry) },
  properties: { announced: item.entry.announced, removal: item.entry.removal, api: item.entry.api },
})

const uriOf = (file: string) => {
  if (isAbsolute(file)) return pathToFileURL(file).href
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
}

const locationOf = ({ file, line, record, side, pointer }: PlaceSeen) => {
  const inside = [record, side, pointer].filter((part) => part !== undefined).join(' ')
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: line === undefined ? undefined : { startLine: line },
    },
    logicalLocations: inside === '' ? undefined : [{ fullyQualifiedName: inside }],
  }
}

const levelOf = (place: PlaceSeen, { status }: Found) => {
  if (!isCertain(place)) return 'note'
  return status.state === 'removed' ? 'error' : 'warning'
}

type Item = Found & { waiver?: { reason: string } }

const resultsOf = (item: Item, ruleIndex: number) =>
  item.places.map((place) => {
    const { file, side, pointer, count, confidence } = place
    const fingerprint = [item.entry.id, file, side, pointer?.replaceAll(/\d+/g, '*')].join(' ')
    return {
      ruleId: item.entry.id,
      ruleIndex,
      level: levelOf(place, item),
      message: { text: messageOf(item) },
      locations: [locationOf(place)],
      occurrenceCount: count,
      partialFingerprints: { 'itemAndPlace/v1': fingerprint },
      properties: { confidence },
      suppressions: item.waiver && [{ kind: 'external', justification: item.waiver.reason }],
    }
  })

/** The verdict as a SARIF log, one result a place; waived ones are suppressed. */
export const sarifReport = (verdict: Verdict): string => {
  const items: Item[] = [...verdict.inUse, ...verdict.waived, ...verdict.mayBeInUse]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'onramp deprecations', rules: items.map(ruleOf) } },
        // Input that could not be read must not look like a check that found nothing.
        invocations: [{ executionSuccessful: verdict.faults === 0 }],
        results: items.flatMap(resultsOf),
        columnKind: 'utf16CodeUnits',
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}
